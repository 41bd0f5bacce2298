// Comma-separated tables, read with the place of each cell.
#include "driver/calibrate/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fmt/format.h"

namespace sysdl::calibrate {
namespace {

constexpr std::string_view kBlanks = " \t\r";

Loc after(Loc loc, size_t bytes) { return {loc.offset + static_cast<uint32_t>(bytes)}; }

/// The cells of a line; nothing where a quote is not closed.
std::optional<std::vector<Cell>> split(const Line& line) {
  std::vector<Cell> cells;
  std::string_view text = line.text;
  for (size_t at = 0;; ++at) {
    size_t begin = text.find_first_not_of(" \t", at);
    if (begin != std::string_view::npos && text[begin] == '"') {
      std::string content;
      size_t end = begin + 1;
      for (; end < text.size(); ++end) {
        bool doubled = text[end] == '"' && end + 1 < text.size() && text[end + 1] == '"';
        if (text[end] == '"' && !doubled) break;
        content += text[end];
        end += doubled ? 1 : 0;
      }
      if (end >= text.size()) return std::nullopt;
      cells.push_back({content, {after(line.span.begin, begin), after(line.span.begin, end + 1)}});
      at = text.find(',', end);
    } else {
      size_t end = std::min(text.find(',', at), text.size());
      std::string_view content = trimmed(text.substr(at, end - at));
      Cell cell{std::string(content), line.span};
      if (!content.empty()) {
        size_t offset = static_cast<size_t>(content.data() - text.data());
        cell.span = {after(line.span.begin, offset),
                     after(line.span.begin, offset + content.size())};
      }
      cells.push_back(std::move(cell));
      at = end == text.size() ? std::string_view::npos : end;
    }
    if (at == std::string_view::npos) return cells;
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<double> readNumber(std::string_view text) {
  double number = 0;
  auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && stopped == text.data() + text.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> readCount(std::string_view text) {
  auto number = readNumber(text);
  // Above 2^53 a double does not hold every whole number, and no size is that large.
  bool counts = number && *number >= 1 && *number <= 0x1p53 && std::trunc(*number) == *number;
  return counts ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

std::vector<Line> linesOf(Loc start, const SourceMap& sources) {
  std::string_view text = sources.fileText(start);
  std::vector<Line> lines;
  size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark
  for (uint32_t number = 1; at < text.size(); ++number) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!trimmed(line).empty())
      lines.push_back({line, {after(start, at), after(start, at + line.size())}, number});
    at = end + 1;
  }
  return lines;
}

std::optional<size_t> Csv::column(const std::vector<std::string_view>& names) const {
  for (std::string_view name : names) {
    auto found = std::ranges::find(columns, name);
    if (found != columns.end()) return static_cast<size_t>(found - columns.begin());
  }
  return std::nullopt;
}

Csv readCsv(Loc start, const SourceMap& sources, Diagnostics& diagnostics) {
  Csv csv;
  std::vector<Line> lines = linesOf(start, sources);
  if (sources.fileText(start).find('\0') != std::string_view::npos) {
    diagnostics.report(Code::E0906, {start, start}, "this is no text: it holds a zero byte");
    return csv;
  }
  if (lines.empty()) {
    diagnostics.report(Code::E0906, {start, start}, "the table is empty")
        .helpText("its first line names the columns");
    return csv;
  }
  for (const Line& line : lines) {
    auto cells = split(line);
    if (!cells) {
      diagnostics.report(Code::E0906, line.span, "a quote is not closed on its line");
      continue;
    }
    if (csv.columns.empty()) {
      csv.heading = line.span;
      for (const Cell& cell : *cells) {
        std::string name = lowered(cell.text);
        if (!name.empty() && std::ranges::find(csv.columns, name) != csv.columns.end()) {
          diagnostics.report(Code::E0906, cell.span,
                             fmt::format("there are two columns `{}`", name));
        }
        csv.columns.push_back(std::move(name));
      }
      continue;
    }
    if (cells->size() != csv.columns.size()) {
      diagnostics.report(Code::E0906, line.span,
                         fmt::format("this row has {} cells, and the table {} columns",
                                     cells->size(), csv.columns.size()));
      continue;
    }
    csv.rows.push_back({std::move(*cells), line.span, line.number});
  }
  return csv;
}

}  // namespace sysdl::calibrate
