// Every shipped example with one line broken, in each of more than twenty typed ways: the right code, on
// that line, and nothing that follows from it.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "driver/commands.h"
#include "driver/session.h"
#include "fmt/format.h"

using namespace sysdl;

namespace {

/// A way to break a line that matches.
struct Mutation {
  const char* name;
  const char* pattern;
  const char* replacement;  // of the match
  const char* codes;        // one of which must be reported first, on that line
  bool alone = true;        // nothing else may be reported
};

const Mutation kMutations[] = {
    {"a missing edition", R"(^sysdl 2026$)", "", "E0101", false},
    {"a newer edition", R"(^sysdl 2026$)", "sysdl 2031", "E0102", false},
    {"a misspelt module", R"(^import std\.(\w+))", "import std.$1x", "E0203"},
    {"a misspelt declaration of a module", R"( = ([a-z]\w*)\.(\w+)$)", " = $1.$2x", "E0201"},
    {"a misspelt kind", R"(^(design|chip|network|schema) )", "$1x ", "E0110 E0202", false},
    {"a kind in the place of another", R"(^design (\w+) =)", "chip $1 =", "E0305", false},
    {"a misspelt field",
     R"(^( +)(batch|take|microbatch|node_price|precision|recompute|tokens|horizon|cores|power) )",
     "$1$2x ", "E0301", false},
    {"a misspelt part", R"(^( +)(plan|cost|workload) )", "$1$2x ", "E0301 E0202 E0110", false},
    {"a missing unit", R"((\d[\d_.]*) (USD|year|GB/s|GiB|us|W|TFLOP/s|s|token)\b(?!/))", "$1",
     "E0403 E0402", false},
    {"a unit of another dimension", R"((\d[\d_.]*) (USD|year|GB/s|GiB|us|W|TFLOP/s)\b(?!/))",
     "$1 K", "E0402", false},
    {"a misspelt unit", R"((\d[\d_.]*) (USD|year|GB/s|GiB|us|W|TFLOP/s|s|token)\b)", "$1 $2x",
     "E0401", false},
    {"a unit without a number", R"(= \d[\d_.]* (USD|year|GB/s|GiB|us|W|TFLOP/s|token)\b)", "= $1",
     "E0404", false},
    {"no space before a unit", R"((\d[\d_.]*) (USD|year|GB/s|GiB|us|W|TFLOP/s|token)\b)", "$1$2",
     "E0110", false},
    {"a fraction where a count stands", R"(^( +(?:batch|microbatch|take|tp|pp|layers)) = (\d+)$)",
     "$1 = $2.5", "E0411 E0514", false},
    {"text where a count stands", R"(^( +(?:batch|microbatch|take|tp|pp|layers)) = (\d+)$)",
     "$1 = \"$2\"", "E0305"},
    {"a number that is too large", R"(^( +(?:batch|microbatch|take|tp|pp|layers)) = (\d+)$)",
     "$1 = 99_999_999_999_999_999_999", "E0410", false},
    {"a count of zero", R"(^( +(?:microbatch|tp|pp|layers)) = (\d+)$)", "$1 = 0", "E0309", false},
    {"a negative count", R"(^( +(?:microbatch|tp|pp|layers)) = (\d+)$)", "$1 = -1", "E0309", false},
    {"a setting that is made twice", R"(^( +(?:batch|microbatch|take|tp|pp|layers)) = (\d+)$)",
     "$1 = $2; $1 = $2", "E0303"},
    {"a value that depends on itself", R"(^( +(batch|tp|pp)) = (\d+)$)", "$1 = $2 + 1",
     "E0201 E0310", false},
    {"a comparison where a setting stands", R"(^( +\w+) = (\S+)$)", "$1 == $2", "E0110"},
    {"a line that runs on", R"(^( +\w+) = (\d+)$)", "$1 = $2 *", "E0112", false},
    {"an assignment without a value", R"(^( +\w+) = (\d+)$)", "$1 =", "E0110 E0112", false},
    {"a bracket that stays open", R"(\(([a-z_0-9]+)\)$)", "($1", "E0111 E0110", false},
    {"a brace that stays open", R"(^(  \w+) \{$)", "$1 { {", "E0110 E0111", false},
    {"a word in an unknown spelling", R"(^( +recompute) = (\w+)$)", "$1 = $2x", "E0201"},
    {"a word as text", R"(^( +recompute) = (\w+)$)", "$1 = \"$2\"", "E0305"},
    {"a truth value where a count stands", R"(^( +(?:batch|microbatch|take|tp|pp)) = (\d+)$)",
     "$1 = true", "E0305"},
    {"a count where a truth value stands", R"(^( +sp) = true$)", "$1 = 1", "E0305"},
    {"a tensor parallel degree that fits nothing", R"(^( +tp) = \d+$)", "$1 = 23", "E0510 E0512",
     false},
    {"a pipeline that fits nothing", R"(^( +pp) = \d+$)", "$1 = 23", "E0510 E0515", false},
    {"a batch that does not divide", R"(^( +batch) = \d+$)", "$1 = 9_973", "E0514 E0515", false},
    {"a result that is set", R"(^( +)(tp|batch|take|microbatch) = (\d+)$)",
     "$1$2 = $3; require step_tim < 1 s", "E0201", false},
    {"text that stays open", "\"([^\"]*)\"$", "\"$1", "E0110", false},
    {"a letter of another alphabet", R"(^( +)(\w+) = (\d+)$)", "$1\xd1\x82$2 = $3", "E0110", false},
    {"an operator that is not one", R"(^( +\w+) = (\d+)$)", "$1 = $2 ? 1", "E0110", false},
    {"a closing brace too many", R"(^( +\w+) = (\d+)$)", "$1 = $2 }", "E0110 E0111", false},
    {"a schema that is called like a function", R"(^( +schedule) = interleaved\()",
     "$1 = interleavd(", "E0201"},
    {"an argument of another name", R"(\(chunks = )", "(chunk = ", "E0301", false},
    {"a misspelt file", R"(^import "(\w+)\.sysdl"$)", "import \"$1x.sysdl\"", "E0203"},
    {"a file outside of text", R"x(^import "(\w+\.sysdl)"$)x", "import $1", "E0203 E0110", false},
    {"a misspelt name before a point", R"(^explore (\w+) = (\w+)\.)", "explore $1 = $2x.", "E0201"},
    {"a misspelt name behind a point", R"(^explore (\w+) = (\w+)\.(\w+) )", "explore $1 = $2.$3x ",
     "E0201"},
    {"a sweep of a misspelt field", R"(^  sweep (\w+)\.(\w+) in)", "  sweep $1.$2x in", "E0301"},
    {"a sweep of a misspelt part", R"(^  sweep (\w+)\.(\w+) in)", "  sweep $1x.$2 in", "E0301"},
    {"a sweep of a result", R"(^  sweep plan\.zero in)", "  sweep step_time in", "E0304"},
    {"a sweep through no list", R"(^  sweep plan\.zero in 0\.\.1$)", "  sweep plan.zero in 1",
     "E0305"},
    {"a sweep with text", R"(^  sweep plan\.tp in \[1, 2)", "  sweep plan.tp in [1, \"2\"",
     "E0305"},
    {"a sweep of one field twice", R"(^  sweep plan\.zero in 0\.\.1$)",
     "  sweep plan.zero in 0..1; sweep plan.zero in 0..1", "E0303"},
    {"a misspelt function", R"(divisors\((\d+)\))", "divisor($1)", "E0201"},
    {"a function of another kind of value", R"(divisors\((\d+)\))", "divisors(\"$1\")",
     "E0305 E0313"},
    {"one argument too many", R"(divisors\((\d+)\))", "divisors($1, 2)", "E0313"},
    {"a filter by a misspelt name", R"(^  keep where fits$)", "  keep where fitss", "E0201"},
    {"a filter that is no condition", R"(^  keep where fits$)", "  keep where step_time", "E0502"},
    {"a goal by a misspelt name", R"(^  pareto min step_time,)", "  pareto min step_tim,", "E0201"},
    {"a goal without a direction", R"(^  pareto min step_time,)", "  pareto step_time,", "E0110"},
    {"a rank by a misspelt name", R"(^  top 20 by step_time$)", "  top 20 by step_tim", "E0201"},
    {"a rank without a number", R"(^  top 20 by step_time$)", "  top by step_time", "E0110"},
    {"a plot of a misspelt name", R"(^  plot step_time against)", "  plot step_tim against",
     "E0201"},
    {"a plot against nothing", R"(^  plot step_time against .*$)", "  plot step_time", "E0110"},
    {"a misspelt statement", R"(^  expect )", "  expct ", "E0110", false},
    {"an expectation that sets", R"(^(  expect [^=<>]*) == )", "$1 = ", "E0110", false},
    {"an expectation of a misspelt record", R"(^  expect ([A-Za-z]\w+)\.)", "  expect $1x.",
     "E0201"},
    {"an expectation of a misspelt field", R"(^(  expect [A-Za-z]\w+\.\w+) ([=<>]))", "$1x $2",
     "E0301 E0314", false},
    {"a tolerance of nothing", R"( within \S+$)", " within", "E0110 E0112", false},
    {"a tolerance of another dimension", R"( within \S+$)", " within 1 K", "E0402", false},
    {"a misspelt base", R"(^((?:abstract )?schema \w+): (\w+) \{)", "$1: $2x {", "E0202", false},
    {"a misspelt type", R"(^(  derived \w+): (\w+) =)", "$1: $2x =", "E0202", false},
    {"a field without a type", R"(^(  derived \w+): (\w+) =)", "$1 =", "E0110", false},
    {"a type of another dimension", R"(^(  derived \w+): (Real|Money|Time|Data|Work) = )",
     "$1: Temperature = ", "E0402 E0403", false},
    {"a shard over a misspelt axis", R"(^(  shard .* over) (\w+)$)", "$1 $2x", "E0201 E0516",
     false},
    {"a misspelt stored thing", R"(^  store (\w+) over)", "  store $1x over", "E0201 E0305", false},
    {"a misspelt type of a field", R"(^  (\w+): (Money|Area|Time|Real|Int|Price) =)",
     "  $1: $2x =", "E0202", false},
    {"a default of another kind", R"(^  (\w+): (Int|Real|Money|Time) = [\d_.]+.*$)",
     "  $1: $2 = \"x\"", "E0305", false},
    {"a function without a type", R"(^fn (\w+)\((.*)\): (\w+) =)", "fn $1($2) =", "E0110", false},
    {"a misspelt type of a parameter", R"(\b(\w+): Int,)", "$1: Intx,", "E0202", false},
    {"a function of another name", R"(\b(sum|product|min|max|ceil|floor)\()", "$1x(", "E0201",
     false},
    {"a parenthesis too few", R"(^(  (?:expect|derived) .*)\)$)", "$1", "E0111 E0110", false},
    {"a parenthesis too many", R"(^(  (?:expect|derived) .*)\)$)", "$1))", "E0110", false},
    {"a misspelt role", R"(^  derived (\w+): )", "  drived $1: ", "E0110", false},
    {"an operator twice", R"( \* )", " ** ", "E0110", false},
    {"an operator of another language", R"( \* )", " % ", "E0110 E0313", false},
    {"an operand that is missing", R"( \* (\w+)$)", " *", "E0110 E0112", false},
    {"an unknown origin", R"( as (assumed|datasheet|fitted|measured)$)", " as guessed",
     "E0305 E0201 E0110", false},
    {"a setting of a misspelt child", R"(^( +)die (\w+) \{)", "$1dye $2 {", "E0301", false},
    {"a word behind a value", R"(^( +\w+ = [\w.]+)$)", "$1 more", "E0110 E0401", false},
    {"a semicolon in a value", R"(^( +\w+) = ([\w.]+)$)", "$1 =; $2", "E0110 E0112", false},
    {"a hash for a comment", R"(^( +\w+ = [\w.]+)$)", "$1  # why", "E0110", false},
    {"a word of another language", R"(^( +)(\w+ = [\w.]+)$)", "$1const $2", "E0110 E0301", false},
};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Found {
  std::string codes;  // "E0301:12 …", as they are shown
  std::string first;
  uint32_t line = 0;
  std::string others;  // other places that the first error names, as "path:12"
  size_t errors = 0;
};

Found checked(const std::string& path, const std::string& text) {
  Session session;
  session.openText(path, text);
  checkAll(session);
  Found found;
  for (const Diagnostic& d : session.diagnostics.sorted(session.sources)) {
    LineColumn at =
        d.labels.empty() ? LineColumn{} : session.sources.resolve(d.labels.front().span.begin);
    if (d.labels.empty()) found.codes += " (nowhere)";
    found.codes += fmt::format(" {}:{}", nameOf(d.code), at.line);
    if (severityOf(d.code) != Severity::Error) continue;
    if (++found.errors > 1) continue;
    found.first = nameOf(d.code);
    found.line = at.path == path ? at.line : 0;
    for (const std::string& note : d.notes) found.others += note + "\n";
  }
  return found;
}

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SYSDL_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".sysdl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The places where a mutation applies: at most three of a file, the first and the last among them.
std::vector<size_t> placesOf(const std::vector<std::string>& lines, const std::regex& pattern) {
  std::vector<size_t> places;
  for (size_t i = 0; i < lines.size(); ++i) {
    bool prose =
        lines[i].find("//") != std::string::npos || lines[i].find("source \"") != std::string::npos;
    if (!prose && std::regex_search(lines[i], pattern)) places.push_back(i);
  }
  if (places.size() > 3) places = {places.front(), places[places.size() / 2], places.back()};
  return places;
}

}  // namespace

