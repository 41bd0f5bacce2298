# A side with errors, one argument too few, a design that is not there.
cp ../eval/machine.sysdl before.sysdl "$SCRATCH" && cd "$SCRATCH" && sed -i 's|\.\./eval/||' before.sysdl
sed 's/tp = 2/tp = 3/' before.sysdl > after.sysdl
sysdlc diff before.sysdl after.sysdl --design d
echo "= $?"
sysdlc diff before.sysdl
echo "= $?"
sysdlc diff before.sysdl before.sysdl --design e
echo "= $?"
