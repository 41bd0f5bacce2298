# A NUL byte within a text.
cd "$SCRATCH" && printf 'sysdl 2026\n\nfn f(x: Int): Int = x \000+ 1\n' > nul.sysdl && sysdlc check nul.sysdl
