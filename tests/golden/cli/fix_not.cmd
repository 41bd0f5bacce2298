# What check --fix leaves alone: what could be meant otherwise, warnings that are not denied, the library, files that cannot be
# written.
cd "$SCRATCH"
cat >unsure.sysdl <<'END'
sysdl 2026
schema disk { aa: Int = 1; ab: Int = 2; capacity: Data = 1 kB }
disk A { ac = 1 }
schema run { length: Time = 3 khour; bits: Int = 2; rate: Bandwidth = bits * GB/s }
END
cp unsure.sysdl before
sysdlc check --fix unsure.sysdl
echo "= $?"
cmp unsure.sysdl before
cat >memory.sysdl <<'END'
sysdl 2026
memory_level hbm { capacity = 80 GB; bandwidth = 2 TB/s; source "here" as assumed }
END
sysdlc check --fix --allow W0403 memory.sysdl
echo "= $?"
sysdlc check --fix --deny W0403 memory.sysdl
echo "= $?"
tail -n 1 memory.sysdl
printf 'sysdl 2026\nimport "part.sysdl"\n' >whole.sysdl
printf 'sysdl 2026\nfn f(n: Imt): Int = n' >part.sysdl
ln -s part.sysdl link.sysdl
sysdlc check --fix whole.sysdl link.sysdl
echo "= $?"
test -L link.sysdl && tail -n 1 part.sysdl && echo
printf 'sysdl 2026\nfn f(n: Imt): Int = n\n' >json.sysdl
sysdlc check --fix --format json json.sysdl | grep -A 1 fixed
sysdlc check --diff json.sysdl
echo "= $?"
sysdlc check --fix --diff json.sysdl
echo "= $?"
