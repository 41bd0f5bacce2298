// The formatter: what is formatted stays as it is, the tree does not change, no comment is lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "frontend/syntax/format.h"
#include "tests/unit/parse_support.h"

namespace sysdl::test {
namespace {

std::string formatted(const Parsed& parsed) {
  return syntax::format(parsed.tree, parsed.sources, parsed.names);
}

std::string formatted(const std::string& text) {
  Parsed parsed(text);
  REQUIRE(parsed.errors().empty());
  return formatted(parsed);
}

std::string treeOf(const Parsed& parsed) {
  return syntax::dump(parsed.tree, parsed.sources, parsed.names, /*places=*/false);
}

/// The comments of a file, sorted: one before a comma may come to stand after it.
std::vector<std::string> commentsOf(const Parsed& parsed) {
  std::vector<std::string> texts;
  for (const syntax::Comment& comment : parsed.tree.comments) {
    std::string text(parsed.sources.text(comment.span));
    text.erase(text.find_last_not_of(" \t") + 1);
    texts.push_back(text);
  }
  std::ranges::sort(texts);
  return texts;
}

/// Formats a text twice and compares trees, comments and texts.
void checkFormat(const std::string& text) {
  Parsed before(text);
  std::string once = formatted(before);
  Parsed after(once);
  INFO(text);
  INFO("formatted:\n" + once);
  REQUIRE(after.errors().empty());
  REQUIRE(treeOf(after) == treeOf(before));
  REQUIRE(commentsOf(after) == commentsOf(before));
  REQUIRE(formatted(after) == once);
  // Files of many lines have no blanks at line ends, no two blank lines together.
  REQUIRE(once.find(" \n") == std::string::npos);
  REQUIRE(once.find("\n\n\n") == std::string::npos);
  REQUIRE(once.find('\r') == std::string::npos);
}

std::vector<std::string> shippedFiles() {
  std::vector<std::string> paths;
  for (const char* folder : {"stdlib", "examples"}) {
    auto root = std::filesystem::path(SYSDL_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".sysdl") paths.push_back(entry.path().string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Something of every construct, in few lines.
constexpr const char* kEverything = R"(sysdl 2026
import std.units
import "a.sysdl" as a
dimension Speed = Length / Time
unit knot: Speed = 1_852 m / (3_600 s) prefixes decimal, binary
enum Grade { low, high }
abstract schema s: base {
  source "there" as fitted
  children part: piece
  x: Int in 1.. = 2 * y source "here" as assumed
  derived result y: map[Grade, list[Real]]?
  let z = if x > 1 then [1, 2] else if not x == -3 then [4 GB/s, 5%] else []
  require x <= 3 and y[low] == 4 as E0510
    else "x is {x + 1} \"{{\""
  warn if x mod 2 == 0: "even"
  mesh dense = [tp, dp]
  shard heads, ffn over tp if sp where residual
  store weights over dp if zero >= 1
  stages over pp
}
operator f(x: tensor[.., hidden], y: list[tensor] = [a]) { nonlinear; saves = [x] }
block b for m: gpt.gpt (x: tensor[batch, seq]) {
  param w: [experts: hidden -> heads, head_dim]
  fuse w, w
  yield f(x @ w, kernel = m.kernel) + (x * 2) ^ 2
}
fn g(a: Int, b: Int): Real = a / b
design d = base.other { plan.tp = 4; new memory host { capacity = 1 GB }; drop memory l2; cost {} }
explore e = d {
  sweep plan.tp in [1, 2, 4]
  sweep plan.zero in 0..1
  keep where fits
  pareto min step_time, max price
  top 20 by step_time
  plot step_time against price
}
test "title" {
  expect (d { plan { sp = false; recompute = full } }).step_time == 18.13 s within 5%
  expect sum([f(x)[0] for x in e if x > 1]) < 3
}
)";

TEST_CASE("shipped files are formatted") {
  for (const std::string& path : shippedFiles()) {
    INFO(path);
    std::string text = readFile(path);
    checkFormat(text);
    CHECK(formatted(text) == text);
  }
}

TEST_CASE("every construct keeps its tree") { checkFormat(kEverything); }

/// Spoils the layout of a text at random, leaving its meaning: blanks, newlines and comments where
/// the language allows them.
class Spoiler {
public:
  explicit Spoiler(uint32_t seed) : random_(seed) {}

  std::string spoil(const std::string& text) {
    std::string out;
    bool windows = chance(5);
    if (chance(5)) out += "\xEF\xBB\xBF";
    depth_.clear();
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (c == '/' && text.compare(i, 2, "//") == 0) {
        size_t end = text.find('\n', i);
        out.append(text, i, end - i);
        i = end - 1;
        continue;
      }
      if (c == '"') {
        size_t end = i + 1;
        while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        out.append(text, i, end + 1 - i);
        i = end;
        continue;
      }
      if (c == '\n') {
        lineEnd(out);
        continue;
      }
      if (c == '(' || c == '[' || c == '{') depth_.push_back(c);
      if (c == ')' || c == ']' || c == '}') {
        depth_.pop_back();
        if (c != '}' && inBrackets()) gap(out);
      }
      out += c;
      if (c == '{') lineEnd(out);
      if (c == ',' && inBrackets()) gap(out);
      // A newline inside of brackets means nothing, but a number and its unit stay together.
      bool digit = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
      if (c == ' ' && !digit && (inBrackets() || goesOn(text, i))) gap(out);
    }
    if (chance(3)) out += "// the end";
    if (!windows) return out;
    std::string crlf;
    for (char c : out) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    return crlf;
  }

private:
  bool chance(uint32_t of) { return random_() % of == 0; }
  /// Whether a statement goes on after a newline at this space.
  static bool goesOn(const std::string& text, size_t at) {
    bool before = text.compare(at, 5, " then") == 0 || text.compare(at, 5, " else") == 0;
    bool after = at > 1 && text[at - 2] == ' ' &&
                 std::string_view("=+*@<").find(text[at - 1]) != std::string_view::npos;
    return before || after;
  }
  bool inBrackets() const { return !depth_.empty() && depth_.back() != '{'; }

  void gap(std::string& out) {
    if (!chance(8)) return;
    if (chance(2)) out += "  // gap " + std::to_string(random_() % 100);
    out += chance(3) ? "\n\n\t" : "\n";
    if (chance(4)) out += "//own line  \n";
  }

  void lineEnd(std::string& out) {
    if (chance(6)) out += "   ";
    if (chance(10)) out += "// after " + std::to_string(random_() % 100) + " \t";
    do {
      out += '\n';
      if (chance(12)) out += "  /// own " + std::to_string(random_() % 100) + "\n";
      if (chance(4)) out += std::string(random_() % 9, ' ');
    } while (chance(6));
  }

  std::mt19937 random_;
  std::vector<char> depth_;
};

TEST_CASE("a spoilt layout is formatted as well") {
  std::vector<std::string> texts{kEverything};
  for (const std::string& path : shippedFiles()) texts.push_back(readFile(path));
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string& text = texts[seed % 2 == 0 ? 0 : seed % texts.size()];
    std::string spoilt = Spoiler(seed).spoil(text);
    INFO("seed " << seed);
    Parsed parsed(spoilt);
    REQUIRE(parsed.errors() == std::vector<std::string>{});
    checkFormat(spoilt);
  }
}

TEST_CASE("comments stay where they are") {
  const char* text = R"(// above
sysdl 2026  // edition

// of the import
import std.units

chip A {  // after the brace
  // first
  x = [
    1,  // one
    // before two
    2,  // two
    // last
  ]

  y = if a then b { z = 1 }
  // between
  else c
  // before the brace
}  // after it

// the end
)";
  std::string out = formatted(std::string(text));
  for (const char* kept : {"// above\nsysdl 2026  // edition\n", "chip A {  // after the brace\n",
                           "    1,  // one\n    // before two\n    2,  // two\n    // last\n  ]\n",
                           "  // before the brace\n}  // after it\n\n// the end\n"}) {
    INFO(out);
    CHECK(out.find(kept) != std::string::npos);
  }
  checkFormat(text);
}

TEST_CASE("braces, semicolons and long lines") {
  CHECK(formatted("sysdl 2026;\nimport std.a\nchip A=B{x=1 GB;y=2}\nchip C = B {\n\n x=1\n\n}\n"
                  "bus D{}\nbus E = F{ x=1 }") ==
        "sysdl 2026\n\nimport std.a\n\nchip A = B {\n  x = 1 GB\n  y = 2\n}\n\n"
        "chip C = B {\n  x = 1\n}\n\nbus D {}\nbus E = F { x = 1 }\n");
  std::string name(50, 'n');
  CHECK(formatted("sysdl 2026\na b = f(" + name + ", " + name + ", " + name + ")") ==
        "sysdl 2026\n\na b = f(" + name + ", " + name + ",\n  " + name + ")\n");
  CHECK(formatted("sysdl 2026\na b = " + name + "+" + name + "*2+" + name) ==
        "sysdl 2026\n\na b =\n  " + name + " +\n  " + name + " * 2 +\n  " + name + "\n");
  CHECK(formatted("sysdl 2026\na b = (" + name + "+" + name + "+" + name + ")") ==
        "sysdl 2026\n\na b = (\n  " + name + "\n  + " + name + "\n  + " + name + "\n)\n");
}

}  // namespace
}  // namespace sysdl::test
