// Which rows of an exploration stay: all, the Pareto front, the best few; in bounded memory.
#pragma once

#include <string_view>
#include <vector>

#include "driver/explore/row.h"

namespace sysdl {

class Selection {
public:
  /// `all` keeps each row, whatever `pareto` and `top` say.
  Selection(const Wanted& wanted, bool all) : wanted_(wanted), all_(all) {}

  /// Whether rows wait for the end: with `pareto` or `top`.
  bool waits() const { return !all_ && (wanted_.goals > 0 || wanted_.top > 0); }
  /// Takes a row, and says whether it stays for now.
  bool add(Row row);
  /// Those that stay at the end: by the key of `top` where there is one, else in the order of points.
  std::vector<Row> finish();

private:
  bool addToFront(Row row);
  bool addToTop(Row row);
  bool before(const Row& a, const Row& b) const;

  Wanted wanted_;
  bool all_;
  std::vector<Row> rows_;  // without goals: a heap, the worst first
};

/// Whether `a` is at least as good as `b` in each of the first `goals` keys, and better in one.
bool dominates(const Row& a, const Row& b, uint32_t goals);

}  // namespace sysdl
