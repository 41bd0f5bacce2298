# Kinds, things of a kind, kinds that extend one, a file's own.
sysdlc list chip
sysdlc list shape
sysdlc list schedule
sysdlc list unit | head -4
sysdlc list chpi
echo "= $?"
sysdlc list --file ../eval/machine.sysdl
sysdlc list chip --format json | grep -o '"name": "[A-Z0-9a-z_]*", "kind": "chip", "module": "[a-z.]*"'
