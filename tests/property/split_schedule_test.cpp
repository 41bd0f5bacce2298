// Zero-bubble and DualPipe schedules against the bubbles that their papers print, and what must hold of any.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "eval/schedule/schedule.h"
#include "eval/schedule/split.h"

namespace {

using namespace sysdl;
using namespace sysdl::schedule;

SplitLanes lanesOf(ScheduleKind kind, int64_t stages, int64_t microbatches, double f, double b,
                   double w) {
  SplitLanes lanes;
  lanes.kind = kind;
  lanes.stages = stages;
  lanes.chunks = kind == ScheduleKind::ZeroBubbleH1 ? 1 : 2;
  lanes.microbatches = microbatches;
  const auto pieces = static_cast<size_t>(stages * lanes.chunks);
  lanes.forward.assign(pieces, f);
  lanes.backward.assign(pieces, b);
  lanes.weight.assign(pieces, w);
  lanes.forwardKernels.assign(pieces, f);
  lanes.backwardKernels.assign(pieces, b + w);
  return lanes;
}

double makespanOf(const Timeline& timeline) {
  return *std::max_element(timeline.end.begin(), timeline.end.end());
}

/// Every pass once, none before its data, none beside another of its stage but a pair of DualPipe.
void checkPasses(const SplitLanes& lanes, const std::vector<SplitPass>& passes) {
  const bool dual = lanes.kind == ScheduleKind::DualPipe;
  const int64_t each = dual ? lanes.microbatches / 2 : lanes.microbatches;
  std::map<std::tuple<int64_t, int64_t, int64_t>, std::array<double, 3>> ends;
  std::map<std::tuple<int64_t, int64_t, int64_t>, std::array<double, 3>> starts;
  std::map<int64_t, SplitPass> last;
  for (const SplitPass& pass : passes) {
    const std::tuple key{pass.stage, pass.chunk, pass.microbatch};
    const size_t slot = pass.work == Work::Forward ? 0 : pass.work == Work::Weight ? 2 : 1;
    REQUIRE(pass.end >= pass.start);
    REQUIRE(ends[key][slot] == 0);
    ends[key][slot] = pass.end;
    starts[key][slot] = pass.start;
    if (pass.work == Work::Whole) ends[key][2] = pass.end;
    if (auto before = last.find(pass.stage); before != last.end()) {
      const bool pair = dual && before->second.start == pass.start &&
                        before->second.end == pass.end && pass.work != before->second.work;
      CHECK((pair || pass.start >= before->second.end));
    }
    last[pass.stage] = pass;
  }
  REQUIRE(ends.size() == static_cast<size_t>(each * lanes.stages * lanes.chunks));
  const bool turns = lanes.kind == ScheduleKind::ZeroBubbleV;
  for (const auto& [key, end] : ends) {
    const auto [s, chunk, m] = key;
    CHECK(end[0] > 0);
    CHECK(end[1] >= end[0]);
    CHECK(end[2] >= end[1]);
    const int64_t before = chunk == 0 ? s - 1 : s + 1;
    const auto begin = starts[key];
    if (before >= 0 && before < lanes.stages) {
      CHECK(begin[0] >= ends[{before, chunk, m}][0]);
      CHECK(starts[{before, chunk, m}][1] >= end[1]);
    } else if (turns && chunk == 1) {
      CHECK(begin[0] >= ends[{s, 0, m}][0]);
      CHECK(starts[{s, 0, m}][1] >= end[1]);
    }
  }
}

}  // namespace

// Qi et al. 2023 (arXiv:2401.10241), table 1: (p - 1)(F + B - W).
TEST_CASE("ZB-H1 has the bubble of its paper", "[schedule]") {
  for (int64_t p : {2, 4, 8, 16}) {
    for (int64_t m : {p, 2 * p, 5 * p}) {
      const Timeline t = placePasses(lanesOf(ScheduleKind::ZeroBubbleH1, p, m, 1, 1, 1));
      CHECK(makespanOf(t) == Approx(3.0 * static_cast<double>(m) + static_cast<double>(p - 1)));
    }
  }
}

