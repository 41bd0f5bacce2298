# 10,000 nested parentheses.
cd "$SCRATCH" && { echo 'sysdl 2026'; printf 'fn f(x: Int): Int = '; printf '(%.0s' $(seq 10000); echo; } > nested.sysdl && sysdlc check nested.sysdl
