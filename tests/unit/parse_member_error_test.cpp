// Faulty texts and what is said about them: place, code, message, help and fix.
#include <catch2/catch.hpp>

#include "tests/unit/parse_support.h"

namespace {

using namespace sysdl;
using namespace sysdl::test;

struct Case {
  std::string text;
  std::vector<std::string> errors;
};

// clang-format off
const Case kMembers[] = {
    {"key: 3",
     {"1:6 E0110 expected a type, found the number `3`; help: write `key = 3` to set a field; "
      "fix:  ="}},
    {"tensor: \"x\"",
     {"1:9 E0110 expected a type, found a string; help: write `tensor = \"x\"` to set a field; "
      "fix:  ="}},
    {"y: [1, 2]",
     {"1:4 E0110 expected a type, found `[`; help: write `y = …` to set a field; fix:  ="}},
    {"x 3",
     {"1:3 E0110 expected `=`, `:`, `{` or a label, found the number `3`; help: write `x = 3` "
      "to set a field; fix:  ="}},
    {"rate[bf16] 3 GB",
     {"1:12 E0110 expected `=` or `{`, found the number `3`; help: write `rate[bf16] = 3` to "
      "set a field; fix:  ="}},
    {"x true",
     {"1:3 E0110 expected `=`, `:`, `{` or a label, found the word `true`; help: write `x = "
      "true` to set a field; fix:  ="}},
    {"x == 3",
     {"1:3 E0110 expected `=`, `:`, `{` or a label, found `==`; help: `=` sets a field, `==` "
      "compares; fix: ="}},
    {"y := 4",
     {"1:3 E0110 there is no operator `:=`; help: write `=` to set a field; fix: ="}},
    {"z += 1",
     {"1:3 E0110 there is no operator `+=`; help: a field is set once, by `=`; what follows "
      "from others is an expression"}},
    {"x = a = b",
     {"1:7 E0110 expected an operator or the end of the line, found `=`; help: one statement "
      "sets one field"}},
    {"require a = b",
     {"1:11 E0110 expected an operator, `else`, `as` or the end of the line, found `=`; help: "
      "`==` compares, `=` sets a field; fix: =="}},
    {"warn if a = b: \"x\"",
     {"1:11 E0110 expected an operator, `as` or `:`, found `=`; help: `==` compares, `=` sets a "
      "field; fix: =="}},
    {"y = if a = b then c else d",
     {"1:10 E0110 expected an operator or `then`, found `=`; help: `==` compares, `=` sets a "
      "field; fix: =="}},
    {"x = (a = b)",
     {"1:8 E0110 expected an operator or `)`, found `=`; help: `==` compares, `=` sets a "
      "field; fix: =="}},
    {"x = 3 4",
     {"1:7 E0110 expected an operator or the end of the line, found the number `4`"}},
    {"y = a b",
     {"1:7 E0110 expected an operator or the end of the line, found the name `b`"}},
    {"z = [1 2]",
     {"1:8 E0110 expected an operator, `for`, `]` or `,`, found the number `2`; help: write "
      "`,` between them; fix: ,"}},
    {"w = f(a b)",
     {"1:9 E0110 expected an operator, `)` or `,`, found the name `b`; help: write `,` between "
      "them; fix: ,"}},
    {"g = f(a: 3)",
     {"1:8 E0110 expected an operator, `)` or `,`, found `:`; help: write `a = …` for a named "
      "argument; fix:  ="}},
    {"x = (1, 2)",
     {"1:7 E0110 expected an operator or `)`, found `,`; help: a list stands in brackets: `[a, "
      "b]`"}},
    {"v = 2 x 3",
     {"1:9 E0110 expected an operator or the end of the line, found the number `3`; help: `x` "
      "after a number is a unit; write `*` to multiply"}},
    {"u = 7 % 3",
     {"1:9 E0110 expected an operator or the end of the line, found the number `3`; help: `%` "
      "is percent; `mod` gives the remainder"}},
    {"t = n % 3",
     {"1:7 E0110 expected an operator or the end of the line, found `%`; help: `%` stands "
      "after a number; `mod` gives the remainder"}},
    {"x = 80GB",
     {"1:5 E0110 a unit stands one space after its number; help: write `80 GB`; fix: 80 GB"}},
    {"y = 80  GB",
     {"1:5 E0110 a unit stands one space after its number; help: write `80 GB`; fix: 80 GB"}},
    {"z = 80GB/s",
     {"1:5 E0110 a unit stands one space after its number; help: write `80 GB/s`; fix: 80 GB/s"}},
    {"w = bytes/each_way",
     {"1:5 E0404 `bytes/each_way` is a unit, but no number stands before it; help: write a "
      "number before it, or `bytes / each_way` with spaces to divide; fix: bytes / each_way"}},
    {"r = x^2 + 1",
     {"1:5 E0404 `x^2` is a unit, but no number stands before it; help: write a number "
      "before it, or `x ^ 2` with spaces to raise to a power; fix: x ^ 2"}},
    {"s = a*b*c",
     {"1:5 E0404 `a*b*c` is a unit, but no number stands before it; help: write a number "
      "before it, or `a * b * c` with spaces to multiply; fix: a * b * c"}},
    {"q: Data/Time",
     {"1:4 E0404 `Data/Time` is a unit, but no number stands before it; help: a type is a "
      "name: declare `dimension NAME = Data / Time`"}},
    {"+ b",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found `+`; help: put `+` at "
      "the end of the line before: a newline ends a statement"}},
    {"\"x\" = 3",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found a string; help: a field "
      "is named without quotes: `NAME = value`"}},
    {"if a then b",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found the word `if`; help: "
      "`if` is an expression: `NAME = if C then A else B`"}},
    {"for x in y",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found the word `for`; help: "
      "there are no loops: `[E for x in LIST]` makes a list"}},
    {"3",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found the number `3`; help: a "
      "statement starts with a word; is the line before finished?"}},
    {"{ a = 1 }",
     {"1:1 E0110 expected a field, a child, a statement or `}`, found `{`; help: put the `{` "
      "on the line that it belongs to"}},
    {"x = 1,",
     {"1:6 E0110 expected an operator or the end of the line, found `,`; help: a newline or "
      "`;` ends a statement, without a comma; fix: "}},
    {"x = 1,000",
     {"1:6 E0110 expected an operator or the end of the line, found `,`; help: digits are "
      "grouped by `_`: `1_000`; fix: _"}},
    {"z = .5",
     {"1:5 E0110 expected an expression, found `.`; help: write `0.5`"}},
    {"w = 1.",
     {"1:7 E0110 expected a name, found the end of the text; help: digits follow the point of "
      "a number: `1.0`"}},
    {"let x: Int = 3",
     {"1:6 E0110 expected `=`, found `:`; help: a `let` takes no type: `let NAME = value`"}},
    {"let in = 3",
     {"1:5 E0110 expected a name, found the word `in`; help: `in` is a reserved word: choose "
      "another name"}},
    {"new memory",
     {"1:11 E0110 expected a label, found the end of the text; help: name the group and the "
      "label, as in `new memory hbm`"}},
    {"source",
     {"1:7 E0110 expected a string, found the end of the text; help: `source` takes a string: "
      "`source \"title, table or page\"`"}},
    {"param w: hidden",
     {"1:10 E0110 expected `[`, found the name `hidden`; help: the axes of a weight stand in "
      "brackets: `param NAME: [from -> to]`"}},
    {"shard heads tp",
     {"1:13 E0110 expected `over` or `,`, found the name `tp`"}},
    {"top ten by x",
     {"1:5 E0110 expected a number, found the name `ten`"}},
    {"top 1.5 by x",
     {"1:5 E0110 `top` takes a whole number from 1 on"}},
    {"sweep x 3",
     {"1:9 E0110 expected `in`, `[` or `.`, found the number `3`"}},
    {"pareto a",
     {"1:8 E0110 expected `min` or `max`, found the name `a`"}},
    {"x = 1..",
     {"1:6 E0110 expected an operator or the end of the line, found `..`; help: a range "
      "without an end stands only after `in` of a field"}},
    {"h = x[..]",
     {"1:7 E0110 expected an expression, found `..`; help: a range without an end stands only "
      "after `in` of a field"}},
    {"a = b < c < d",
     {"1:11 E0110 comparisons do not chain; help: write `a < b and b < c`"}},
    {"e = 1..2..3",
     {"1:9 E0110 ranges do not chain"}},
    {"a = 1 + if b then c else d",
     {"1:9 E0110 expected an expression, found the word `if`; help: put a choice inside an "
      "expression in parentheses: `a + (if C then A else B)`"}},
    {"e = if b then c",
     {"1:16 E0110 expected an operator or `else`, found the end of the text; help: a choice is "
      "written `if C then A else B`"}},
    {"l = a ? b : c",
     {"1:7 E0110 expected an operator or the end of the line, found `?`; help: a choice is "
      "written `if C then A else B`"}},
    {"x =",
     {"1:4 E0110 expected an expression, found the end of the text"}},
    {"x = a *",
     {"1:8 E0110 expected an expression, found the end of the text"}},
    {"a = b && c",
     {"1:7 E0110 there is no operator `&&`; help: write `and`; fix: and"}},
    {"d = !e",
     {"1:5 E0110 there is no operator `!`; help: write `not`; fix: not "}},
    {"i = a ** 2",
     {"1:7 E0110 there is no operator `**`; help: write `^` for a power; fix: ^"}},
    {"f = g # comment",
     {"1:7 E0110 unexpected character `#`; help: a comment starts with `//`"}},
    {"h = $x",
     {"1:5 E0110 unexpected character `$`; help: a field is named without `$`"}},
    {"j = a → b",
     {"1:7 E0110 unexpected character `→`; help: write `->`"}},
    {"k = ü",
     {"1:5 E0110 unexpected character `ü`; help: names are written with the letters A to Z, a "
      "to z, digits and `_`"}},
    {"m = /* x */ 3",
     {"1:5 E0110 there are no block comments; help: start each line of the comment with `//`"}},
    {"a = \"abc",
     {"1:5 E0110 this string is not closed on its line; help: close it with `\"`; a newline "
      "inside is written `\\n`"}},
    {"b = 'abc'",
     {"1:5 E0110 a string stands in double quotes; help: write `\"abc\"`; fix: \"abc\""}},
    {"h = “x”",
     {"1:5 E0110 unexpected character `“`; help: a string stands in straight double quotes: "
      "\"text\"",
      "1:9 E0110 unexpected character `”`; help: a string stands in straight double quotes: "
      "\"text\""}},
    {"c = \"a{b + }c\"",
     {"1:11 E0110 expected an expression, found the end of the expression"}},
    {"c = \"a{b +\\ c}\"",
     {"1:11 E0110 unexpected character `\\`; help: a line goes on after an operator, or inside "
      "( ) and [ ]"}},
    {"d = \"a{b\"",
     {"1:7 E0110 this `{` of a string is never closed; help: write `{{` for a brace"}},
    {"e = \"a{}\"",
     {"1:7 E0110 no expression between the braces; help: write `{{` for a brace"}},
    {"f = \"\\q\"",
     {"1:6 E0110 unknown escape `\\q`; help: the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`; "
      "`{{` is a brace"}},
    {"x = a)",
     {"1:6 E0110 this `)` closes nothing"}},
    {"x = [1, (2]",
     {"1:9 E0111 this `(` is never closed"}},
};
// clang-format on

}  // namespace

TEST_CASE("parse: errors in members", "[parse]") {
  for (const Case& c : kMembers) {
    INFO(c.text);
    Parsed parsed(c.text, As::Member);
    CHECK(parsed.errors() == c.errors);
    CHECK(parsed.spansAreNested());
  }
}
