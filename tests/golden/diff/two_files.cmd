# Inputs that differ, results that moved, and which input moved them how much.
sysdlc diff before.sysdl after.sysdl
echo "= $?"
sysdlc diff before.sysdl after.sysdl --exit-code > /dev/null
echo "= $?"
sysdlc diff before.sysdl before.sysdl --exit-code
echo "= $?"
sysdlc diff before.sysdl after.sysdl --design d --format json | grep -v '"path": "[a-ln-z].*causes' | head -40
