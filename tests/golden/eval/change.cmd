# -D amends every design, with the checks of a file; the last one of two wins.
try() {
  sysdlc eval "$@" 2>&1
  echo "= $?"
}
try several.sysdl -D plan.tp=1 --get plan.dp
try several.sysdl -D plan.tp=1 -D plan.tp=2 --get plan.dp
try tiny.sysdl -D 'plan { tp = 1; pp = 4 }' --get plan.dp
try tiny.sysdl -D 'chip.memory.hbm.capacity = 64 GB' --get memory.capacity
try tiny.sysdl -D plan.tpp=4
try tiny.sysdl -D plan.tp==4
try tiny.sysdl -D chip.power=500
try tiny.sysdl -D plan.tp=3
try tiny.sysdl -D model.hidden=1000
try several.sysdl --design wide -D 'network.take = 6'