// arXiv:2401.10241, section 6: no bubble where F, B and W take as long, stages beginning the next step in turn. A list by
// priority comes within p - 1 passes of that; 1F1B has six times as much.
TEST_CASE("ZB-V has nearly no bubble where passes take as long", "[schedule]") {
  for (int64_t p : {2, 4, 8, 16}) {
    const int64_t m = 4 * p;
    SplitLanes lanes = lanesOf(ScheduleKind::ZeroBubbleV, p, m, 1, 1, 1);
    lanes.inTurn = true;
    const Timeline t = placePasses(lanes);
    double longest = 0;
    for (size_t s = 0; s < t.end.size(); ++s) longest = std::max(longest, t.end[s] - t.start[s]);
    const double work = 6.0 * static_cast<double>(m);
    INFO("p " << p << ", bubble " << longest - work);
    CHECK(longest >= work);
    CHECK(longest - work <= static_cast<double>(p - 1));
  }
}

// DeepSeek-AI 2024 (arXiv:2412.19437), table 2: (p / 2 - 1)(F&B + B - 3 W), B with W in it.
TEST_CASE("DualPipe has the bubble of its paper", "[schedule]") {
  for (int64_t p : {4, 8, 16}) {
    for (int64_t m : {2 * p, 4 * p}) {
      for (auto [f, b, w] : {std::tuple{1.0, 1.0, 1.0}, {2.0, 2.0, 1.0}, {1.0, 1.2, 0.8}}) {
        const Timeline t = placePasses(lanesOf(ScheduleKind::DualPipe, p, m, f, b, w));
        const double work = static_cast<double>(m) * (f + b + w);
        const double bubble = (static_cast<double>(p) / 2 - 1) * ((f + b + w) + (b + w) - 3 * w);
        INFO("p " << p << " m " << m << " f " << f << " b " << b << " w " << w);
        CHECK(makespanOf(t) - work == Approx(bubble).epsilon(0.05));
      }
    }
  }
}

TEST_CASE("split schedules place every pass after its data", "[schedule]") {
  std::mt19937 random(20261201);
  auto draw = [&] { return std::uniform_real_distribution<double>(0.2, 2)(random); };
  for (ScheduleKind kind :
       {ScheduleKind::ZeroBubbleH1, ScheduleKind::ZeroBubbleV, ScheduleKind::DualPipe}) {
    for (int64_t p : {2, 4, 6}) {
      for (int64_t m : {2 * p, 2 * p + 2, 5 * p}) {
        SplitLanes lanes = lanesOf(kind, p, m, 1, 1, 1);
        for (auto* times : {&lanes.forward, &lanes.backward, &lanes.weight})
          for (double& time : *times) time = draw();
        lanes.forwardKernels = lanes.forward;
        for (size_t u = 0; u < lanes.forward.size(); ++u)
          lanes.backwardKernels[u] = lanes.backward[u] + lanes.weight[u];
        std::vector<SplitPass> passes;
        const Timeline t = placePasses(lanes, &passes);
        checkPasses(lanes, passes);
        for (size_t s = 0; s < t.end.size(); ++s) CHECK(t.busy[s] <= t.end[s] * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("many micro-batches are extrapolated as they would run", "[schedule]") {
  for (ScheduleKind kind :
       {ScheduleKind::ZeroBubbleH1, ScheduleKind::ZeroBubbleV, ScheduleKind::DualPipe}) {
    SplitLanes lanes = lanesOf(kind, 4, 400, 1, 1.5, 0.75);
    const Timeline exact = placePasses(lanes), quick = runSplit(lanes);
    CHECK(makespanOf(quick) == Approx(makespanOf(exact)).epsilon(0.002));
    CHECK(quick.looked < exact.looked);
    lanes.microbatches = 1'000'000;
    CHECK(runSplit(lanes).looked == quick.looked);
  }
}

// arXiv:2401.10241, section 2.3: the peak is that of 1F1B. arXiv:2412.19437, table 2: p + 1 micro-batches.
TEST_CASE("what split schedules keep in flight", "[schedule]") {
  for (int64_t p : {2, 4, 8}) {
    for (int64_t s = 0; s < p; ++s) {
      const InFlight h1 = mostInFlight(ScheduleKind::ZeroBubbleH1, p, s, 4 * p, {1}, {1});
      CHECK(h1.whole[0] + h1.waiting[0] <= p);
      const InFlight v = mostInFlight(ScheduleKind::ZeroBubbleV, p, s, 4 * p, {1, 1}, {1, 1});
      CHECK(v.whole[0] + v.whole[1] + v.waiting[0] + v.waiting[1] <= 2 * p);
      const InFlight dual = mostInFlight(ScheduleKind::DualPipe, p, s, 4 * p, {1, 1}, {1, 1});
      CHECK(dual.whole[0] + dual.whole[1] + dual.waiting[0] + dual.waiting[1] <= p + 1);
    }
  }
}
