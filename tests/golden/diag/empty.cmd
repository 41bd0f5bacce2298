# A file without a byte in it.
cd "$SCRATCH" && : > empty.sysdl && sysdlc check empty.sysdl
