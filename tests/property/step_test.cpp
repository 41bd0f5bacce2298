// Lowering and evaluation together, on a GPT: counts that no plan may change, against closed forms
// from the literature.
#include <catch2/catch.hpp>

#include <random>

#include "eval/evaluate.h"
#include "eval/step.h"
#include "tests/unit/eval_fixture.h"
#include "tests/unit/gpt_model.h"

using namespace sysdl;
using test::Design;
using test::GptPlan;
using test::GptSizes;

namespace {

void addCollectives(Design& design) {
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll, CollectiveKind::PointToPoint}) {
    const size_t levels = design.machine.levels.size();
    design.machine.collectives.push_back(
        {kind, {{design.names.intern("ring"), fixture::collectiveProgram(levels, 1e3, 1e-2)}}});
  }
}

StepResults resultsOf(Design& design, const Graph& graph) {
  Scratch scratch;
  Evaluation evaluation = evaluate(design.model, design.plan, design.machine, design.optimizer,
                                   graph, design.names, scratch);
  REQUIRE(std::holds_alternative<StepResults>(evaluation));
  return std::get<StepResults>(std::move(evaluation));
}

/// Narayanan et al. 2021 (arXiv:2104.04473), appendix, per layer and micro-batch of all ranks:
/// matrix products 24 B s h^2, attention 4 B s^2 h, logits 6 B s h V; backward twice that.
struct ClosedForm {
  double layers, attention, logits;

  ClosedForm(const GptSizes& sizes, int64_t microbatches) {
    const auto s = static_cast<double>(sizes.seq), h = static_cast<double>(sizes.hidden);
    const auto tokens = static_cast<double>(sizes.batch * microbatches) * s;
    const auto count = static_cast<double>(sizes.layers);
    layers = 24 * tokens * h * h * count;
    attention = 4 * tokens * s * h * count;
    logits = 2 * tokens * h * static_cast<double>(sizes.vocab);
  }
  double model() const { return 3 * (layers + attention + logits); }
  double hardware(Recompute recompute) const {
    if (recompute == Recompute::Full) return model() + layers + attention;
    return recompute == Recompute::Selective ? model() + attention : model();
  }
};

}  // namespace

TEST_CASE("FLOP of a step are those of the model under any plan", "[eval]") {
  GptSizes sizes;
  sizes.batch = 8;
  sizes.seq = 32;
  sizes.layers = 8;
  const double parameters = [&] {
    Design design(sizes, {});
    addCollectives(design);
    return resultsOf(design, design.graph()).parameters;
  }();
  for (int64_t tp : {1, 2, 8}) {
    for (int64_t dp : {1, 4}) {
      for (int64_t pp : {1, 2, 4}) {
        for (Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
          GptPlan plan;
          plan.tp = tp;
          plan.dp = dp;
          plan.pp = pp;
          plan.sp = tp > 1;
          plan.recompute = recompute;
          plan.chunks = pp == 2 ? 2 : 1;
          plan.zero = dp > 1 ? static_cast<int>(pp) % 4 : 0;
          Design design(sizes, plan);
          design.plan.microbatches = 12;
          addCollectives(design);
          const StepResults results = resultsOf(design, design.graph());
          const ClosedForm expected(sizes, 12);
          CAPTURE(tp, dp, pp, static_cast<int>(recompute));
          CHECK(results.modelFlops == Approx(expected.model()).epsilon(1e-9));
          CHECK(results.hardwareFlops == Approx(expected.hardware(recompute)).epsilon(1e-9));
          CHECK(results.parameters == parameters);
          CHECK(results.time.step == sumOf(results.time));
          CHECK((results.wireBytes > 0) == (tp * dp * pp > 1));
        }
      }
    }
  }
}

TEST_CASE("A plan with all degrees 1 only computes", "[eval]") {
  Design design({}, {});
  design.plan.microbatches = 3;
  const StepResults results = resultsOf(design, design.graph());
  CHECK(results.collectives.empty());
  CHECK(results.time.bubble == 0);
  CHECK(results.time.step ==
        Approx(results.time.forward + results.time.backward + results.time.optimizer));
  // A toy kernel takes a second a FLOP.
  CHECK(results.time.step == Approx(results.hardwareFlops));
}

TEST_CASE("Micro-batches and data ranks change no cost of evaluation, only its numbers", "[eval]") {
  GptSizes sizes;
  sizes.layers = 16;
  GptPlan plan;
  plan.tp = 2;
  plan.pp = 4;
  plan.chunks = 2;
  Design few(sizes, plan), many(sizes, plan);
  few.plan.microbatches = 8;
  many.plan.microbatches = 800'000;
  addCollectives(few);
  addCollectives(many);
  const Graph graph = few.graph();
  const StepResults small = resultsOf(few, graph), large = resultsOf(many, graph);
  CHECK(large.modelFlops == Approx(1e5 * small.modelFlops));
  CHECK(large.memory.activations == small.memory.activations);
  CHECK(large.time.forward == Approx(1e5 * small.time.forward));
  CHECK(large.time.bubble < 2 * small.time.bubble);
}
