# What a code means, in capitals or not; which codes there are.
sysdlc explain E0402 && sysdlc explain w0605 | head -n 3 && sysdlc explain E0802 --format json
sysdlc explain | head -n 4
sysdlc explain --format json | grep -A 2 codes
for code in E0403x E0404 E0511; do sysdlc explain $code | head -n 1; done
sysdlc explain E9999
echo "= $?"
sysdlc explain E043
echo "= $?"
sysdlc explain E040O
echo "= $?"
