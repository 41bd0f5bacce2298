// Memory: what is in flight by the order of each schedule, against counts made pass by pass.
#include <catch2/catch.hpp>

#include <algorithm>

#include "eval/memory.h"
#include "eval/schedule/schedule.h"
#include "tests/unit/eval_fixture.h"

using namespace sysdl;
using fixture::Case;
using fixture::Options;

namespace {

StepMemory memoryOfCase(const Options& options, int64_t stage) {
  Case made;
  fixture::build(options, made);
  for (const StageClass& held : made.graph.stages) {
    if (stage < held.first + held.stages) {
      return memoryOfStage(made.graph, made.plan, held, options.stages, stage);
    }
  }
  return {};
}

Options pipelined(int64_t stages, int64_t microbatches) {
  Options options;
  options.stages = stages;
  options.microbatches = microbatches;
  options.layers = 24;
  return options;
}

/// The most bytes that activations and workspace reach, pass by pass, a stage of `chunks`.
double mostInFlight(const Case& made, const StageClass& held, const schedule::Order& order,
                    int64_t stage) {
  const int64_t warmUp = order.warmUp(stage);
  std::vector<double> kept;
  for (const Chunk& chunk : held.chunks) {
    double bytes = 0;
    for (size_t part = 0; part < chunk.count.size(); ++part) {
      bytes += static_cast<double>(chunk.count[part]) * made.graph.parts[part].keptBytes;
    }
    kept.push_back(bytes);
  }
  double most = 0, now = 0;
  auto backward = [&](int64_t pass) {
    const Chunk& chunk = held.chunks[order.chunkOfBackward(pass)];
    for (size_t part = chunk.count.size(); part-- > 0;) {
      for (int64_t i = 0; i < chunk.count[part]; ++i) {
        most = std::max(most, now + made.graph.parts[part].transientBytes);
        now -= made.graph.parts[part].keptBytes;
      }
    }
  };
  for (int64_t pass = 0; pass < warmUp; ++pass) now += kept[order.chunkOfForward(pass)];
  for (int64_t pass = 0; pass < order.passes; ++pass) {
    if (warmUp + pass < order.passes) now += kept[order.chunkOfForward(warmUp + pass)];
    backward(pass);
  }
  CHECK(now == Approx(0).margin(1e-9));
  return most;
}

}  // namespace

TEST_CASE("1F1B keeps min(m, p - s) micro-batches", "[eval]") {
  for (int64_t m : {1, 3, 4, 100'000}) {
    for (int64_t stage : {1, 2}) {
      const StepMemory memory = memoryOfCase(pipelined(4, m), stage);
      CHECK(memory.activations == Approx(std::min<int64_t>(m, 4 - stage) * 6 * 8));
      CHECK(memory.workspace == 3);
      CHECK(memory.weights == 6 * 200);
      CHECK(memory.gradients == 6 * 400);
      CHECK(memory.optimizer == 6 * 300);
      CHECK(memory.peak == memory.weights + memory.gradients + memory.optimizer +
                               memory.activations + memory.workspace);
    }
  }
}

TEST_CASE("GPipe keeps all micro-batches", "[eval]") {
  Options options = pipelined(4, 32);
  options.schedule = ScheduleKind::GPipe;
  CHECK(memoryOfCase(options, 1).activations == Approx(32 * 6 * 8));
}

TEST_CASE("Interleaved: 1 + (p - 1) / (p v) of the layers on the first stage", "[eval]") {
  // Korthikanti et al. 2022, section 4.2.3; layers only, without the embedding.
  Options options = pipelined(4, 64);
  options.schedule = ScheduleKind::Interleaved;
  options.chunks = 3;
  Case made;
  fixture::build(options, made);
  made.graph.parts.front().keptBytes = made.graph.parts.back().keptBytes = 0;
  const StepMemory memory = memoryOfStage(made.graph, made.plan, made.graph.stages[0], 4, 0);
  CHECK(memory.activations == Approx(24 * 8 * (1 + 3.0 / 12)));
}

TEST_CASE("The fullest moment is that of a walk along all passes", "[eval]") {
  for (int64_t stages : {1, 2, 4, 5}) {
    for (int64_t chunks : {1, 2, 3, 4}) {
      for (int64_t groups : {1, 2, 5}) {
        Options options = pipelined(stages, stages * groups);
        options.layers = stages * chunks * 2;
        options.chunks = chunks;
        options.schedule = chunks > 1    ? ScheduleKind::Interleaved
                           : groups == 2 ? ScheduleKind::GPipe
                                         : ScheduleKind::OneForwardOneBackward;
        options.operations = 2;
        Case made;
        fixture::build(options, made);
        // Parts that differ: large logits, small embedding, layers in between.
        const double kept[] = {30, 8, 11, 2}, transient[] = {1, 9, 4, 55};
        for (size_t part = 0; part < 4; ++part) {
          made.graph.parts[part].keptBytes = kept[part];
          made.graph.parts[part].transientBytes = transient[part];
        }
        for (const StageClass& held : made.graph.stages) {
          for (int64_t s = held.first; s < held.first + held.stages; ++s) {
            CAPTURE(stages, chunks, groups, s);
            const auto order = schedule::orderOf(made.plan.schedule, stages, options.microbatches);
            const StepMemory memory = memoryOfStage(made.graph, made.plan, held, stages, s);
            CHECK(memory.activations + memory.workspace ==
                  Approx(mostInFlight(made, held, order, s)));
          }
        }
      }
    }
  }
}

TEST_CASE("The stage that peaks is named", "[eval]") {
  Case made;
  fixture::build(pipelined(4, 16), made);
  CHECK(made.results().memory.peakStage == 0);
  made.graph.parts.back().transientBytes = 1e6;  // logits
  const StepMemory memory = made.results().memory;
  CHECK(memory.peakStage == 3);
  CHECK(memory.workspace == 1e6);
  CHECK(memory.activations == Approx(6 * 8 + 8));
}
