# A text conversion that resolves the design: git shows what follows from a change, too.
here=$PWD
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp ../../../examples/gpt3_175b.sysdl ../../../.gitattributes "$SCRATCH" && cd "$SCRATCH"
git init -q . && git add . && git -c user.name=a -c user.email=a@example.org commit -qm first
git config diff.sysdl.textconv "$here/../../../editors/git/textconv"
sed -i 's/  tp = 8/  tp = 4/; s/    pp = 8/    pp = 16/; s/chunks = 3/chunks = 2/' gpt3_175b.sysdl
git diff -U0 | grep '^[+-]' | grep -E ' (plan|memory|time|step_time)'
