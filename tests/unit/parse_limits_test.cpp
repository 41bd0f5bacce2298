// What is checked around the grammar: editions, bytes, limits, and texts made to break parsers.
#include <catch2/catch.hpp>

#include <chrono>
#include <random>

#include "tests/unit/parse_support.h"

namespace {

using namespace sysdl;
using namespace sysdl::test;

using Lines = std::vector<std::string>;

std::string repeat(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string inChip(const std::string& member) {
  return "sysdl 2026\nchip A {\n" + member + "\n}\n";
}

const char* const kWrite = "; help: write `sysdl 2026` on the first line";

}  // namespace

TEST_CASE("parse: the edition", "[parse]") {
  const std::string fix = "; fix: sysdl 2026\n\n";
  CHECK(Parsed("").errors() ==
        Lines{"1:1 E0101 the file is empty: it must start with its edition" + (kWrite + fix)});
  CHECK(Parsed("// c\n").errors() ==
        Lines{"2:1 E0101 the file is empty: it must start with its edition" + (kWrite + fix)});
  CHECK(Parsed("chip A { }\n").errors() ==
        Lines{"1:1 E0101 the file must start with its edition" + (kWrite + fix)});
  CHECK(Parsed("sysdl\nchip A { }\n").errors() ==
        Lines{std::string("1:1 E0101 the first line must name an edition that exists") + kWrite});
  CHECK(Parsed("sysdl 1999\n").errors() ==
        Lines{std::string("1:7 E0101 the first line must name an edition that exists") + kWrite});
  CHECK(Parsed("sysdl 2031\n+\n").errors() ==
        Lines{"1:7 E0102 the file needs edition 2031, this tool knows 2026; help: use a newer "
              "sysdlc"});
  CHECK(Parsed("sysdl 2026 chip A { }\n").errors() ==
        Lines{"1:12 E0110 the first line names the edition only"});
  // The rest is still read.
  CHECK(Parsed("chip A {\n  x 3\n}\n").diagnostics.errorCount() == 2);
  Parsed parsed("\n// c\nsysdl 2026");
  CHECK(parsed.errors().empty());
  CHECK(parsed.shortly(parsed.tree.root) == "(File 2026)");
}

TEST_CASE("parse: what is not text", "[parse]") {
  CHECK(Parsed(std::string("sysdl 2026\nab\0c", 15)).errors() ==
        Lines{"2:3 E0120 the file is not text: byte 0x00 at offset 13, line 2, does not occur in "
              "text; help: a .sysdl file is UTF-8 text"});
  CHECK(Parsed("sysdl 2026\n// \xFF").errors() ==
        Lines{"2:4 E0120 the file is not text: byte 0xFF at offset 14, line 2, is not UTF-8; "
              "help: save the file as UTF-8"});
  CHECK(Parsed(std::string("\xFF\xFEs\0y\0", 6)).errors() ==
        Lines{"1:1 E0120 the file is not text: byte 0xFF at offset 0, line 1, starts UTF-16; "
              "help: save the file as UTF-8"});
  // Overlong, surrogate, cut off.
  for (const char* bytes : {"\xC0\x80", "\xED\xA0\x80", "\xE2\x82"}) {
    CHECK(Parsed(std::string("sysdl 2026\n//") + bytes).errors().size() == 1);
  }
  CHECK(Parsed("sysdl 2026\n// \xE2\x82\xAC \xF0\x9F\x98\x80\n").errors().empty());
}

TEST_CASE("parse: an unclosed bracket is shown with the place that misses it", "[parse]") {
  Parsed parsed("sysdl 2026\nchip A {\n  engine t {\n    rate = 3\n}\nchip B { }\n");
  Diagnostic error = parsed.diagnostics.sorted(parsed.sources).at(0);
  REQUIRE(error.labels.size() == 2);
  CHECK(parsed.sources.resolve(error.labels[0].span.begin).line == 3);
  CHECK(parsed.sources.resolve(error.labels[1].span.begin).line == 5);
  CHECK(error.labels[1].text == "a `}` is missing before this");
}

TEST_CASE("parse: nesting is bounded", "[parse]") {
  for (std::string_view pair : {"()", "[]"}) {
    std::string open(1, pair[0]);
    std::string close(1, pair[1]);
    CHECK(Parsed(inChip("x = " + repeat(open, 250) + "1" + repeat(close, 250))).errors().empty());
    for (const std::string& text :
         {repeat(open, 10000), repeat(open, 10000) + "1" + repeat(close, 10000)}) {
      CHECK(Parsed(inChip("x = " + text)).errors() ==
            Lines{"3:260 E0120 nested too deeply: the limit (maxNesting) is 256 brackets inside "
                  "one another"});
    }
    CHECK(Parsed(inChip("x = " + repeat(close, 10000))).diagnostics.errorCount() == 1);
  }
  CHECK(Parsed(inChip(repeat("x {\n", 10000))).errors() ==
        Lines{"258:3 E0120 nested too deeply: the limit (maxNesting) is 256 brackets inside one "
              "another"});
  Parsed choices(inChip("x = " + repeat("if a then b else ", 10000) + "c"));
  CHECK(choices.errors().size() == 1);
  CHECK(choices.errors()[0].find("E0120") != std::string::npos);
  CHECK(Parsed(inChip("x = " + repeat("if a then b else ", 200) + "c")).errors().empty());
}

TEST_CASE("parse: chains are bounded", "[parse]") {
  const Lines chains = {
      "x = 1" + repeat("+1", 100000),
      "x = a" + repeat(".b", 100000),
      "x = " + repeat("-", 100000) + "1",
      "x = " + repeat("not ", 100000) + "a",
      "x = 1" + repeat(" ^ 1", 100000),
      "x = a" + repeat("(b)", 100000),
      "x = a" + repeat("[b]", 100000),
      "x = a" + repeat(" { b = 1 }", 50000),
      "x = \"" + repeat("{a}", 2000) + "{" + repeat("-", 5000) + "a}\"",
  };
  for (const std::string& chain : chains) {
    INFO(chain.substr(0, 20));
    Parsed parsed(inChip(chain));
    REQUIRE(parsed.errors().size() == 1);
    CHECK(parsed.errors()[0].find("the limit (maxDepth) is 2000 operators") != std::string::npos);
  }
  CHECK(Parsed(inChip("x = 1" + repeat(" + 1", 1990))).errors().empty());
}

TEST_CASE("parse: size is bounded", "[parse]") {
  ParseLimits limits;
  limits.maxBytes = 100;
  CHECK(
      Parsed(inChip(repeat("x = 1\n", 20)), As::File, limits).errors() ==
      Lines{"1:1 E0120 the file is too large: 143 bytes, the limit (maxBytes) is 100; help: split "
            "it into modules and import them"});
  limits = {};
  limits.maxTokens = 50;
  std::string large = "chip A { x = [" + repeat("1, ", 40) + "] }\n";
  CHECK(Parsed("sysdl 2026\n" + large + "chip B { }\n" + large, As::File, limits).errors() ==
        Lines{"2:1 E0120 this declaration is too large: the limit (maxTokens) is 50 tokens; help: "
              "split it into several declarations",
              "4:1 E0120 this declaration is too large: the limit (maxTokens) is 50 tokens; help: "
              "split it into several declarations"});
  // A megabyte on one line.
  CHECK(Parsed(inChip("x = [" + repeat("123456, ", 120000) + "1]")).errors().empty());
  CHECK(Parsed(inChip("x = \"" + repeat("a", 1 << 20) + "\"")).errors().empty());
}

TEST_CASE("parse: the number of errors is bounded", "[parse]") {
  Parsed parsed(inChip(repeat("x 1\n", 1000)));
  Lines errors = parsed.errors();
  REQUIRE(errors.size() == 21);
  CHECK(errors[19].substr(0, 12) == "22:3 E0110 e");
  CHECK(errors[20] == "23:3 E0120 too many errors: only the first 20 are shown");
  CHECK(Parsed(repeat("$ x $\n", 1000)).errors().size() == 21);
  CHECK(Parsed("sysdl 2026\n" + repeat("chip\n", 1000)).errors().size() == 21);
  CHECK(Parsed(inChip(repeat("x = (\n", 1000))).errors().size() <= 21);
}

// Random edits of a valid file: whatever comes out, it comes out located, nested and soon.
TEST_CASE("parse: random edits", "[parse][property]") {
  const std::string valid = R"(sysdl 2026
import std.chips as c
/// Doc.
schema a: b.c { children memory: m; rate: map[F, R]? in 1.. = 3 GB/s source "x" as fitted }
block l for m: model (x: tensor[.., h]) { param w: [h -> f, g]; let y = f(x @ w, k = true); yield y }
design d = base {
  plan { sp = false; recompute = if a then "full {x}" else [x for x in 0..3] }
  require tp * cp == devices as E0510
    else "no"
  pareto min a, max b; top 20 by x
}
)";
  const char* const pieces[] = {
      "{",     "}",   "(",   ")",        "[",  "]",  "\n",   "=",
      ":",     ",",   ";",   "..",       "1",  "+ ", "not ", "if ",
      "then ", "\"",  "{x}", "'",        "//", "/*", "let ", "source \"x\"",
      " GB",   "a/b", "$",   "\xC2\xB5", "->", ".",  "new "};
  std::mt19937 random(2026);
  auto below = [&](size_t bound) { return static_cast<size_t>(random()) % bound; };
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid;
    for (size_t edits = 1 + below(6); edits > 0 && !text.empty(); --edits) {
      size_t at = below(text.size());
      if (below(2) == 0) {
        text.insert(at, pieces[below(std::size(pieces))]);
      } else {
        text.erase(at, 1 + below(12));
      }
    }
    Parsed parsed(text);
    bool bad = false;
    for (const syntax::Node& node : parsed.tree.nodes) bad |= node.kind == syntax::Kind::Bad;
    bool located = true;
    for (const Diagnostic& error : parsed.diagnostics.sorted(parsed.sources)) {
      located &= !error.labels.empty() && error.message.find("internal") == std::string::npos;
    }
    if (!located || !parsed.spansAreNested() || (bad && parsed.diagnostics.empty())) {
      FAIL("round " << round << ":\n" << text);
    }
  }
}
