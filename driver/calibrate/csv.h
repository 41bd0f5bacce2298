// Comma-separated tables: a heading, and rows whose cells know where they stand in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostic.h"

namespace sysdl::calibrate {

/// One cell, without the blanks and quotes around it.
struct Cell {
  std::string text;
  Span span;  // of the line, where the cell is empty
};

struct CsvRow {
  std::vector<Cell> cells;  // as many as there are columns
  Span span;                // of the whole line
  uint32_t line = 0;
};

struct Csv {
  std::vector<std::string> columns;  // in lower case
  Span heading;
  std::vector<CsvRow> rows;

  /// The first of these columns that the table has.
  std::optional<size_t> column(const std::vector<std::string_view>& names) const;
};

/// Reads the file that `sources` holds at `start`, after RFC 4180: cells may be quoted, but hold no
/// newline. Reports (E0906) a table without a heading, a column twice, and each row of another length.
Csv readCsv(Loc start, const SourceMap& sources, Diagnostics& diagnostics);

/// Where a line begins and ends, without its newline.
struct Line {
  std::string_view text;
  Span span;
  uint32_t number = 0;
};

/// The lines of a file, without those that are blank.
std::vector<Line> linesOf(Loc start, const SourceMap& sources);

/// A number written in full: nothing around it, finite.
std::optional<double> readNumber(std::string_view text);
/// A whole number above zero, also as `4096.0` or `1e6`.
std::optional<int64_t> readCount(std::string_view text);

std::string lowered(std::string_view text);
std::string_view trimmed(std::string_view text);

}  // namespace sysdl::calibrate
