# 10,000 nested braces.
cd "$SCRATCH" && { echo 'sysdl 2026'; printf 'design d = base { %.0s' $(seq 10000); echo; } > nested.sysdl && sysdlc check nested.sysdl
