# At most so many errors as text; the last line counts them all.
sysdlc check ../diag/wrong_kind.sysdl --max-errors 1
echo "= $?"
sysdlc check ../diag/wrong_kind.sysdl --max-errors 0 2>&1 | grep -c '^error'
