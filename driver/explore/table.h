// Rows of an exploration as CSV, as a table for people, and as an SVG plot.
#pragma once

#include <string>
#include <vector>

#include "driver/explore/row.h"

namespace sysdl {

std::string csvHeader(const std::vector<std::string>& headers);
std::string csvLine(const Row& row);

/// Columns with units, numbers to the right.
std::string tableText(const std::vector<std::string>& headers, const std::vector<Row>& rows);

/// A point of the plot.
struct Dot {
  double x = 0, y = 0;
  bool chosen = false;  // on the front, or among the best
};

/// A scatter with labelled axes; chosen points are marked and drawn last.
std::string plotSvg(const std::string& title, const Wanted& wanted, std::vector<Dot> dots);

}  // namespace sysdl
