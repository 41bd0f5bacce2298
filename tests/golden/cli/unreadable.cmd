# Files named on the command line that cannot be read: exit status 2, also beside good ones.
sysdlc check ../eval/tini.sysdl
echo "= $?"
sysdlc check ../eval
echo "= $?"
sysdlc check ../eval/machine.sysdl no/such/folder.sysdl
echo "= $?"
sysdlc test ../eval/tini.sysdl
echo "= $?"
sysdlc eval missing.sysdl --format json
