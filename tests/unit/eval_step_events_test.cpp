// A step as events: they end when the step does, and what is inside a pass lies there.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "eval/step_events.h"
#include "tests/unit/eval_fixture.h"

using namespace sysdl;
using fixture::Case;
using fixture::Options;
using What = StepEvent::What;

namespace {

EvaluatedStep stepOf(Case& made) {
  return std::get<EvaluatedStep>(evaluateStep(made.model, made.plan, made.machine, made.optimizer,
                                              made.graph, made.names, made.scratch));
}

StepEvents eventsOf(Case& made, const EvaluatedStep& step) {
  return sysdl::eventsOf(made.model, made.graph, made.plan, made.machine, step);
}

Options everything() {
  Options options;
  options.stages = 2;
  options.microbatches = 3;
  options.layers = 4;
  options.ends = 0.25;
  options.recompute = true;
  options.layerBytes = 0.25;
  options.gatherBytes = 0.5;
  options.borderBytes = 0.125;
  options.gradientBytes = 10;
  options.weightBytes = 5;
  options.tied = true;
  return options;
}

size_t countOf(const StepEvents& events, What what, int64_t stage) {
  return static_cast<size_t>(std::ranges::count_if(
      events.events, [&](const StepEvent& e) { return e.what == what && e.stage == stage; }));
}

}  // namespace

TEST_CASE("Random steps: the last event ends when the step does", "[eval]") {
  std::mt19937_64 random(12);
  auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int run = 0; run < 200; ++run) {
    Options options;
    options.stages = int64_t{1} << random() % 3;
    options.chunks = options.stages > 1 && random() % 2 ? 2 : 1;
    options.schedule = options.chunks > 1 ? ScheduleKind::Interleaved
                       : run % 3 == 0     ? ScheduleKind::GPipe
                                          : ScheduleKind::OneForwardOneBackward;
    options.microbatches = options.stages * static_cast<int64_t>(1 + random() % 9);
    options.recompute = run % 2;
    options.forward = real();
    options.backward = real();
    options.ends = real();
    options.layerBytes = run % 4 ? 0.1 * real() : 0;
    options.gatherBytes = run % 5 ? real() : 0;
    options.borderBytes = run % 3 ? 0.1 * real() : 0;
    options.gradientBytes = run % 2 ? real() : 0;
    options.weightBytes = run % 3 ? real() : 0;
    options.tied = run % 4 == 0;
    Case made;
    fixture::build(options, made);
    made.plan.overlapGradients = run % 5 == 0;
    made.plan.overlapWeights = run % 7 == 0;
    made.machine.contention = run % 3 ? 0 : 0.1;
    made.plan.schedule.sendBlocking = run % 4 ? 1 : 0;
    const EvaluatedStep step = stepOf(made);
    const StepEvents events = eventsOf(made, step);
    CAPTURE(run, options.stages, options.chunks, options.microbatches);
    REQUIRE(events.all);
    REQUIRE(events.detailed);
    REQUIRE(events.end == Approx(step.results.time.step).epsilon(1e-9));
    for (const StepEvent& event : events.events) {
      REQUIRE(event.end >= event.start);
      if (event.pass < 0 || event.what == What::Send) continue;
      const schedule::Pass& pass = events.passes[event.pass];
      CHECK(event.start >= pass.start - 1e-9);
      CHECK(event.end <= pass.end + 1e-9);
    }
    // What a stage does is one thing after another.
    for (size_t i = 1; i < events.events.size(); ++i) {
      const StepEvent &now = events.events[i], &then = events.events[i - 1];
      const bool same = now.stage == then.stage && now.track == then.track;
      const bool lane = now.track == static_cast<uint32_t>(StepTrack::Passes) ||
                        now.track == static_cast<uint32_t>(StepTrack::Kernels);
      if (same && lane) CHECK(now.start >= then.end - 1e-9);
    }
  }
}

TEST_CASE("Events of a step: what there is of each", "[eval]") {
  Case made;
  fixture::build(everything(), made);
  const StepEvents events = eventsOf(made, stepOf(made));
  for (int64_t stage : {0, 1}) {
    CHECK(countOf(events, What::Pass, stage) == 2 * 3);
    CHECK(countOf(events, What::Send, stage) == 3);
    CHECK(countOf(events, What::Reductions, stage) == 1);
    CHECK(countOf(events, What::Gathers, stage) == 1);
    CHECK(countOf(events, What::Tied, stage) == 1);
    CHECK(countOf(events, What::Optimizer, stage) == 1);
    // Two layers with a forward, a recompute and a backward kernel, and an end with two.
    CHECK(countOf(events, What::Kernel, stage) == 2 * 3 + 2);
  }
}

TEST_CASE("Collectives beside kernels overlap them, others do not", "[eval]") {
  Case made;
  fixture::build(everything(), made);
  const StepEvents events = eventsOf(made, stepOf(made));
  const auto kernels = static_cast<uint32_t>(StepTrack::Kernels);
  int beside = 0;
  for (const StepEvent& event : events.events) {
    if (event.what != What::Collective || event.pass < 0) continue;
    const bool overlaps = std::ranges::any_of(events.events, [&](const StepEvent& kernel) {
      return kernel.track == kernels && kernel.stage == event.stage &&
             std::min(kernel.end, event.end) - std::max(kernel.start, event.start) > 1e-9;
    });
    CHECK(overlaps == made.graph.collectives[event.node].overlappable);
    beside += overlaps;
  }
  CHECK(beside == 2 * 2);
}

TEST_CASE("Too many kernels to show: passes only, and it says so", "[eval]") {
  Case made;
  fixture::build(everything(), made);
  const EvaluatedStep step = stepOf(made);
  const StepEvents events = sysdl::eventsOf(made.model, made.graph, made.plan, made.machine, step,
                                            schedule::kMostListed, 15);
  CHECK_FALSE(events.detailed);
  CHECK(events.all);
  CHECK(countOf(events, What::Pass, 1) == 6);
  CHECK(countOf(events, What::Kernel, 0) > 0);
  CHECK(countOf(events, What::Kernel, 1) == 0);
  CHECK(events.end == Approx(step.results.time.step));
}
