# Warnings are waived on their line with a reason, allowed and denied on the command line.
cat > "$SCRATCH/w.sysdl" << 'end'
sysdl 2026

memory_level A { capacity = 80 GB; bandwidth = 1 TB/s; source "here" as assumed }  // allow W0403: the vendor means it
// allow W0403, W0501: so does this one
memory_level B { capacity = 40 GB; bandwidth = 1 TB/s; source "here" as assumed }
memory_level C { capacity = 16 GB; bandwidth = 1 TB/s; source "here" as assumed }
memory_level D { capacity = 24 GB; bandwidth = 1 TB/s; source "here" as assumed }  // allow W0403
memory_level E { capacity = 24 GiB; bandwidth = 1 TB/s; source "here" as assumed }  // allow W9999: no such code
memory_level F { capacity = 24 GiB; bandwidth = 1 TB/s; source "here" as assumed }  // allow this to stand
end
cd "$SCRATCH"
sysdlc check w.sysdl
echo "= $?"
sysdlc check w.sysdl --allow W0403 --allow W0206
echo "= $?"
sysdlc check w.sysdl --deny W0403 --allow warnings
echo "= $?"
sysdlc check w.sysdl --deny warnings --format json | grep -c '"severity": "error"'
sysdlc check w.sysdl --deny E0402
echo "= $?"
