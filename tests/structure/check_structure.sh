#!/usr/bin/env bash
# Checks the rules of the house on the tree named, and prints each breach as FILE:LINE: what is wrong. Exits with 1 if there
# is one.
#
#   - #include: a folder uses only what `uses` below says of it; inside ir/ only folders further left in `order`; ANTLR
#     and the generated parser only in frontend/parse/, CLI11 only in driver/. Our own headers are named from the root.
#   - No file is longer than 600 lines.
#   - A .h, .cpp or .sysdl file begins with a comment.
set -euo pipefail
cd "$1"

# Test inputs are exempt: they may be anything.
mapfile -t files < <(find grammar ir frontend eval driver stdlib examples tests bench tools CMakeLists.txt \
  \( -path tests/golden -o -path tests/fuzz/seeds -o -path tests/data \) -prune -o \
  -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.def' -o -name '*.sysdl' -o -name '*.g4' -o -name '*.sh' \
  -o -name '*.cmake' -o -name CMakeLists.txt \) -print 2>/dev/null | LC_ALL=C sort)
[ ${#files[@]} -gt 0 ] || { echo "no source files in $1"; exit 1; }

LC_ALL=C awk '
  BEGIN {
    uses["grammar"] = "grammar"
    uses["ir"] = "ir"
    uses["eval"] = "eval ir"
    uses["stdlib"] = "stdlib"
    uses["frontend"] = "frontend grammar ir stdlib"
    uses["driver"] = "driver eval frontend ir stdlib"
    uses["bench"] = uses["tests"] = "bench driver eval frontend ir stdlib tests"
    split("support units types formula value graph", order)
    for (i in order) rank[order[i]] = i + 0
    longest = 600
  }

  function wrong(message) { printf "%s:%d: %s\n", FILENAME, FNR, message; bad = 1 }
  function has(words, word) { return index(" " words " ", " " word " ") > 0 }

  function include(file,    from, to, part) {
    split(FILENAME, from, "/")
    split(file, to, "/")
    if (file ~ /^(antlr4-runtime|grammar\/Sysdl|Sysdl)/) {
      if (FILENAME !~ /^frontend\/parse\//) wrong(file " may be included in frontend/parse/ only")
      return
    }
    if (file ~ /^CLI\//) {
      if (from[1] != "driver") wrong(file " may be included in driver/ only")
      return
    }
    if (!(to[1] in uses)) {
      if ($0 ~ /"/ && file !~ /^(llvm|llvm-c|fmt|catch2|benchmark)\//)
        wrong("name \"" file "\" from the root of the project, or in < > if it is not ours")
      return
    }
    if ((from[1] in uses) && !has(uses[from[1]], to[1])) wrong(from[1] "/ may not use " to[1] "/ (" file ")")
    if (from[1] == "ir" && to[1] == "ir" && (from[2] in rank) && (to[2] in rank) && rank[to[2]] > rank[from[2]])
      wrong("ir/" from[2] "/ comes before ir/" to[2] "/ and may not use it (" file ")")
  }

  FNR == 1 {
    if (FILENAME ~ /\.(h|cpp|sysdl)$/ && $0 !~ /^(\/\/|\/\*)/) wrong("begin with a comment that says what the file is for")
    split(FILENAME, at, "/")
    if (at[1] == "ir" && FILENAME ~ /\.(h|cpp)$/ && !(at[2] in rank))
      wrong("ir/ has the folders support, units, types, formula, value, graph; put the file in one of them")
  }
  FNR == longest + 1 { wrong("longer than " longest " lines: split it") }
  FILENAME ~ /\.(h|cpp|def)$/ && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    file = $0
    sub(/^[^"<]*["<]/, "", file)
    sub(/[">].*/, "", file)
    include(file)
  }
  END { exit bad }
' "${files[@]}"

# awk sees no line of an empty file.
status=0
for file in "${files[@]}"; do
  case $file in
  *.h | *.cpp | *.sysdl)
    [ -s "$file" ] || { echo "$file:1: begin with a comment that says what the file is for"; status=1; }
    ;;
  esac
done
exit $status
