// How long one in-process evaluation takes: a graph of about 60 kernels and 50 collectives, by
// stages, chunks and micro-batches; and schedules alone.
#include <benchmark/benchmark.h>

#include "eval/schedule/schedule.h"
#include "tests/unit/eval_fixture.h"

namespace {

using namespace sysdl;

fixture::Options optionsOf(int64_t stages, int64_t chunks, int64_t microbatches) {
  fixture::Options options;
  options.stages = stages;
  options.chunks = chunks;
  options.microbatches = microbatches;
  options.layers = stages * chunks;
  options.schedule = chunks > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward;
  options.tp = 8;
  options.recompute = true;
  options.ends = 0.1;
  options.layerBytes = 0.01;
  options.gatherBytes = 0.01;
  options.borderBytes = 0.05;
  options.gradientBytes = options.weightBytes = 1;
  options.tied = true;
  options.operations = 16;
  return options;
}

/// Arguments: stages, chunks, micro-batches.
void evaluateStep(benchmark::State& state) {
  fixture::Case made;
  fixture::build(optionsOf(state.range(0), state.range(1), state.range(2)), made);
  for ([[maybe_unused]] auto unused : state) benchmark::DoNotOptimize(made.evaluate());
  state.counters["kernels"] = static_cast<double>(made.graph.kernels.size());
  state.counters["collectives"] = static_cast<double>(made.graph.collectives.size());
}
BENCHMARK(evaluateStep)
    ->Args({1, 1, 8})
    ->Args({8, 1, 64})
    ->Args({8, 1, 100'000})
    ->Args({64, 1, 512})
    ->Args({8, 3, 64})
    ->Args({8, 3, 80'000})
    ->Args({35, 3, 280})
    ->Args({64, 2, 512})
    ->Unit(benchmark::kMicrosecond);

/// Arguments: stages, chunks. The first and last stage take longer than the others.
void scheduleAlone(benchmark::State& state) {
  schedule::Pipeline line;
  line.stages = state.range(0);
  line.chunks = state.range(1);
  line.microbatches = 100 * line.stages;
  line.forward.assign(static_cast<size_t>(line.stages * line.chunks), 1);
  line.backward.assign(line.forward.size(), 2);
  line.forward.front() = 1.02;
  line.forward.back() = 1.3;
  line.backward.back() = 2.4;
  line.activations.send = line.gradients.send = 0.1;
  Schedule kind;
  kind.kind = ScheduleKind::Interleaved;
  kind.chunks = line.chunks;
  int64_t looked = 0;
  for ([[maybe_unused]] auto unused : state) {
    const schedule::Timeline timeline = schedule::run(kind, line);
    looked = timeline.looked;
    benchmark::DoNotOptimize(timeline.makespan);
  }
  state.counters["looked"] = static_cast<double>(looked);
}
BENCHMARK(scheduleAlone)
    ->Args({8, 1})
    ->Args({8, 3})
    ->Args({35, 3})
    ->Args({64, 1})
    ->Args({64, 8})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
