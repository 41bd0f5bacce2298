// Tables of measured products and collectives: which columns mean what, and what is wrong with a row.
#include "driver/calibrate/measurements.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

namespace sysdl::calibrate {
namespace {

constexpr std::pair<std::string_view, double> kTimeColumns[] = {
    {"time_us", 1e-6},    {"latency_us", 1e-6}, {"time_ms", 1e-3},
    {"latency_ms", 1e-3}, {"time_s", 1},        {"latency_s", 1}};

constexpr std::pair<std::string_view, double> kUnits[] = {
    {"us", 1e-6}, {"ns", 1e-9}, {"ms", 1e-3}, {"s", 1}};

constexpr std::string_view kNoTime =
    "column of times: `time_us`, `latency_us`, `time_ms` or `time_s`, or `value` and `unit`";

/// The names under which logs write a format of the language.
constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"bfloat16", "bf16"}, {"float16", "fp16"},      {"half", "fp16"},    {"f16", "fp16"},
    {"float32", "fp32"},  {"float", "fp32"},        {"f32", "fp32"},     {"float64", "fp64"},
    {"double", "fp64"},   {"e4m3", "fp8"},          {"fp8_e4m3", "fp8"}, {"float8_e4m3fn", "fp8"},
    {"e5m2", "fp8"},      {"float8_e5m2", "fp8"},   {"fp8_e5m2", "fp8"}, {"i8", "int8"},
    {"tf32", "tf32"},     {"tensorfloat32", "tf32"}};

/// A table with the rows that were asked for, and how its times are read.
class Table {
public:
  Table(Loc start, const SourceMap& sources, const Chosen& chosen, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), csv_(readCsv(start, sources, diagnostics)) {
    total_ = csv_.rows.size();
    for (const auto& [column, text] : chosen) choose(column, text);
    for (const auto& [name, scale] : kTimeColumns) {
      if (time_) break;
      time_ = csv_.column({name});
      scale_ = scale;
    }
    if (time_) return;
    time_ = csv_.column({"value"});
    unit_ = csv_.column({"unit"});
    if (!unit_) time_.reset();
  }

  /// The column of one of these names; where there is none, `needed` says what is missing.
  std::optional<size_t> column(const std::vector<std::string_view>& names,
                               std::string_view needed) {
    auto found = csv_.column(names);
    if (!found && !needed.empty()) missing(needed);
    return found;
  }
  /// Whether the heading has all that is needed; reports what is missing, once.
  bool usable() {
    if (csv_.columns.empty()) return false;
    if (!time_) missing(kNoTime);
    if (missing_.empty()) return true;
    std::string known = fmt::format("`{}`", fmt::join(csv_.columns, "`, `"));
    if (known.size() > 400) known.resize(0);
    for (const std::string& what : missing_) {
      diagnostics_.report(Code::E0906, csv_.heading, fmt::format("the table has no {}", what))
          .helpText(known.empty() ? known : "its columns are " + known);
    }
    return false;
  }
  const std::vector<CsvRow>& rows() const { return csv_.rows; }
  size_t total() const { return total_; }

  std::optional<int64_t> count(const CsvRow& row, size_t column) {
    const Cell& cell = row.cells[column];
    auto number = readCount(cell.text);
    if (!number) {
      diagnostics_.report(Code::E0906, cell.span,
                          fmt::format("`{}` is {}, and must be a whole number above 0",
                                      csv_.columns[column], shown(cell)));
    }
    return number;
  }
  /// The measured time of a row, in seconds.
  std::optional<double> seconds(const CsvRow& row) {
    const Cell& cell = row.cells[*time_];
    double scale = scale_;
    if (unit_) {
      const Cell& unit = row.cells[*unit_];
      auto found =
          std::ranges::find(kUnits, unit.text, [](const auto& item) { return item.first; });
      if (found == std::end(kUnits)) {
        diagnostics_.report(
            Code::E0906, unit.span,
            fmt::format("the unit of a time is `s`, `ms`, `us` or `ns`, not {}", shown(unit)));
        return std::nullopt;
      }
      scale = found->second;
    }
    auto number = readNumber(cell.text);
    if (number && *number > 0 && std::isnormal(*number * scale)) return *number * scale;
    diagnostics_.report(Code::E0906, cell.span,
                        fmt::format("the time `{}` is {}, and must be a number above 0",
                                    csv_.columns[*time_], shown(cell)));
    return std::nullopt;
  }

private:
  static std::string shown(const Cell& cell) {
    return cell.text.empty() ? "empty" : fmt::format("`{}`", cell.text);
  }
  void missing(std::string_view what) { missing_.emplace_back(what); }

  void choose(const std::string& column, const std::string& text) {
    if (csv_.columns.empty()) return;
    auto index = csv_.column({lowered(column)});
    if (!index) {
      std::string name = fmt::format("column `{}`, by which `--where` chooses", column);
      missing(name);
      return;
    }
    bool any = !csv_.rows.empty();
    std::erase_if(csv_.rows, [&](const CsvRow& row) { return row.cells[*index].text != text; });
    if (any && csv_.rows.empty()) {
      diagnostics_.report(
          Code::E0906, csv_.heading,
          fmt::format("no row has `{}` in the column `{}`, as `--where` asks", text, column));
    }
  }

  Diagnostics& diagnostics_;
  Csv csv_;
  size_t total_ = 0;
  std::optional<size_t> time_, unit_;
  double scale_ = 1;
  std::vector<std::string> missing_;
};

