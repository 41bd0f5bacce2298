// Prices: one run of a program for several kernels, bounds, algorithms, faults; and overlap.
#include <catch2/catch.hpp>

#include "eval/overlap.h"
#include "eval/price.h"
#include "tests/unit/eval_fixture.h"

using namespace sysdl;
using fixture::Case;
using fixture::Options;

TEST_CASE("A kernel's numbers come from its operation's program at its sizes", "[eval]") {
  Case made;
  fixture::build({}, made);
  made.graph.localSizes.push_back({3});
  made.graph.kernels[0].sizes = 1;  // the embedding's forward
  made.graph.kernels[2].sizes = 1;  // the layer's forward, not its backward
  std::optional<EvaluationError> error;
  const auto prices = priceKernels(made.model, made.graph, made.names, made.scratch, error);
  REQUIRE(!error);
  CHECK(prices.at(2).time == Approx(3));
  CHECK(prices.at(2).work == Approx(60));
  CHECK(prices.at(2).matrixWork == Approx(30));
  CHECK(prices.at(2).traffic == Approx(3));
  CHECK(prices.at(3).time == Approx(2));
  CHECK(prices.at(2).bound == "tensor");
  CHECK(prices.at(3).bound == "hbm");
  for (uint32_t k = 0; k < prices.size(); ++k) CHECK(prices[k].node == k);
}

TEST_CASE("What takes longer on top of the roofline than it is bound by launch", "[eval]") {
  Case made;
  fixture::build({}, made);
  made.model.programs[1] = fixture::kernelProgram({{1, 1, 1, 5, 2, 1}, {1, 1, 1, 3, 1, 2}});
  const StepResults results = made.results();
  CHECK(results.kernels.at(2).bound == "launch");  // 5 - 2 > 2
  CHECK(results.kernels.at(3).bound == "hbm");     // 3 - 2 < 2
}

TEST_CASE("The fastest algorithm is used, the first of equal ones", "[eval]") {
  Case made;
  Options options;
  options.layerBytes = 1;
  fixture::build(options, made);
  auto& algorithms = made.machine.collectives.at(0).algorithms;
  const Name slow = made.names.intern("slow"), tree = made.names.intern("tree"),
             other = made.names.intern("other");
  algorithms = {{slow, fixture::collectiveProgram(2, 3, 1)},
                {tree, fixture::collectiveProgram(2, 1, 1)},
                {other, fixture::collectiveProgram(2, 1, 1)}};
  const StepResults results = made.results();
  CHECK(results.collectives.at(0).algorithm == tree);
  CHECK(results.collectives.at(0).time == Approx(2));
}

TEST_CASE("A group of one rank costs nothing", "[eval]") {
  Case made;
  Options options;
  options.layerBytes = 1;
  options.tp = 1;
  fixture::build(options, made);
  const StepResults results = made.results();
  CHECK(results.time.exposed.at(0).exposed == 0);
  CHECK(results.wireBytes == 0);
}

TEST_CASE("A fault in a formula is an error that names the node", "[eval]") {
  Case made;
  Options options;
  options.layerBytes = 1;
  fixture::build(options, made);
  SECTION("of a kernel") {
    made.model.programs[1].code[1].op = Opcode::DivideF;
    made.graph.localSizes[0][0] = 0;
    const auto error = std::get<EvaluationError>(made.evaluate());
    CHECK(error.what == EvaluationError::What::Kernel);
    CHECK(made.graph.kernels[error.node].part == 1);
    CHECK(error.fault.kind == FaultKind::DivideByZero);
    CHECK(error.fault.span.valid());
  }
  SECTION("of a collective") {
    made.machine.collectives[0].algorithms[0].program = fixture::collectiveProgram(2, 1, 0);
    const auto error = std::get<EvaluationError>(made.evaluate());
    CHECK(error.what == EvaluationError::What::Collective);
    CHECK(error.node == 0);
    CHECK(error.fault.kind == FaultKind::DivideByZero);
  }
  SECTION("of the optimizer") {
    made.optimizer.program.code.back().op = Opcode::PowerF;
    made.optimizer.program.code.back().a = made.optimizer.program.code[0].result;
    made.optimizer.program.code.back().b = made.optimizer.program.code[1].result;
    made.graph.parts[1].optimizedParameters = 1e15;
    const auto error = std::get<EvaluationError>(made.evaluate());
    CHECK(error.what == EvaluationError::What::Optimizer);
  }
  SECTION("no algorithm") {
    made.machine.collectives.clear();
    const auto error = std::get<EvaluationError>(made.evaluate());
    CHECK(error.what == EvaluationError::What::NoAlgorithm);
    CHECK(error.node == 0);
  }
}

namespace {

/// Kernels 0.. of given times and collectives 0.. of given times, the second half overlappable.
struct Lanes {
  Graph graph;
  std::vector<KernelResult> kernels;
  std::vector<CollectivePrice> collectives;
  std::vector<double> exposed;

