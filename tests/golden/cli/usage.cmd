# Faults of the command line: exit status 2, and what to write instead.
try() {
  echo "\$ sysdlc $*"
  sysdlc "$@" 2>&1
  echo "= $?"
}
try
try evl design.sysdl
try design.sysdl
try eval
try eval ../eval/tiny.sysdl --formt json
try eval ../eval/tiny.sysdl --format xml
try eval ../eval/tiny.sysdl --emit tree
try eval ../eval/tiny.sysdl --get
try eval ../eval/tiny.sysdl --max-errors many
try eval ../eval/tiny.sysdl -D plan.tp
try eval ../eval/tiny.sysdl --get step_time --emit typed
try test
try explain
try explain E9999
try explain E0402 E0403
try eval ../eval/tiny.sysdl --get step_time --get fits
try eval ../eval/tiny.sysdl ../eval/tiny.sysdl -D plan.tp=2 -D plan.dp=1 --get plan.tp
try eval --versio
try --hlp
try explore ../explore/small.sysdl --jobs 0
