# Standard streams that are closed, full, or not read to the end.
sysdlc eval ../eval/tiny.sysdl >&-
echo "closed: $?"
sysdlc eval ../eval/missing.sysdl 2>&-
echo "closed: $?"
sysdlc eval ../eval/tiny.sysdl > /dev/full
echo "full: $?"
{ sysdlc eval ../eval/tiny.sysdl --emit ast; echo "not read: $?" >&2; } | head -n 1
