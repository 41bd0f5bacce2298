// The composition of a step: values from closed forms derived here, and properties.
#include <catch2/catch.hpp>

#include <random>

#include "eval/step.h"
#include "tests/unit/eval_fixture.h"

using namespace sysdl;
using fixture::Case;
using fixture::Options;

namespace {

StepResults resultsOf(const Options& options) {
  Case made;
  fixture::build(options, made);
  return made.results();
}

double exposedOf(const StepResults& results, MeshAxisId axis) {
  return results.time.exposed.at(axis).exposed;
}

/// The optimizer on stage 0 of four: the embedding and two layers.
constexpr double kOptimizer = 3 * 25 * 0.001;

Options pipelined() {
  Options options;
  options.stages = 4;
  options.microbatches = 16;
  options.layers = 8;
  return options;
}

}  // namespace

TEST_CASE("One stage: kernels, collectives and optimizer, and no bubble", "[eval]") {
  Options options;
  options.microbatches = 3;
  options.ends = 0.25;
  options.recompute = true;
  options.layerBytes = 0.5;
  options.gradientBytes = 10;
  options.weightBytes = 5;
  const StepResults results = resultsOf(options);
  // 8 layers and two ends, 3 micro-batches.
  CHECK(results.time.forward == Approx(3 * (8 * 1 + 2 * 0.25)));
  CHECK(results.time.recompute == Approx(3 * 8 * 1));
  CHECK(results.time.backward == Approx(3 * (8 * 2 + 2 * 0.5)));
  CHECK(results.time.bubble == 0);
  CHECK(exposedOf(results, fixture::kTp) == Approx(3 * 8 * 2 * 0.625));
  // One message of gradients and one of weights for the ten parts.
  CHECK(exposedOf(results, fixture::kDp) == Approx(0.125 + 100 + 0.125 + 50));
  CHECK(exposedOf(results, fixture::kPp) == 0);
  CHECK(results.time.optimizer == Approx(10 * 25 * 0.001));
  CHECK(results.time.step == sumOf(results.time));
  CHECK(results.optimizer.time == Approx(0.25));
  CHECK(results.optimizer.node == kNone);
}

TEST_CASE("Collectives without a bucket each pay their latency", "[eval]") {
  Options options;
  options.gradientBytes = 10;
  options.bucket = false;
  const StepResults results = resultsOf(options);
  CHECK(exposedOf(results, fixture::kDp) == Approx(10 * 10.125));
}

TEST_CASE("A collective in a bucket reports its share", "[eval]") {
  Options options;
  options.gradientBytes = 10;
  const StepResults results = resultsOf(options);
  double total = 0, count = 0;
  for (const CollectiveResult& c : results.collectives) {
    total += c.count * c.time;
    count += c.count;
    CHECK(c.time == Approx(100.125 / 10));
    CHECK(c.wireBytes == Approx(10));
    CHECK(c.exposed == c.time);
  }
  CHECK(count == 10);
  CHECK(total == Approx(100.125));
}

TEST_CASE("1F1B with equal stages: bubble is (p - 1)(f + b)", "[eval]") {
  const StepResults results = resultsOf(pipelined());
  CHECK(results.time.step == Approx((16 + 3) * 2 * 3.0 + kOptimizer));
  CHECK(results.time.bubble == Approx(3 * 2 * 3.0));
  CHECK(results.time.forward == Approx(16 * 2 * 1.0));
  CHECK(results.time.backward == Approx(16 * 2 * 2.0));
}

TEST_CASE("Point-to-point is exposed on the busiest stage, which sends both ways", "[eval]") {
  Options options = pipelined();
  options.borderBytes = 0.125;  // 0.25 s a transfer
  const StepResults results = resultsOf(options);
  CHECK(results.time.busiestStage == 1);
  CHECK(exposedOf(results, fixture::kPp) == Approx(16 * 2 * 0.25));
  CHECK(results.time.step == Approx((16 + 3) * 6 + 0.25 * (2 * (16 + 4) - 5) + kOptimizer));
  const CollectiveResult& send = results.collectives.at(0);
  CHECK(send.count == 16);
  CHECK(send.time == Approx(0.25));
}

TEST_CASE("Tied gradients wait for both ends of the pipeline", "[eval]") {
  Options options = pipelined();
  const double before = resultsOf(options).time.step;
  options.tied = true;
  const StepResults results = resultsOf(options);
  CHECK(results.time.step == Approx(before + 5.125));
  // The first and the last stage are now the busiest.
  CHECK(results.time.busiestStage == 0);
  CHECK(exposedOf(results, fixture::kPp) == Approx(5.125));
}

