// Rows of an exploration as CSV and as a table for people.
#include "driver/explore/table.h"

#include <algorithm>

#include "driver/render/utf8.h"

namespace sysdl {
namespace {

/// Quoted where CSV needs it (RFC 4180).
std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string csvHeader(const std::vector<std::string>& headers) {
  std::string line;
  for (const std::string& header : headers) line += (line.empty() ? "" : ",") + csvField(header);
  return line + "\n";
}

std::string csvLine(const Row& row) {
  std::string line;
  for (size_t i = 0; i < row.cells.size(); ++i)
    line += (i ? "," : "") + csvField(row.cells[i].bare);
  return line + "\n";
}

std::string tableText(const std::vector<std::string>& headers, const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  widths.reserve(headers.size());
  for (const std::string& header : headers) widths.push_back(textWidth(header));
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], textWidth(row.cells[i].shown));
    }
  }
  std::string text;
  auto line = [&](auto cellOf) {
    std::string out;
    for (size_t i = 0; i < widths.size(); ++i) {
      auto [cell, right] = cellOf(i);
      std::string blanks(widths[i] - textWidth(cell), ' ');
      out += (i ? "  " : "") + (right ? blanks + cell : cell + blanks);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  };
  // A column is one of numbers where its first row is.
  auto isNumber = [&](size_t i) { return !rows.empty() && rows.front().cells[i].isNumber; };
  line([&](size_t i) { return std::pair(headers[i], isNumber(i)); });
  for (const Row& row : rows) {
    line([&](size_t i) { return std::pair(printable(row.cells[i].shown), isNumber(i)); });
  }
  return text;
}

}  // namespace sysdl
