// What holds for whole files: layout, comments, spans, the dump, soft words.
#include <catch2/catch.hpp>

#include "frontend/parse/token.h"
#include "tests/unit/parse_support.h"

namespace {

using namespace sysdl;
using namespace sysdl::test;

const char* const kFile = R"(sysdl 2026

// Before.
/// A chip.
chip Atlas {
  /// Its clock.
  clock = 1.8 GHz  // fast
  memory hbm { stacks = 6; per_stack = 24 GB }

  require power <= 1 kW
    else "too hot: {power}"
}
chip Lite = Atlas { memory.hbm.stacks = 4 }
)";

const char* const kDump = R"(File 2026 @1:1-14:1
  Decl Atlas @5:1-12:2
    Type chip @5:1-5:5
    Body @5:12-12:2
      Assign @7:3-7:18
        Path @7:3-7:8
          Word clock @7:3-7:8
        Number "1.8" @7:11-7:18
          UnitName "GHz" @7:15-7:18
        -
      Child hbm @8:3-8:47
        Word memory @8:3-8:9
        Body @8:14-8:47
          Assign @8:16-8:26
            Path @8:16-8:22
              Word stacks @8:16-8:22
            Number "6" @8:25-8:26
              -
            -
          Assign @8:28-8:45
            Path @8:28-8:37
              Word per_stack @8:28-8:37
            Number "24" @8:40-8:45
              UnitName "GB" @8:43-8:45
            -
        -
      Require @10:3-11:28
        Binary <= @10:11-10:24
          Ref power @10:11-10:16
          Number "1" @10:20-10:24
            UnitName "kW" @10:22-10:24
        Text @11:10-11:28
          TextPiece "too hot: " @11:11-11:20
          Ref power @11:21-11:26
    -
  Decl Lite @13:1-13:44
    Type chip @13:1-13:5
    -
    Amend @13:13-13:44
      Ref Atlas @13:13-13:18
      Body @13:19-13:44
        Assign @13:21-13:42
          Path @13:21-13:38
            Word memory @13:21-13:27
            Word hbm @13:28-13:31
            Word stacks @13:32-13:38
          Number "4" @13:41-13:42
            -
          -
)";

std::string withoutPlaces(Parsed& parsed) {
  return syntax::dump(parsed.tree, parsed.sources, parsed.names, false);
}

}  // namespace

TEST_CASE("parse: the dump of a file", "[parse]") {
  Parsed parsed(kFile);
  CHECK(parsed.errors().empty());
  CHECK(syntax::dump(parsed.tree, parsed.sources, parsed.names) == kDump);
  CHECK(parsed.spansAreNested());
}

TEST_CASE("parse: comments are kept, in order", "[parse]") {
  Parsed parsed(kFile);
  std::vector<std::string> texts;
  for (const syntax::Comment& comment : parsed.tree.comments) {
    texts.push_back((comment.doc ? "doc " : "") + std::string(parsed.sources.text(comment.span)));
  }
  CHECK(texts ==
        std::vector<std::string>{"// Before.", "doc /// A chip.", "doc /// Its clock.", "// fast"});
}

TEST_CASE("parse: names have spans of their own", "[parse]") {
  Parsed parsed("sysdl 2026\nfn f(a: Int): Int = a + g(b = -a.c)\nimport std.x as y\n");
  std::vector<std::string> texts;
  for (const syntax::Node& node : parsed.tree.nodes) {
    if (node.nameSpan.valid()) texts.emplace_back(parsed.sources.text(node.nameSpan));
  }
  CHECK(texts ==
        std::vector<std::string>{"Int", "a", "Int", "a", "g", "a", "c", "-", "b", "+", "f", "y"});
}

TEST_CASE("parse: layout does not change the tree", "[parse]") {
  Parsed plain("sysdl 2026\nchip A {\n  x = a + f(b, c)\n  pareto min a, max b\n}\n");
  std::string tree = withoutPlaces(plain);
  const char* const same[] = {
      "\xEF\xBB\xBFsysdl 2026\r\nchip A {\r\n  x = a + f(b, c)\r\n  pareto min a, max b\r\n}\r\n",
      "// c\n\nsysdl 2026 // c\n\n\nchip A { x = a + f(b, c); pareto min a, max b; }",
      "sysdl 2026\nchip A {\n\n  x = a +  // c\n\n  /// d\n    f(\n  b\n,  c,\n)\n\n  pareto min "
      "a,\n"
      "    max b\n  // c\n}",
      "sysdl 2026\nchip A {; x =\n a + f(b,\n  // c\n c);;\n pareto min a, max b }  ",
  };
  for (const char* text : same) {
    Parsed parsed(text);
    CHECK(parsed.errors().empty());
    CHECK(withoutPlaces(parsed) == tree);
  }
}

TEST_CASE("parse: every statement word is still a name", "[parse]") {
  using parsing::Group;
  using parsing::Tok;
  for (uint8_t i = 1; i <= static_cast<uint8_t>(Tok::Wrong); ++i) {
    auto type = static_cast<Tok>(i);
    // Before the reserved words stand the groups of the soft ones.
    if (parsing::groupOf(type) >= Group::Reserved) continue;
    std::string word(parsing::textOf(type));
    INFO(word);
    const std::string uses[] = {
        word + " = 1",
        word + ": Int",
        word + ".x = 1",
        word + " { a = 1 }",
        word + "[a] = 1",
        "x = " + word + " + 1",
        "x = a." + word,
        "x = f(" + word + " = 1)",
        "level " + word,
        "level " + word + " {}",
        "let " + word + " = 1",
        "param " + word + ": [a]",
        "input " + word + ": Int",
        "new a " + word + " {}",
        "x = " + word + "(1)",
        "x = [a, " + word + "]",
        "shard a over " + word,
        "x: a." + word,
        "x = -" + word,
        "require not " + word,
    };
    for (const std::string& use : uses) {
      Parsed parsed(use, As::Member);
      INFO(use);
      CHECK(parsed.errors().empty());
    }
  }
}

TEST_CASE("parse: one fault leaves the rest", "[parse]") {
  Parsed parsed("sysdl 2026\nchip A {\n  x = 1\n  y 2\n  engine t {\n    z 3\n    w = 4\n  }\n}\n"
                "chip\nchip B { v = 5 }\n");
  CHECK(parsed.diagnostics.errorCount() == 3);
  CHECK(parsed.shortly(parsed.tree.root) ==
        "(File 2026 (Decl A chip (Body (Assign (Path x) 1 -) (Bad) (Child t engine (Body (Bad) "
        "(Assign (Path w) 4 -)) -)) -) (Bad) (Decl B chip (Body (Assign (Path v) 5 -)) -))");
}
