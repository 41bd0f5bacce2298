# Results go to standard output, diagnostics to standard error.
sysdlc eval ../eval/tiny.sysdl -D plan.tp=4 -D network.take=16 --get plan.dp 2> /dev/null
sysdlc eval ../eval/tiny.sysdl -D plan.tp=3 --get plan.dp 2> /dev/null
echo "= $?"
