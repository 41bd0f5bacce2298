// Where groups lie on network levels, against a count over all ranks of small machines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "frontend/lower/groups.h"

using namespace sysdl;
using namespace sysdl::lowering;

namespace {

Machine machineOf(std::initializer_list<int64_t> sizes) {
  Machine machine;
  for (int64_t size : sizes) machine.levels.push_back({Name{}, size});
  return machine;
}

Plan planOf(std::initializer_list<int64_t> degrees) {
  Plan plan;
  for (int64_t degree : degrees) plan.mesh.push_back({Name{}, degree, {}});
  return plan;
}

std::vector<int64_t> ranks(const Machine& machine, const Plan& plan, MeshAxisId axis) {
  Layout layout = makeLayout(Model(), plan);
  return groupAlong(layout.mesh, machine, layout.mesh.ofAxis[axis]).ranksOnLevel;
}

using Ranks = std::vector<int64_t>;

}  // namespace

TEST_CASE("groups fill levels from the inside", "[lower]") {
  Machine machine = machineOf({8, 32});
  Plan plan = planOf({8, 4, 8});
  CHECK(ranks(machine, plan, 0) == Ranks{8, 1});
  CHECK(ranks(machine, plan, 1) == Ranks{1, 4});
  CHECK(ranks(machine, plan, 2) == Ranks{1, 8});
  plan = planOf({2, 16, 8});
  CHECK(ranks(machine, plan, 0) == Ranks{2, 1});
  CHECK(ranks(machine, plan, 1) == Ranks{4, 4});  // it spans the border
  CHECK(ranks(machine, plan, 2) == Ranks{1, 8});
}

TEST_CASE("what does not align lies further out", "[lower]") {
  Machine machine = machineOf({8, 32});
  CHECK(ranks(machine, planOf({3, 2}), 0) == Ranks{1, 3});
  CHECK(ranks(machine, planOf({3, 2}), 1) == Ranks{1, 2});
  CHECK(ranks(machine, planOf({6, 2}), 0) == Ranks{2, 3});
  CHECK(ranks(machineOf({6, 4}), planOf({2, 3}), 1) == Ranks{3, 1});
  CHECK(ranks(machineOf({4, 2, 8}), planOf({64}), 0) == Ranks{4, 2, 8});
}

TEST_CASE("blocks of a group on a level never straddle it", "[lower]") {
  for (int64_t node : {4, 6, 8}) {
    for (int64_t inner : {1, 2, 3, 4, 6, 8}) {
      for (int64_t degree : {2, 3, 4, 6, 8, 12}) {
        Machine machine = machineOf({node, 1000});
        Ranks got = ranks(machine, planOf({inner, degree}), 1);
        CHECK(got[0] * got[1] == degree);
        // All blocks of got[0] neighbours in the group lie within one node, for every group.
        for (int64_t base = 0; base < 24 * inner * degree; base += inner * degree) {
          for (int64_t offset = 0; offset < inner; ++offset) {
            for (int64_t i = 0; i < degree; ++i) {
              int64_t rank = base + offset + i * inner;
              int64_t first = base + offset + (i - i % got[0]) * inner;
              REQUIRE(rank / node == first / node);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a group of several axes combines, and neighbours of stages are pairs", "[lower]") {
  Machine machine = machineOf({8, 1000});
  Plan plan = planOf({4, 4, 4});
  plan.stages = 2;
  Layout layout = makeLayout(Model(), plan);
  Group both = groupAlong(layout.mesh, machine, layout.mesh.ofAxis[0] | layout.mesh.ofAxis[1]);
  CHECK(both.axes == std::vector<MeshAxisId>{0, 1});
  CHECK(both.ranks == 16);
  CHECK(both.ranksOnLevel == Ranks{8, 2});
  CHECK(both.outermost == 1);
  Group pair = pairAcrossStages(layout.mesh, machine);
  CHECK(pair.ranks == 2);
  CHECK(pair.ranksOnLevel == Ranks{1, 2});
  CHECK(pair.axes == std::vector<MeshAxisId>{2});
}

TEST_CASE("a hundred thousand devices are as quick as eight", "[lower]") {
  Machine machine = machineOf({8, 16, 1'000'000});
  Ranks got = ranks(machine, planOf({8, 12'500'000}), 1);
  CHECK(got == Ranks{1, 16, 781'250});
}
