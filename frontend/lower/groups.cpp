// Group geometry by greatest common divisors; no list of ranks is ever made.
#include "frontend/lower/groups.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sysdl::lowering {
namespace {

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

/// Multiplies the ranks of one factor into the levels.
void spread(const Factor& factor, const Machine& machine, std::vector<int64_t>& ranksOnLevel) {
  int64_t stride = factor.stride;
  int64_t left = factor.degree;
  int64_t reach = 1;  // devices under one group of the level
  for (size_t level = 0; level < machine.levels.size() && left > 1; ++level) {
    reach = product(reach, std::max<int64_t>(machine.levels[level].size, 1));
    int64_t here = 1;
    if (level + 1 == machine.levels.size()) {
      here = left;  // what does not align further in is priced on the outermost level
    } else if (reach % stride == 0) {
      here = std::gcd(left, reach / stride);
    }
    ranksOnLevel[level] = product(ranksOnLevel[level], here);
    stride = product(stride, here);
    left /= here;
  }
}

void setOutermost(Group& group) {
  for (uint32_t level = 0; level < group.ranksOnLevel.size(); ++level) {
    if (group.ranksOnLevel[level] > 1) group.outermost = level;
  }
}

}  // namespace

int64_t networkSize(const Machine& machine) {
  int64_t size = 1;
  for (const NetworkLevel& level : machine.levels) {
    size = product(size, std::max<int64_t>(level.size, 1));
  }
  return size;
}

Group groupAlong(const Mesh& mesh, const Machine& machine, FactorSet factors, bool later) {
  Group group;
  group.axes = mesh.axesOf(factors, later);
  group.ranksOnLevel.assign(machine.levels.size(), 1);
  for (FactorSet set = factors; set != 0; set &= set - 1) {
    const Factor& factor = mesh.factors[std::countr_zero(set)];
    group.ranks = product(group.ranks, factor.degree);
    spread(factor, machine, group.ranksOnLevel);
  }
  setOutermost(group);
  return group;
}

Group pairAcrossStages(const Mesh& mesh, const Machine& machine) {
  Group group = groupAlong(mesh, machine, mesh.stages);
  group.ranks = 2;
  std::fill(group.ranksOnLevel.begin(), group.ranksOnLevel.end(), 1);
  if (!group.ranksOnLevel.empty()) group.ranksOnLevel[group.outermost] = 2;
  return group;
}

}  // namespace sysdl::lowering