TEST_CASE("examples with one line broken give the right code on the right line", "[mutation]") {
  for (const auto& path : examples()) {
    const std::string text = read(path);
    const std::vector<std::string> lines = linesOf(text);
    REQUIRE(checked(path.string(), text).errors == 0);
    size_t ways = 0;
    for (const Mutation& mutation : kMutations) {
      const std::regex pattern(mutation.pattern);
      std::vector<size_t> places = placesOf(lines, pattern);
      ways += !places.empty();
      for (size_t place : places) {
        std::vector<std::string> broken = lines;
        broken[place] = std::regex_replace(lines[place], pattern, mutation.replacement,
                                           std::regex_constants::format_first_only);
        Found found = checked(path.string(), joined(broken));
        INFO(path.string() << ":" << place + 1 << ": " << mutation.name << "\n  " << lines[place]
                           << "\n  " << broken[place] << "\n  found" << found.codes);
        bool right = !found.first.empty() &&
                     std::string(mutation.codes).find(found.first) != std::string::npos;
        CHECK(right);
        // What is missing is noticed at what follows.
        // Of several inputs that break a rule together, one is blamed and the others are listed.
        std::string here = fmt::format("{}:{}\n", path.string(), place + 1);
        bool named = found.line == place + 1 || found.others.find(here) != std::string::npos;
        if (!broken[place].empty()) CHECK(named);
        if (mutation.alone) CHECK(found.errors == 1);
      }
    }
    INFO(path.string());
    CHECK(ways >= 20);
  }
}