  uint32_t kernel(double time) {
    kernels.push_back({});
    kernels.back().time = time;
    return static_cast<uint32_t>(kernels.size()) - 1;
  }
  uint32_t collective(double time, bool overlappable) {
    graph.collectives.push_back({});
    graph.collectives.back().overlappable = overlappable;
    collectives.push_back({time, 0, {}});
    exposed.push_back(0);
    return static_cast<uint32_t>(collectives.size()) - 1;
  }
};

}  // namespace

TEST_CASE("Two lanes: what kernels cover is not exposed", "[eval]") {
  Lanes lanes;
  const uint32_t k = lanes.kernel(2);
  const uint32_t waits = lanes.collective(1, false);
  const uint32_t beside = lanes.collective(3, true);
  const uint32_t more = lanes.collective(2, true);
  auto run = [&](const std::vector<Issue>& issues) {
    lanes.exposed.assign(3, 0);
    const PhaseTime phase =
        overlap(issues, lanes.graph, Machine{}, lanes.kernels, lanes.collectives, lanes.exposed);
    CHECK(phase.span == phase.kernels + lanes.exposed[0] + lanes.exposed[1] + lanes.exposed[2]);
    return phase;
  };
  const Issue kernel{false, k}, wait{true, waits}, first{true, beside}, second{true, more};
  CHECK(run({kernel, wait, kernel}).span == 5);
  CHECK(lanes.exposed[waits] == 1);
  CHECK(run({first, kernel, kernel}).span == 4);  // covered
  CHECK(lanes.exposed[beside] == 0);
  CHECK(run({kernel, first, kernel}).span == 5);  // one second sticks out
  CHECK(lanes.exposed[beside] == 1);
  CHECK(run({first, second, kernel}).span == 5);  // one after the other: 1 s and 2 s stick out
  CHECK(lanes.exposed[beside] == 1);
  CHECK(lanes.exposed[more] == 2);
  // What is waited for also waits for the network.
  CHECK(run({first, kernel, wait, kernel}).span == 6);
  CHECK(lanes.exposed[beside] == 1);
  CHECK(lanes.exposed[waits] == 1);
  CHECK(run({}).span == 0);
}

TEST_CASE("Two lanes: a kernel waits for what it reads, not for later transfers", "[eval]") {
  Lanes lanes;
  const uint32_t k = lanes.kernel(2);
  const uint32_t early = lanes.collective(3, true);
  const uint32_t late = lanes.collective(4, true);
  auto run = [&](double contention, const std::vector<Issue>& issues) {
    lanes.exposed.assign(2, 0);
    Machine machine;
    machine.contention = contention;
    const PhaseTime phase =
        overlap(issues, lanes.graph, machine, lanes.kernels, lanes.collectives, lanes.exposed);
    CHECK(phase.span == Approx(phase.kernels + lanes.exposed[0] + lanes.exposed[1]));
    return phase;
  };
  const Issue kernel{false, k}, first{true, early}, second{true, late}, reads{false, k, early};
  // 3 s of transfer beside 2 s of kernel: a second exposed. The other goes on beside `reads`.
  CHECK(run(0, {first, second, kernel, reads}).span == Approx(7));
  CHECK(lanes.exposed[early] == Approx(1));
  CHECK(lanes.exposed[late] == Approx(2));
  CHECK(run(0, {first, kernel, kernel, reads}).span == Approx(6));  // long since done
  CHECK(run(0, {reads, first, kernel}).span == Approx(5));          // not issued yet
  // A quarter of the covered time is lost: of 2 s, and of the 3 s that kernels cover.
  CHECK(run(0.25, {first, kernel}).span == Approx(3.5));
  CHECK(lanes.exposed[early] == Approx(1 + 0.25 * 2));
  CHECK(run(0.25, {first, kernel, kernel}).span == Approx(4.75));
}

TEST_CASE("An algorithm that does not apply to a group is not used", "[eval]") {
  Case made;
  Options options;
  options.layerBytes = 1;
  fixture::build(options, made);
  auto& algorithms = made.machine.collectives.at(0).algorithms;
  const Name never = made.names.intern("never");
  Program program = fixture::collectiveProgram(2, 0, 1e9);
  program.code.push_back({Opcode::LessI, program.registerCount(), 1, 1, 0});
  program.spans.push_back({});
  program.outputs.push_back(program.registerCount() - 1);
  program.outputTypes.push_back(Number::Bool);
  algorithms.insert(algorithms.begin(), {never, program});
  CHECK(made.results().collectives.at(0).algorithm == made.names.intern("ring"));
  algorithms.pop_back();
  const auto error = std::get<EvaluationError>(made.evaluate());
  CHECK(error.what == EvaluationError::What::NoAlgorithm);
}

TEST_CASE("An overlappable gather hides behind backward kernels", "[eval]") {
  Options options;
  options.gatherBytes = 1.5;  // 1.625 s beside 2 s
  Case hidden;
  fixture::build(options, hidden);
  CHECK(hidden.results().time.exposed.at(0).exposed == 0);
  options.gatherBytes = 2.5;  // 2.625 s
  Case longer;
  fixture::build(options, longer);
  CHECK(longer.results().time.exposed.at(0).exposed == Approx(8 * 0.625));
}
