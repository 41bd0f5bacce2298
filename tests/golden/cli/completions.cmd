# What a shell offers, and a man page without a complaint of the formatter.
cd "$SCRATCH"
sysdlc completions bash > sysdlc.bash
touch a.sysdl b.txt
bash -c '
source ./sysdlc.bash
offer() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _sysdlc 2> /dev/null
  echo "$*: ${COMPREPLY[*]}"
}
offer sysdlc e
offer sysdlc eval --em
offer sysdlc eval --emit ""
offer sysdlc eval ""
offer sysdlc check --deny W06
offer sysdlc explain E040
offer sysdlc new ""
complete -p sysdlc
'
sysdlc completions man > sysdlc.1
grep -c '^\.SS' sysdlc.1
command -v groff > /dev/null && groff -man -Tutf8 -ww sysdlc.1 2>&1 > /dev/null
sysdlc completions zsh > _sysdlc
command -v zsh > /dev/null && zsh -n _sysdlc
sysdlc completions fish
echo "= $?"
