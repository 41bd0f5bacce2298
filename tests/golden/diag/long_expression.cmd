# A chain of 100,000 operators.
cd "$SCRATCH" && { echo 'sysdl 2026'; printf 'fn f(x: Int): Int = x'; printf ' + x%.0s' $(seq 100000); echo; } > chain.sysdl && sysdlc check chain.sysdl
