# The hook lets a good commit pass, and looks at what is staged, not at what lies around.
here=$PWD
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp ../../../examples/gpt3_175b.sysdl ../../../examples/llama3_70b.sysdl "$SCRATCH" && cd "$SCRATCH" && mkdir repository && mv ./*.sysdl repository && cd repository
git init -q . && cp "$here/../../../editors/git/pre-commit" .git/hooks/pre-commit
commit() { git -c user.name=a -c user.email=a@example.org commit -qm "$1" > .git/said 2>&1; echo "$1: $?"; grep -E '^(error|warning)|sysdl$|passed' .git/said || true; }
git add . && commit good
sed -i 's/batch = 64/batch   =   64/' gpt3_175b.sysdl && git add . && commit "not canonical"
sysdlc fmt gpt3_175b.sysdl > /dev/null && sed -i 's/tp = 8/tp = 7/' gpt3_175b.sysdl && git add . && commit "a rule broken"
sed -i 's/tp = 7/tp = 8/' gpt3_175b.sysdl && sed -i 's/optimizer \/ 8 within/optimizer \/ 7 within/' llama3_70b.sysdl && git add . && commit "a test that fails"
git checkout -q HEAD -- . && echo "no sysdl" > broken.sysdl && touch other && git add other && commit "the rest of the folder does not matter"
