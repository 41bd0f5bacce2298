# A text in Latin-1.
cd "$SCRATCH" && printf 'sysdl 2026\n\n/// Gr\366\337e\nfn f(x: Int): Int = x + 1\n' > latin1.sysdl && sysdlc check latin1.sysdl
