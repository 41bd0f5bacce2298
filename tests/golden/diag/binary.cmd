# A program instead of a text.
cd "$SCRATCH" && printf '\177ELF\002\001\001\000\000\000\003\000\076\000' > program.sysdl && sysdlc check program.sysdl
