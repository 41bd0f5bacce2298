# All files below a folder, in order; a folder or a file without tests is no success.
mkdir -p "$SCRATCH/all/below" "$SCRATCH/none" && cd "$SCRATCH"
cat > all/b.sysdl << 'end'
sysdl 2026
test "two and two" { expect 2 + 2 == 4 }
end
cp all/b.sysdl all/below/a.sysdl && cp all/b.sysdl all/not_a_design.txt
printf 'sysdl 2026\n' > none/empty.sysdl
sysdlc test all --junit report.xml && cat report.xml
sysdlc test none 2>&1
echo "= $?"
sysdlc test none/empty.sysdl 2>&1
echo "= $?"
sysdlc test all --junit none/such/folder.xml 2>&1
echo "= $?"
