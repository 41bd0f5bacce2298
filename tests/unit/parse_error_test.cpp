// Faulty files and what is said about them: place, code, message, help and fix.
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
const Case kFiles[] = {
    {"x = 3",
     {"2:3 E0110 expected a name or `.`, found `=`; help: a declaration starts with its kind, "
      "as in `chip NAME { … }`; a field belongs into one"}},
    {"foo: Int",
     {"2:4 E0110 expected a name or `.`, found `:`; help: a declaration starts with its kind, "
      "as in `chip NAME { … }`; a field belongs into one"}},
    {"let a = 3",
     {"2:1 E0110 `let` belongs into the { } of a declaration; help: outside, write `fn a(): "
      "Type = …`"}},
    {"require a",
     {"2:10 E0110 expected `{` or `=`, found the end of the file; help: `require` belongs into "
      "the { } of a declaration"}},
    {"chip",
     {"2:5 E0110 expected a name or `.`, found the end of the file"}},
    {"chip A",
     {"2:7 E0110 expected `{` or `=`, found the end of the file"}},
    {"chip A\n{\n}",
     {"2:7 E0110 expected `{` or `=`, found the end of the line; help: put the `{` on this "
      "line: a newline ends a statement"}},
    {"sysdl 2026",
     {"2:1 E0110 expected a declaration, found the word `sysdl`; help: the edition stands on "
      "the first line only"}},
    {"3",
     {"2:1 E0110 expected a declaration, found the number `3`; help: a statement starts with a "
      "word; is the line before finished?"}},
    {"schema a b { }",
     {"2:10 E0110 expected `{` or `:`, found the name `b`; help: the schema that it extends "
      "follows a colon: `schema NAME: BASE { … }`"}},
    {"fn f(x) = 3",
     {"2:7 E0110 expected `:`, found `)`; help: a parameter has a type: `NAME: Type`"}},
    {"fn f(x: Int) = 3",
     {"2:14 E0110 expected `:`, found `=`; help: a function has a type: `fn NAME(…): Type = …`"}},
    {"fn f(x: Int = 3, y = 4): Int = 3",
     {"2:20 E0110 expected `:`, found `=`; help: a parameter has a type: `NAME: Type`"}},
    {"operator o(x: tensor[3]) { }",
     {"2:22 E0110 expected a type or `..`, found the number `3`"}},
    {"import",
     {"2:7 E0110 expected a module or a string, found the end of the file"}},
    {"enum E { a = 3, b }",
     {"2:12 E0110 expected the end of the line, found `=`"}},
    {"unit x: 3",
     {"2:9 E0110 expected a type, found the number `3`"}},
    {"test abc { }",
     {"2:6 E0110 expected a string, found the name `abc`"}},
    {"chip A {\n  x = 1\n  engine t {\n    y = 2\n\nchip B {\n  z 3\n}",
     {"2:8 E0111 this `{` is never closed",
      "4:12 E0111 this `{` is never closed",
      "8:5 E0110 expected `=`, `:`, `{` or a label, found the number `3`; help: write `z = 3` "
      "to set a field; fix:  ="}},
    {"chip A {\n  engine t {\n    rate = 3\n}\nchip B { }",
     {"3:12 E0111 this `{` is never closed"}},
    {"chip A {\n  x = f(a, b\n  y = 3\n  z = [1, 2\n}\nchip B { }",
     {"3:8 E0111 this `(` is never closed",
      "5:7 E0111 this `[` is never closed"}},
    {"chip A {\n  x = f(a, b",
     {"2:8 E0111 this `{` is never closed",
      "3:8 E0111 this `(` is never closed"}},
    {"chip A { x = 1",
     {"2:8 E0111 this `{` is never closed"}},
    {"chip A {\nx = 1\ny = [2\nz = 3\n}",
     {"4:5 E0111 this `[` is never closed"}},
    {"chip A {\n  x = 1\n  }\n  y = 2\n  z 3\n}\nchip B { w 3 }",
     {"7:1 E0110 this `}` closes nothing",
      "8:12 E0110 expected `=`, `:`, `{` or a label, found the number `3`; help: write `w = 3` "
      "to set a field; fix:  ="}},
    {"chip A { }\n}}}",
     {"3:1 E0110 this `}` closes nothing"}},
    {"chip A {\n  hop = latency +\n  bytes = 3\n  z = b /\n  engine t { a = 1 }\n}",
     {"3:17 E0112 this line ends in `+`; help: finish the expression or remove `+`",
      "5:9 E0112 this line ends in `/`; help: finish the expression or remove `/`"}},
    {"chip A {\n  y = a +\n  require a\n  p = q -\n  expect (a).b == 3 within 5%\n}",
     {"3:9 E0112 this line ends in `+`; help: finish the expression or remove `+`",
      "5:9 E0112 this line ends in `-`; help: finish the expression or remove `-`"}},
    {"chip A {\n  x = a *\n}\nchip B = A *\n\nchip C {\n  g =\n  h = 3\n  ok = a +\n    b\n}",
     {"3:9 E0112 this line ends in `*`; help: finish the expression or remove `*`",
      "5:12 E0112 this line ends in `*`; help: finish the expression or remove `*`",
      "8:5 E0112 this line ends in `=`; help: write the value after `=`"}},
    {"chip A {\n  x = (\n    a,\n    b\n  )\n  y = f(\n    a = 1\n    b = 2\n  )\n}",
     {"4:6 E0110 expected an operator or `)`, found `,`; help: a list stands in brackets: `[a, "
      "b]`",
      "9:5 E0110 expected an operator, `)` or `,`, found the name `b`; help: write `,` between "
      "them; fix: ,"}},
    {"chip A {\n  engine t\n  {\n    a = 1\n  }\n}",
     {"4:3 E0110 expected a field, a child, a statement or `}`, found `{`; help: put the `{` "
      "on the line that it belongs to"}},
};

const Case kExpressions[] = {
    {"",
     {"1:1 E0110 expected an expression"}},
    {"a b",
     {"1:3 E0110 expected an operator or the end of the expression, found the name `b`"}},
    {"f(",
     {"1:2 E0111 this `(` is never closed"}},
};
// clang-format on

}  // namespace

TEST_CASE("parse: errors in files", "[parse]") {
  for (const Case& c : kFiles) {
    INFO(c.text);
    Parsed parsed("sysdl 2026\n" + c.text);
    CHECK(parsed.errors() == c.errors);
    CHECK(parsed.spansAreNested());
  }
}

TEST_CASE("parse: errors in expressions", "[parse]") {
  for (const Case& c : kExpressions) {
    INFO(c.text);
    CHECK(Parsed(c.text, As::Expression).errors() == c.errors);
  }
}
