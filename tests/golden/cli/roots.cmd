# Imports stay below the git checkout or folder of the file, or the folders of --root; links do not lead out of it.
mkdir -p "$SCRATCH/shop/designs/.git" "$SCRATCH/shop/parts"
printf 'sysdl 2026\nfn half(): Real = 0.5\n' > "$SCRATCH/shop/parts/part.sysdl"
printf 'sysdl 2026\nfn third(): Real = 0.3\n' > "$SCRATCH/shop/designs/own.sysdl"
mkdir "$SCRATCH/shop/designs/deep"
cd "$SCRATCH/shop/designs/deep" || exit
printf 'sysdl 2026\nimport "../own.sysdl"\nfn f(): Real = own.third()\n' > near.sysdl
sysdlc check near.sysdl; echo "near: $?"
printf 'sysdl 2026\nimport "../../parts/part.sysdl"\nfn f(): Real = part.half()\n' > far.sysdl
sysdlc check far.sysdl 2>&1 | sed "s|$(realpath "$SCRATCH")|SCRATCH|"
sysdlc check far.sysdl --root ../..; echo "with a root: $?"
sysdlc check far.sysdl --root .. --root ../../parts 2>&1; echo "with two roots: $?"
ln -s ../../parts/part.sysdl linked.sysdl
printf 'sysdl 2026\nimport "linked.sysdl"\nfn f(): Real = linked.half()\n' > link.sysdl
sysdlc check link.sysdl 2>&1 | grep error
printf 'sysdl 2026\nimport "/nowhere/part.sysdl"\n' > absolute.sysdl
sysdlc check absolute.sysdl --root / 2>&1 | grep -A4 error
printf 'sysdl 2026\nimport "ownn.sysdl"\n' > ../missing.sysdl
sysdlc check ../missing.sysdl 2>&1 | grep -A4 error
sysdlc check far.sysdl --root /nowhere 2>&1 | grep error
