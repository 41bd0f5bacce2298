# Revisions of a git repository, with what they import; and what is wrong with a side.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp ../eval/machine.sysdl before.sysdl "$SCRATCH" && cd "$SCRATCH"
sed -i 's|\.\./eval/||' before.sysdl
mkdir designs && mv before.sysdl designs/d.sysdl && mv machine.sysdl designs
git init -q . && git add . && git -c user.name=a -c user.email=a@example.org commit -qm first
sed -i 's/batch = 32/batch = 64/' designs/d.sysdl
sed -i 's/power = 500 W/power = 600 W/' designs/machine.sysdl
sysdlc diff HEAD:designs/d.sysdl designs/d.sysdl --design d | head -6
cd designs
sysdlc diff HEAD:./d.sysdl d.sysdl --design d | head -3
sysdlc diff HEAD:d.sysdl HEAD:designs/d.sysdl
for side in HEAD~5:d.sysdl HEAD:e.sysdl --help:d.sysdl none.sysdl; do
  sysdlc diff d.sysdl $side 2>&1 | head -3
done
cd / && sysdlc diff HEAD:d.sysdl d.sysdl
echo "= $?"
