#!/usr/bin/env bash
# Tests check_structure.sh: a good tree passes, and each breach of a rule is found, with its file and line.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_structure.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# file PATH LINE...
file() {
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$tree/$1"
}

good_tree() {
  rm -rf "${tree:?}"/*
  file ir/support/name.h '// Names.' '#include <string>' '#include "llvm/ADT/StringRef.h"'
  file ir/graph/graph.h '// Graph.' '#include "ir/support/name.h"' '#include "ir/value/value.h"'
  file eval/cost.cpp '// Cost.' '#include "ir/graph/graph.h"' '#include "eval/cost.h"'
  file frontend/parse/parse.cpp '// Parser.' '#include <antlr4-runtime.h>' '#include "grammar/SysdlParser.h"'
  file frontend/load.cpp '// Loads.' '#include "stdlib/embedded.h"' '#include "grammar/tokens.def"'
  file driver/main.cpp '/* Main. */' '#include <CLI/CLI.hpp>' '#include "eval/cost.h"' '#include "frontend/load.h"'
  file stdlib/units.sysdl '// Units.' 'sysdl 2026'
  file tests/golden/syntax/empty.sysdl ''
}

# breach MESSAGE PATH LINE...: the good tree with this file must fail with a line that begins with MESSAGE, and only that.
breach() {
  good_tree
  file "${@:2}"
  local output
  if output=$("$check" "$tree"); then
    echo "passed, and should not have: $2: ${*:3}"
    failures=1
  elif [[ $output != "$1"* || $(wc -l <<<"$output") -ne 1 ]]; then
    printf 'wrong message for %s: %s\n' "$2" "$output"
    failures=1
  fi
}

good_tree
"$check" "$tree" || failures=1

breach 'ir/graph/a.h:2: ir/ may not use eval/' ir/graph/a.h '// A.' '#include "eval/cost.h"'
breach 'ir/value/a.cpp:3: ir/ may not use frontend/' ir/value/a.cpp '// A.' '' '  #  include "frontend/load.h"'
breach 'ir/value/a.cpp:2: ir/ may not use stdlib/' ir/value/a.cpp '// A.' '#include <stdlib/embedded.h>'
breach 'ir/units/a.h:2: ir/units/ comes before ir/types/' ir/units/a.h '// A.' '#include "ir/types/type.h"'
breach 'ir/support/a.def:1: ir/support/ comes before ir/units/' ir/support/a.def '#include "ir/units/unit.h"'
breach 'ir/a.h:1: ir/ has the folders' ir/a.h '// A.'
breach 'eval/a.cpp:2: eval/ may not use frontend/' eval/a.cpp '// A.' '#include "frontend/load.h"'
breach 'eval/a.cpp:2: eval/ may not use driver/' eval/a.cpp '// A.' '#include "driver/run.h"'
breach 'frontend/a.cpp:2: frontend/ may not use eval/' frontend/a.cpp '// A.' '#include "eval/cost.h"'
breach 'stdlib/a.cpp:2: stdlib/ may not use ir/' stdlib/a.cpp '// A.' '#include "ir/graph/graph.h"'
breach 'frontend/syntax/a.h:2: antlr4-runtime.h may be' frontend/syntax/a.h '// A.' '#include <antlr4-runtime.h>'
breach 'driver/a.cpp:2: grammar/SysdlLexer.h may be' driver/a.cpp '// A.' '#include "grammar/SysdlLexer.h"'
breach 'eval/a.cpp:2: eval/ may not use grammar/' eval/a.cpp '// A.' '#include "grammar/tokens.def"'
breach 'eval/a.cpp:2: CLI/CLI.hpp may be' eval/a.cpp '// A.' '#include <CLI/CLI.hpp>'
breach 'driver/a.cpp:2: name "run.h" from the root' driver/a.cpp '// A.' '#include "run.h"'
breach 'driver/a.cpp:2: name "../eval/cost.h" from' driver/a.cpp '// A.' '#include "../eval/cost.h"'
breach 'stdlib/a.sysdl:1: begin with a comment' stdlib/a.sysdl 'sysdl 2026'
breach 'tests/a.cpp:1: begin with a comment' tests/a.cpp '#include <string>'
mapfile -t many < <(yes '// line' | head -601)
breach 'driver/long.cpp:601: longer than 600 lines' driver/long.cpp "${many[@]}"

good_tree
: >"$tree/ir/graph/empty.h"
if "$check" "$tree" >/dev/null; then
  echo "passed, and should not have: an empty header"
  failures=1
fi
exit $failures
