# Diagnostics for other tools: annotations of a GitHub workflow, and a SARIF log. Places count characters and UTF-16 units.
cat >"$SCRATCH/a,b: 50%.sysdl" <<'END'
sysdl 2026
schema link {
  latency: Time = 3 us
  /* 😀 */ rate: Bandwidth = 3 gb/s
}
link 𝕃 { latncy = 1 GB }
END
cat >"$SCRATCH/half.sysdl" <<'END'
sysdl 2026
test "a kilobyte" { expect 1 kB == 1_024 B within 1% }
test "a byte" { expect 1 B == 8 bit }
END
cd "$SCRATCH"
sysdlc check "a,b: 50%.sysdl" --format github
echo "= $?"
sysdlc check "a,b: 50%.sysdl" --format sarif
echo "= $?"
sysdlc test half.sysdl --format github
echo "= $?"
sysdlc test half.sysdl --format sarif | grep -c ruleId
sysdlc check half.sysdl --format sarif | grep -c ruleId
sysdlc check missing.sysdl --format github
echo "= $?"
sysdlc eval --format github
echo "= $?"
sysdlc eval half.sysdl -D plan.tp=3 --format sarif | grep ruleId
