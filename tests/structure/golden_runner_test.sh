#!/usr/bin/env bash
# Tests the golden runner named, on cases made here, with a script in place of sysdlc: it passes, fails and updates when it
# should.
set -euo pipefail
runner=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/cases"
cat >"$folder/bin/sysdlc" <<'END'
#!/bin/sh
echo "arguments: $*"
printf 'no newline' >&2
exit "$1"
END
chmod +x "$folder/bin/sysdlc"
cd "$folder/cases"
printf '%s\n' '// run: sysdlc 0 %s "a b"' '// run: sysdlc 3 x' '// exit: 3' 'sysdl 2026' >two.sysdl
# shellcheck disable=SC2016
printf '%s\n' '# A comment.' 'cd "$SCRATCH" && echo x >made && cat made && sysdlc 1' >shell.cmd
printf '%s\n' '// A helper.' >helper.sysdl

expect() {
  local status=0 output
  output=$("$runner" --sysdlc "$folder/bin/sysdlc" "${@:3}") || status=$?
  if [ "$status" -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    printf 'run_golden %s: exit status %d, wanted %d and "%s"; printed:\n%s\n' "${*:3}" "$status" "$1" "$2" "$output"
    exit 1
  fi
}

expect 1 "no $folder/cases/two.out" two.sysdl
expect 0 '2 of 2 golden tests passed' --update .
diff - two.out <<'END'
# run sysdlc 0 two.sysdl "a b"
# stdout
arguments: 0 two.sysdl a b
# stderr
no newline
# no newline at the end
# exit 0
# run sysdlc 3 x
# stdout
arguments: 3 x
# stderr
no newline
# no newline at the end
# exit 3
END
diff - shell.out <<'END'
# stdout
x
arguments: 1
# stderr
no newline
# no newline at the end
# exit 1
END
expect 0 '2 of 2 golden tests passed' .
sed -i 's/^x$/y/' shell.out
expect 1 '+x' shell.cmd
expect 1 '1 of 2 golden tests passed' .
sed -i 's/^y$/x/' shell.out
sed -i 's/exit: 3/exit: 4/' two.sysdl
expect 1 'exit status 3, not 4' --update two.sysdl
sed -i 's/exit: 4/exit: 3/' two.sysdl
touch orphan.out
expect 1 'orphan.out: 0 cases have it' --list .
expect 1 'no line "// run: "' helper.sysdl
