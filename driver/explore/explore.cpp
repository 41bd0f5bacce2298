// `sysdlc explore`: the points of an exploration, filtered, ranked and counted.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explore/exploration.h"
#include "driver/explore/journal.h"
#include "driver/explore/run.h"
#include "driver/explore/selection.h"
#include "driver/explore/table.h"
#include "driver/input_hash.h"
#include "fmt/format.h"
#include "stdlib/embedded.h"

namespace sysdl {
namespace {

using Clock = std::chrono::steady_clock;

/// "1,234,567"
std::string counted(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

/// Standard output, or the file of `--output`; a file that cannot be written is said once.
class Target {
public:
  Target(const Options& options, Output& output) : path_(options.output), output_(output) {
    if (!path_.empty()) file_.open(path_, std::ios::binary | std::ios::trunc);
  }
  void write(std::string_view text) {
    if (path_.empty())
      output_.results(text);
    else
      file_.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  }
  bool good() const { return path_.empty() || file_.good(); }

private:
  std::string path_;
  Output& output_;
  std::ofstream file_;
};

class Run {
public:
  Run(const Options& options, Output& output, const Exploration& exploration)
      : options_(options), output_(output), exploration_(exploration),
        wanted_(exploration.wanted()), selection_(wanted_, options.all), target_(options, output) {
    for (const Column& column : exploration.columns()) headers_.push_back(column.header);
    streams_ = options.table == "csv" && !selection_.waits();
    if (options.table == "csv") target_.write(csvHeader(headers_));
  }

  bool take(ChunkResult&& chunk) {
    points_ += chunk.size;
    left_ += chunk.left;
    for (const auto& [refusal, count] : chunk.refusals) {
      refusals_[refusal] += count;
      refused_ += count;
    }
    std::string lines;
    for (Row& row : chunk.rows) {
      ++survivors_;
      if (options_.table == "svg") {
        dots_.push_back({row.keys[row.keys.size() - 2], row.keys.back(), false});
        indices_.push_back(row.index);
      }
      if (streams_)
        lines += csvLine(row);
      else
        selection_.add(std::move(row));
    }
    if (!lines.empty()) target_.write(lines);
    progress();
    return target_.good();
  }

  /// Prints what waited for the end.
  void finish(const std::vector<OpenedFile>& files) {
    endProgress();
    std::vector<Row> rows = selection_.finish();
    if (options_.format == Format::Json) return target_.write(json(rows, files));
    if (options_.table == "svg") {
      for (const Row& row : rows) {
        auto dot = std::ranges::lower_bound(indices_, row.index) - indices_.begin();
        dots_[static_cast<size_t>(dot)].chosen = selection_.waits();
      }
      if (!dots_.empty())
        target_.write(plotSvg(std::string(exploration_.name()), wanted_, std::move(dots_)));
    } else if (options_.table == "csv") {
      std::string lines;
      for (const Row& row : rows) lines += csvLine(row);
      target_.write(lines);
    } else if (!rows.empty()) {
      target_.write(tableText(headers_, rows));
    }
    output_.diagnostics(summary());
  }

  void endProgress() {
    if (shown_) output_.diagnostics("\r\x1b[K");
    shown_ = false;
  }
  bool nothing() const { return survivors_ == 0; }
  bool good() const { return target_.good(); }

  std::string summary() const {
    std::string text = fmt::format("{}: {} points, {} kept", exploration_.name(), counted(points_),
                                   counted(survivors_));
    if (left_ > 0) text += fmt::format(", {} left by `keep where`", counted(left_));
    if (refused_ > 0) text += fmt::format(", {} refused:", counted(refused_));
    text += "\n";
    for (const auto& [refusal, count] : refusals_) {
      text += fmt::format("{:>10}  {}  {}\n", counted(count), refusal.first, refusal.second);
    }
    return text;
  }

private:
  std::string json(const std::vector<Row>& rows, const std::vector<OpenedFile>& files) const {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "explore", options_.paths);
    json.member("exploration", exploration_.name());
    json.member("points", points_);
    json.member("kept", survivors_);
    json.member("left", left_);
    json.key("refused");
    json.beginArray();
    for (const auto& [refusal, count] : refusals_) {
      json.beginObject(JsonWriter::Inline);
      json.member("code", refusal.first);
      json.member("rule", refusal.second);
      json.member("count", count);
      json.endObject();
    }
    json.endArray();
    json.key("columns");
    json.beginArray(JsonWriter::Inline);
    for (const std::string& header : headers_) json.value(header);
    json.endArray();
    json.key("rows");
    json.beginArray();
    for (const Row& row : rows) {
      json.beginArray(JsonWriter::Inline);
      for (const Cell& cell : row.cells) {
        if (cell.bare.empty())
          json.null();
        else if (cell.isNumber || cell.bare == "true" || cell.bare == "false")
          json.raw(cell.bare);
        else
          json.value(cell.bare);
      }
      json.endArray();
    }
    json.endArray();
    return finishEnvelope(json, files, options_);
  }

  void progress() {
    if (!isatty(STDERR_FILENO) || Clock::now() - last_ < std::chrono::milliseconds(200)) return;
    last_ = Clock::now();
    shown_ = true;
    output_.diagnostics(fmt::format("\r\x1b[K{}: {} points, {} kept", exploration_.name(),
                                    counted(points_), counted(survivors_)));
  }

  const Options& options_;
  Output& output_;
  const Exploration& exploration_;
  const Wanted& wanted_;
  Selection selection_;
  Target target_;
  std::vector<std::string> headers_;
  bool streams_ = false, shown_ = false;
  Clock::time_point last_ = Clock::now();
  uint64_t points_ = 0, left_ = 0, refused_ = 0, survivors_ = 0;
  Refusals refusals_;
  std::vector<Dot> dots_;
  std::vector<uint64_t> indices_;
};

Exit cannot(const Options& options, Output& output, const std::string& message,
            std::string help = {}) {
  return refuse(Diagnostic{Code::E0901, message, {}, {}, std::move(help), {}}, options, output);
}

}  // namespace

Exit runExplore(const Options& options, Output& output) {
  OpenedExploration opened = openExploration(options);
  std::vector<OpenedFile> files;
  files.push_back(std::move(opened.file));
  Session& session = *files.front().session;
  Exploration* exploration = opened.exploration.get();
  if (exploration && options.table == "svg" && !exploration->wanted().plots) {
    session.diagnostics.report(Code::E0903, exploration->span(), "this exploration plots nothing")
        .helpText("add what to show, as in `plot step_time against cost.per_million_tokens`");
    exploration = nullptr;
  }
  if (!exploration) {
    if (options.format == Format::Json) {
      JsonWriter json;
      json.beginObject();
      writeEnvelope(json, "explore", options.paths);
      output.results(finishEnvelope(json, files, options));
    }
    return conclude(files, options, output);
  }

  std::string statePath = options.output + ".state", why;
  std::string key =
      fmt::format("{} {} {} {} {} {}", inputHash(files, {}), SYSDL_VERSION, stdlib::kVersion,
                  exploration->name(), options.table, options.all ? "all" : "chosen");
  std::vector<ChunkResult> before;
  RunRequest request{options, 0, options.jobs, options.table != "text", opened.text};
  bool same = true;
  Journal journal;
  if (options.resume) {
    // Twice: a state of another run must not touch the output.
    request.first = Journal::replay(statePath, key, same, [](ChunkResult&&) {});
  }
  if (!same) {
    return cannot(options, output,
                  fmt::format("`{}` belongs to another file, exploration or format", statePath),
                  "leave out `--resume` to start again");
  }
  if (!options.output.empty() && !journal.open(statePath, key, request.first > 0, why)) {
    return cannot(options, output, fmt::format("cannot write `{}`: {}", statePath, why));
  }
  Run run(options, output, *exploration);
  if (request.first > 0)
    Journal::replay(statePath, key, same, [&](ChunkResult&& chunk) { run.take(std::move(chunk)); });
  std::unique_ptr<OpenedExploration> failed;
  runExploration(request, [&](ChunkResult&& chunk) {
    failed = std::move(chunk.failed);
    if (!options.output.empty() && !failed && !journal.add(chunk)) return false;
    return run.take(std::move(chunk));
  });
  if (!run.good()) return cannot(options, output, fmt::format("cannot write `{}`", options.output));
  if (failed) {
    run.endProgress();
    files.clear();
    files.push_back(std::move(failed->file));
  } else if (run.nothing()) {
    session.diagnostics
        .report(Code::E0903, exploration->span(), "no point of this exploration is left",
                "all were refused or left")
        .helpText("widen a sweep, or change what the rules that refuse them read");
  }
  run.finish(files);
  if (!options.output.empty()) journal.remove();
  return conclude(files, options, output);
}

}  // namespace sysdl
