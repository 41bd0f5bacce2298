# A design with errors has no graph for Graphviz and no trace: exit status 1, and nothing on standard output.
try() {
  echo "\$ sysdlc $*"
  sysdlc "$@" 2>&1 > "$SCRATCH/out"
  echo "= $? with $(wc -c < "$SCRATCH/out") bytes"
}
try trace two_stages.sysdl -D 'chip.memory.hbm.capacity=1 MiB'
try graph two_stages.sysdl --format dot -D 'chip.memory.hbm.capacity=1 MiB'
try graph two_stages.sysdl --format dot -D plan.tp=3
try trace two_stages.sysdl -D plan.tp=3
try graph two_stages.sysdl -D plan.tp=3
try trace two_stages.sysdl -D plan.tp
try trace ../eval/several.sysdl
try trace ../eval/several.sysdl --design wider
try trace ../eval/several.sysdl two_stages.sysdl
try trace two_stages.sysdl --format text
try trace two_stages.sysdl --output "nowhere/trace.json"
try graph two_stages.sysdl --format svg
try graph two_stages.sysdl --emit graph
try graph missing.sysdl
try trace missing.sysdl
echo '$ sysdlc graph two_stages.sysdl --format json -D plan.tp=3'
sysdlc graph two_stages.sysdl --format json -D plan.tp=3 | grep -E '"graph"|"code"'
