# Layout, comments, the order of lines and the spelling of quantities are no difference.
cp ../eval/machine.sysdl before.sysdl "$SCRATCH" && cd "$SCRATCH"
mkdir eval && mv machine.sysdl eval && sed -i 's|\.\./eval|eval|' before.sysdl
sed -e 's/1e9 token/1 Gtoken/; s/1_024/1024/; s/^design d {/\/\/\/ A comment.\ndesign d {/; s/^  plan {/  plan   {/' before.sysdl > after.sysdl
grep -n batch after.sysdl
sysdlc diff before.sysdl after.sysdl
echo "= $?"