std::string formatNamed(const std::string& text, const std::vector<std::string>& formats) {
  std::string word = lowered(text);
  if (word.starts_with("torch.")) word = word.substr(6);
  auto alias = std::ranges::find(kFormats, word, [](const auto& item) { return item.first; });
  if (alias != std::end(kFormats)) word = alias->second;
  return std::ranges::find(formats, word) == formats.end() ? std::string() : word;
}

void nothingRead(Loc start, const Measurements& read, Diagnostics& diagnostics) {
  if (read.rows.empty() && !diagnostics.hasErrors())
    diagnostics.report(Code::E0906, {start, start}, "there are no measurements in it");
}

}  // namespace

Measurements readProducts(Loc start, const SourceMap& sources, const Chosen& chosen,
                          const std::vector<std::string>& formats, Diagnostics& diagnostics) {
  Measurements result;
  Table table(start, sources, chosen, diagnostics);
  auto m = table.column({"m"}, "column `m`");
  auto n = table.column({"n"}, "column `n`");
  auto k = table.column({"k"}, "column `k`");
  auto format = table.column({"format", "dtype"}, "column `format` or `dtype`");
  auto batch = table.column({"batch"}, "");
  result.total = table.total();
  if (!table.usable()) return result;
  for (const CsvRow& row : table.rows()) {
    Row product;
    product.span = row.span;
    product.line = row.line;
    // What is not said is one product.
    bool single = !batch || row.cells[*batch].text.empty();
    auto products = single ? std::optional<int64_t>(1) : table.count(row, *batch);
    auto rows = table.count(row, *m), columns = table.count(row, *n), inner = table.count(row, *k);
    const Cell& word = row.cells[*format];
    product.group = formatNamed(word.text, formats);
    if (product.group.empty()) {
      diagnostics
          .report(Code::E0906, word.span,
                  word.text.empty() ? std::string("the format is missing")
                                    : fmt::format("`{}` is not a number format", word.text))
          .helpText(fmt::format("the formats are {}; `--where` chooses the rows to use",
                                fmt::join(formats, ", ")));
    }
    auto seconds = table.seconds(row);
    if (!products || !rows || !columns || !inner || !seconds || product.group.empty()) continue;
    product.sizes = {*products, *rows, *columns, *inner};
    product.seconds = *seconds;
    product.shown =
        fmt::format("{}{} x {} x {}", *products == 1 ? "" : fmt::format("{} of ", *products), *rows,
                    *columns, *inner);
    result.rows.push_back(std::move(product));
  }
  nothingRead(start, result, diagnostics);
  return result;
}

std::string collectiveNamed(std::string_view text) {
  std::string word;
  for (char c : lowered(text)) {
    if (c != '_' && c != '-' && c != ' ') word += c;
  }
  if (word.ends_with("perf")) word.resize(word.size() - 4);
  if (word == "allreduce") return "all_reduce";
  if (word == "allgather") return "all_gather";
  if (word == "reducescatter") return "reduce_scatter";
  if (word == "alltoall") return "all_to_all";
  return {};
}

Measurements readCollectives(Loc start, const SourceMap& sources, const Chosen& chosen,
                             const CollectiveDefaults& defaults, Diagnostics& diagnostics) {
  std::vector<Line> lines = linesOf(start, sources);
  // The heading of nccl-tests is a comment, that of a table is not.
  bool log = std::ranges::any_of(lines, [](const Line& line) {
    return line.text.starts_with('#') && line.text.find("size") != std::string_view::npos &&
           line.text.find("count") != std::string_view::npos;
  });
  Measurements result;
  if (log) {
    if (!chosen.empty()) {
      diagnostics.report(Code::E0906, lines.front().span,
                         "`--where` chooses rows of a table, and this is the output of nccl-tests");
      return result;
    }
    result = readNcclTests(lines, defaults, diagnostics);
    nothingRead(start, result, diagnostics);
    return result;
  }
  Table table(start, sources, chosen, diagnostics);
  auto bytes = table.column({"size_bytes", "bytes", "size"}, "column `size` or `size_bytes`");
  auto kind = table.column({"collective", "op"}, defaults.kind.empty()
                                                     ? "column `collective` or `op`, and "
                                                       "`--collective` is not given either"
                                                     : "");
  auto ranks = table.column(
      {"ranks", "gpus"},
      defaults.ranks == 0 ? "column `ranks` or `gpus`, and `--ranks` is not given either" : "");
  result.total = table.total();
  if (!table.usable()) return result;
  for (const CsvRow& row : table.rows()) {
    Row entry;
    entry.span = row.span;
    entry.line = row.line;
    auto size = table.count(row, *bytes);
    auto members = ranks ? table.count(row, *ranks) : std::optional(defaults.ranks);
    entry.kind = kind ? collectiveNamed(row.cells[*kind].text) : defaults.kind;
    if (entry.kind.empty()) {
      diagnostics
          .report(
              Code::E0906, row.cells[*kind].span,
              fmt::format("`{}` is not a collective that can be calibrated", row.cells[*kind].text))
          .helpText("these are all_reduce, all_gather, reduce_scatter and all_to_all; `--where` "
                    "chooses the rows to use");
    }
    auto seconds = table.seconds(row);
    if (members && *members == 1) {
      diagnostics.report(Code::E0906, row.cells[*ranks].span, "one rank alone exchanges nothing");
      continue;
    }
    if (!size || !members || !seconds || entry.kind.empty()) continue;
    entry.sizes = {*size, *members, 0};
    entry.seconds = *seconds;
    entry.shown = fmt::format("{} of {} B over {} ranks", entry.kind, *size, *members);
    result.rows.push_back(std::move(entry));
  }
  nothingRead(start, result, diagnostics);
  return result;
}

}  // namespace sysdl::calibrate