TEST_CASE("The step ends with the last stage to be done with its optimizer", "[eval]") {
  // Stage 3 is done with backward first, but has the most parameters to reduce.
  Options options = pipelined();
  Case made;
  fixture::build(options, made);
  const double before = made.results().time.step;
  made.graph.parts.back().optimizedParameters = 1e6;  // the head: 1000 s
  const StepResults results = made.results();
  CHECK(results.time.busiestStage == 3);
  // Stage 3 is done with backward 3 passes of the stages before it earlier than the step.
  const double early = 3 * 2 * 2.0;
  const double optimizer = 0.001 * (1e6 + 2 * 25);
  CHECK(results.time.optimizer == Approx(optimizer));
  CHECK(results.time.step == Approx(before - kOptimizer - early + optimizer));
  CHECK(results.time.bubble == Approx(3 * 2 * 1.0));
}

TEST_CASE("Interleaving divides the bubble by the number of chunks", "[eval]") {
  Options options = pipelined();
  options.schedule = ScheduleKind::Interleaved;
  options.chunks = 2;
  const StepResults results = resultsOf(options);
  CHECK(results.time.bubble == Approx(3 * 3.0));
  CHECK(results.time.step == Approx((16 * 2 + 3) * 3.0 + kOptimizer));
}

TEST_CASE("FLOP: all devices, forward and backward; recompute in hardware FLOP only", "[eval]") {
  Options options = pipelined();
  options.recompute = true;
  const StepResults results = resultsOf(options);
  const double devices = 2 * 4;  // of a stage
  CHECK(results.modelFlops == Approx(devices * 16 * 8 * 10 * (1 + 2)));
  CHECK(results.hardwareFlops == Approx(devices * 16 * 8 * 10 * (1 + 2 + 1)));
  CHECK(results.parameters == 10 * 200);
  const double optimizerBytes = 10 * 25 * 14;
  CHECK(results.hbmBytes == Approx(devices * (16 * 8 * (1 + 2 + 1) + optimizerBytes)));
}

TEST_CASE("Wire bytes count every sender once", "[eval]") {
  Options options = pipelined();
  options.layerBytes = 0.5;
  options.borderBytes = 0.125;
  options.gradientBytes = 10;
  options.tied = true;
  const double devices = 2 * 4;
  const double expected = devices * (16 * 8 * 2 * 0.5 + 2 * 16 * 3 * 0.125 + 10 * 10 + 2 * 5);
  CHECK(resultsOf(options).wireBytes == Approx(expected));
}

TEST_CASE("Counts are those of the busiest stage", "[eval]") {
  Options options = pipelined();
  options.ends = 0.5;  // stages 0 and 3 are busier than the rest
  Case made;
  fixture::build(options, made);
  const StepResults results = made.results();
  CHECK(results.time.busiestStage == 0);
  for (const KernelResult& kernel : results.kernels) {
    const uint32_t part = made.graph.kernels[kernel.node].part;
    CHECK(kernel.count == (part == 0 ? 16 : part == 1 ? 32 : 0));
  }
}

TEST_CASE("Random steps: sums are exact and orders hold", "[eval]") {
  std::mt19937_64 random(11);
  auto pick = [&](std::initializer_list<int64_t> list) {
    return list.begin()[random() % list.size()];
  };
  auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int run = 0; run < 200; ++run) {
    Options options;
    options.stages = pick({1, 2, 4});
    options.chunks = options.stages > 1 ? pick({1, 2}) : 1;
    options.schedule = options.chunks > 1 ? ScheduleKind::Interleaved
                       : run % 3 == 0     ? ScheduleKind::GPipe
                                          : ScheduleKind::OneForwardOneBackward;
    options.microbatches = options.stages * pick({1, 2, 7, 50});
    options.recompute = run % 2 == 0;
    options.ends = real();
    options.forward = 0.1 + real();
    options.layerBytes = run % 5 == 0 ? 0 : real();
    options.gatherBytes = run % 4 == 0 ? 3 * real() : 0;
    options.borderBytes = real();
    options.gradientBytes = 20 * real();
    options.weightBytes = 20 * real();
    options.tied = run % 3 == 1;
    const StepResults results = resultsOf(options);
    CAPTURE(run, options.stages, options.chunks, options.microbatches);
    REQUIRE(results.time.step == sumOf(results.time));
    REQUIRE(results.time.bubble >= 0);
    double kernels = 0;
    for (const KernelResult& kernel : results.kernels) kernels += kernel.count * kernel.time;
    REQUIRE(results.time.step >= kernels + results.time.optimizer);
    Options slower = options;
    slower.forward *= 1.25;
    REQUIRE(resultsOf(slower).time.step >= results.time.step);
    Options longer = options;
    longer.microbatches *= 2;
    const double doubled = resultsOf(longer).time.step;
    REQUIRE(doubled >= results.time.step);
    REQUIRE(doubled <= 2 * results.time.step);
    // The same step again: the same bits.
    REQUIRE(resultsOf(options).time.step == results.time.step);
  }
}
