# 100 MB of declarations.
cd "$SCRATCH" && { echo 'sysdl 2026'; yes 'dimension Parsec' | head -c 100M; } > huge.sysdl && sysdlc check huge.sysdl
