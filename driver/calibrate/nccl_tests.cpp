// The output of nccl-tests: what its comments say of the run, and a row for each size.
#include <algorithm>
#include <set>
#include <utility>

#include "driver/calibrate/measurements.h"
#include "fmt/format.h"

namespace sysdl::calibrate {
namespace {

std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// What the comments before the rows say.
struct Run {
  std::vector<std::string_view> heading;  // "size", "count", …
  std::string kind;
  int64_t ranks = 0;
  std::set<std::string, std::less<>> hosts;
  bool begun = false;  // rows were read
};

void readComment(const std::vector<std::string_view>& words, Run& run) {
  bool heading = words.size() > 2 && words[1] == "size" && words[2] == "count";
  if (heading) run.heading.assign(words.begin() + 1, words.end());
  // "#  Rank  3 Group  0 Pid  811 on  node1 device  3 [0x9b] NVIDIA H100 80GB HBM3"
  if (words.size() > 2 && words[1] == "Rank" && readNumber(words[2])) {
    // Of a further log in the same file.
    if (std::exchange(run.begun, false)) run.ranks = 0, run.hosts.clear();
    ++run.ranks;
    auto on = std::ranges::find(words, "on");
    if (on != words.end() && on + 1 != words.end()) run.hosts.emplace(*(on + 1));
  }
  // "# Collective test starting: all_reduce_perf"
  auto starting = std::ranges::find(words, "starting:");
  if (starting != words.end() && starting + 1 != words.end())
    run.kind = collectiveNamed(*(starting + 1));
}

class LogReader {
public:
  LogReader(const CollectiveDefaults& defaults, Diagnostics& diagnostics)
      : defaults_(defaults), diagnostics_(diagnostics) {}

  void read(const Line& line) {
    std::vector<std::string_view> words = wordsOf(line.text);
    if (words.front().starts_with('#')) {
      readComment(words, run_);
      return;
    }
    // What the library itself says, with NCCL_DEBUG.
    if (std::ranges::find(words, "NCCL") != words.end()) return;
    if (run_.heading.empty() || !readNumber(words.front())) {
      fault(line, "this is neither a comment nor a row of nccl-tests");
      return;
    }
    readRow(line, words);
  }

  Measurements result;

private:
  Diagnostic& fault(const Line& line, std::string message) {
    return diagnostics_.report(Code::E0906, line.span, std::move(message));
  }

  void readRow(const Line& line, const std::vector<std::string_view>& words) {
    ++result.total;
    run_.begun = true;
    if (!complete(line)) return;
    auto heading = std::ranges::find(run_.heading, "time");
    if (heading == run_.heading.end()) {
      fault(line, "the heading above has no `time`");
      return;
    }
    // Operations and roots are left blank where there are none: columns are counted from the right.
    size_t fromRight = static_cast<size_t>(run_.heading.end() - heading);
    if (words.size() < fromRight + 2) {
      fault(line, fmt::format("this row has {} columns, too few for its heading", words.size()));
      return;
    }
    size_t at = words.size() - fromRight;
    auto bytes = readCount(words[0]);
    auto microseconds = readNumber(words[at]);
    if (!bytes) {
      fault(line, fmt::format("the size `{}` must be a whole number above 0", words[0]))
          .helpText("leave this row out, or let nccl-tests begin at a larger size, by -b");
    }
    if (!microseconds || *microseconds <= 0)
      fault(line, fmt::format("the time `{}` must be a number above 0", words[at]));
    bool wrong = false;
    if (fromRight > 3 && run_.heading[run_.heading.size() - fromRight + 3] == "#wrong") {
      auto count = readNumber(words[at + 3]);
      wrong = count && *count != 0;
      if (wrong) fault(line, "nccl-tests found wrong results here");
    }
    if (!bytes || !microseconds || *microseconds <= 0 || wrong) return;
    Row row;
    row.span = line.span;
    row.line = line.number;
    row.kind = run_.kind.empty() ? defaults_.kind : run_.kind;
    int64_t ranks = run_.ranks > 1 ? run_.ranks : defaults_.ranks;
    auto hosts = static_cast<int64_t>(run_.hosts.size());
    row.sizes = {*bytes, ranks, hosts > 0 && ranks % hosts == 0 ? ranks / hosts : 0};
    row.seconds = *microseconds * 1e-6;
    row.shown = fmt::format("{} of {} B over {} ranks", row.kind, *bytes, ranks);
    result.rows.push_back(std::move(row));
  }

  /// Whether it is known what ran and on how many ranks; said once.
  bool complete(const Line& line) {
    bool kind = !run_.kind.empty() || !defaults_.kind.empty();
    bool ranks = run_.ranks > 1 || defaults_.ranks > 1;
    if (!kind && !std::exchange(saidKind_, true)) {
      fault(line, "the log does not say which collective this is")
          .helpText("add `--collective all_reduce`, or whichever it is");
    }
    if (!ranks && !std::exchange(saidRanks_, true)) {
      fault(line, run_.ranks == 1 ? "one rank alone exchanges nothing"
                                  : "the log does not say how many ranks took part")
          .helpText("add `--ranks N`; lines `# Rank …` of the log say it too");
    }
    return kind && ranks;
  }

  const CollectiveDefaults& defaults_;
  Diagnostics& diagnostics_;
  Run run_;
  bool saidKind_ = false, saidRanks_ = false;
};

}  // namespace

Measurements readNcclTests(const std::vector<Line>& lines, const CollectiveDefaults& defaults,
                           Diagnostics& diagnostics) {
  LogReader reader(defaults, diagnostics);
  for (const Line& line : lines) reader.read(line);
  return std::move(reader.result);
}

}  // namespace sysdl::calibrate
