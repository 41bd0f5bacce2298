// Which rows of an exploration stay: all, the Pareto front, the best few; in bounded memory.
#include "driver/explore/selection.h"

#include <algorithm>

namespace sysdl {

bool dominates(const Row& a, const Row& b, uint32_t goals) {
  bool better = false;
  for (uint32_t i = 0; i < goals; ++i) {
    if (a.keys[i] > b.keys[i]) return false;
    better |= a.keys[i] < b.keys[i];
  }
  return better;
}

bool Selection::before(const Row& a, const Row& b) const {
  if (wanted_.top > 0 && a.keys[wanted_.topKey] != b.keys[wanted_.topKey]) {
    return a.keys[wanted_.topKey] < b.keys[wanted_.topKey];
  }
  return a.index < b.index;
}

bool Selection::addToFront(Row row) {
  for (const Row& other : rows_) {
    if (dominates(other, row, wanted_.goals)) return false;
  }
  std::erase_if(rows_, [&](const Row& other) { return dominates(row, other, wanted_.goals); });
  rows_.push_back(std::move(row));
  return true;
}

bool Selection::addToTop(Row row) {
  auto order = [this](const Row& a, const Row& b) { return before(a, b); };
  if (rows_.size() == wanted_.top) {
    if (!before(row, rows_.front())) return false;
    std::ranges::pop_heap(rows_, order);
    rows_.pop_back();
  }
  rows_.push_back(std::move(row));
  std::ranges::push_heap(rows_, order);
  return true;
}

bool Selection::add(Row row) {
  if (!all_ && wanted_.goals > 0) return addToFront(std::move(row));
  if (!all_ && wanted_.top > 0) return addToTop(std::move(row));
  rows_.push_back(std::move(row));
  return true;
}

std::vector<Row> Selection::finish() {
  if (waits())
    std::ranges::sort(rows_, [this](const Row& a, const Row& b) { return before(a, b); });
  if (waits() && wanted_.top > 0 && rows_.size() > wanted_.top) rows_.resize(wanted_.top);
  return std::move(rows_);
}

}  // namespace sysdl
