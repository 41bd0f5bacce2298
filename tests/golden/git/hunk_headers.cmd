# The hunk of a change is headed by the declaration that it lies in.
here=$PWD
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cp ../../../examples/gpt3_175b.sysdl "$SCRATCH" && cd "$SCRATCH"
git init -q . && git config --local include.path "$here/../../../editors/git/config"
cp "$here/../../../.gitattributes" . && git add . && git -c user.name=a -c user.email=a@example.org commit -qm first
sed -i 's/pue = 1.25/pue = 1.3/' gpt3_175b.sysdl
git diff -U0 | grep '^[@+-]'
echo 'test "cheap" {
  let one = 1


  expect gpt3_175b.cost.per_hour < 50 USD / (1 hour) * (1 hour)
}' >> gpt3_175b.sysdl && git add . && sed -i 's/< 50 USD/< 60 USD/' gpt3_175b.sysdl
git diff -U0 | grep '^@'
