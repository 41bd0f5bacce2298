# A line of 1 MB with a fault in it.
cd "$SCRATCH" && { echo 'sysdl 2026'; printf 'fn f(x: Int): Int = x%.0s ' 1; printf '+ 1 %.0s' $(seq 1000); printf '+ y'; printf ' + 1%.0s' $(seq 900); echo; } > line.sysdl && sysdlc check line.sysdl
