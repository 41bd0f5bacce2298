// What comes out of one point of an exploration, free of the session that evaluated it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sysdl {

struct Cell {
  std::string bare;   // a number in SI base units, or text
  std::string shown;  // with its unit, for people
  bool isNumber = false;
};

struct Row {
  uint64_t index = 0;  // of the point
  /// What `pareto` (negated where more is better), then `top`, then `plot` compare.
  std::vector<double> keys;
  std::vector<Cell> cells;
};

/// Why a point is none: the code and text of a rule.
using Refusal = std::pair<std::string, std::string>;
using Refusals = std::map<Refusal, uint64_t>;

struct Outcome {
  enum class What { Kept, Left, Refused, Failed } what = What::Failed;
  Refusal refusal;
  Row row;
};

/// Which rows an exploration asks for, and where their keys lie.
struct Wanted {
  uint32_t goals = 0;   // keys of `pareto`
  uint32_t top = 0;     // rows; 0: all
  uint32_t topKey = 0;  // its place among the keys
  bool plots = false;   // then the last two keys are x and y
  std::string x, y;     // their names
  std::string xUnit, yUnit;
};

}  // namespace sysdl
