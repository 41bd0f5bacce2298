// The placement algebra, and the placing of operations beyond a plain decoder layer.
#include "frontend/lower/placement.h"

#include <catch2/catch.hpp>

#include "tests/unit/part_builder.h"

using namespace sysdl;
using namespace sysdl::lowering;
using namespace sysdl::test;

namespace {

Placement placement(std::initializer_list<FactorSet> axes, FactorSet partial = 0) {
  Placement p;
  p.axes.append(axes.begin(), axes.end());
  p.partial = partial;
  return p;
}

using Kinds = std::vector<CollectiveKind>;

Kinds kinds(const Placement& from, const Placement& to) {
  Kinds result;
  for (const Step& step : stepsBetween(from, to)) result.push_back(step.kind);
  return result;
}

/// The kinds of the collectives of a list of issues, in order.
Kinds kinds(const Graph& graph, const std::vector<Issue>& issues) {
  Kinds result;
  for (const Issue& issue : issues) {
    if (issue.collective) result.push_back(graph.collectives[issue.index].kind);
  }
  return result;
}

constexpr auto kReduce = CollectiveKind::AllReduce;
constexpr auto kGather = CollectiveKind::AllGather;
constexpr auto kScatter = CollectiveKind::ReduceScatter;

const Axes kX{"batch", "seq", "hidden"};

/// A design whose parts a test builds itself.
struct EmptyDesign : Design {
  EmptyDesign(int64_t tp, bool sp) : Design({}, {.tp = tp, .sp = sp}) { model.parts.clear(); }
};

}  // namespace

TEST_CASE("the collective of each change of placement", "[lower]") {
  CHECK(kinds(placement({0, 0}), placement({0, 0})).empty());
  CHECK(kinds(placement({0, 0}), placement({1, 0})).empty());  // a slice
  CHECK(kinds(placement({0, 0}, 1), placement({0, 0})) == Kinds{kReduce});
  CHECK(kinds(placement({0, 0}, 1), placement({1, 0})) == Kinds{kScatter});
  CHECK(kinds(placement({1, 0}), placement({0, 0})) == Kinds{kGather});
  CHECK(kinds(placement({1, 0}), placement({0, 1})) == Kinds{CollectiveKind::AllToAll});
  CHECK(kinds(placement({0, 0}, 1), placement({0, 0}, 1)).empty());
  // Reductions come before gathers, on less data.
  CHECK(kinds(placement({2, 0}, 1), placement({0, 0})) == Kinds{kReduce, kGather});
  CHECK(kinds(placement({0, 0}, 3), placement({1, 0})) == Kinds{kScatter, kReduce});
  CHECK(kinds(placement({3, 0}), placement({0, 0})) == Kinds{kGather});
}

TEST_CASE("every change of placement ends where it should", "[lower]") {
  std::vector<Placement> all;  // of two axes on two factors
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      Placement p = placement({0, 0});
      for (auto [factor, where] : {std::pair{1U, a}, std::pair{2U, b}}) {
        if (where == 1) p.axes[0] |= factor;
        if (where == 2) p.axes[1] |= factor;
        if (where == 3) p.partial |= factor;
      }
      all.push_back(p);
    }
  }
  for (const Placement& from : all) {
    for (const Placement& to : all) {
      if (to.partial & ~from.partial) continue;
      std::vector<Step> steps = stepsBetween(from, to);
      if (!steps.empty()) CHECK(steps.back().to == to);
      FactorSet moved = 0;
      for (const Step& step : steps) {
        CHECK(step.group != 0);
        CHECK((moved & step.group) == 0);  // one collective for each mismatch
        moved |= step.group;
      }
    }
  }
}

TEST_CASE("an axis that must be whole is gathered, one with statistics is not", "[lower]") {
  for (double statistics : {0.0, 2.0}) {
    EmptyDesign design(4, false);
    design.plan.shards = {{design.axis("hidden"), {kTp}, false, {}}};
    PartBuilder b(design, "part", 2);
    TensorId x = b.input("x", kX);
    TensorId y = b.like("y", x);
    Operation& o = b.apply("norm", {x}, y);
    o.reduces = {design.axis("hidden")};
    o.statistics = statistics;
    b.output(b.add("out", x, y));
    b.finish();
    Graph graph = design.graph();
    if (statistics > 0) {
      CHECK(kinds(graph, graph.parts[0].forward) == Kinds{kReduce});
      CHECK(graph.collectives[0].bytes == 2 * 4 * 64 * 4);
      CHECK(graph.parts[0].backward.empty());
    } else {
      // The norm's whole output is added in slices, so its gradient is gathered.
      CHECK(kinds(graph, graph.parts[0].forward) == Kinds{kGather});
      CHECK(kinds(graph, graph.parts[0].backward) == Kinds{kGather});
    }
  }
}

TEST_CASE("a sum of two Partial values is made once", "[lower]") {
  for (bool sp : {false, true}) {
    for (bool pairFirst : {false, true}) {
      // out = x + (a + b) or (x + a) + b, where a and b each contract over shards.
      EmptyDesign design(4, sp);
      PartBuilder b(design, "part", 2);
      TensorId x = b.input("x", kX);
      TensorId h = b.norm("norm", x);
      TensorId a = b.contract("a", b.contract("f", h, {"hidden"}, {"ffn"}, "w_1"), {"ffn"},
                              {"hidden"}, "w_2");
      TensorId c = b.contract("c", b.contract("g", h, {"hidden"}, {"ffn"}, "w_3"), {"ffn"},
                              {"hidden"}, "w_4");
      b.output(pairFirst ? b.add("out", x, b.add("sum", a, c))
                         : b.add("out", b.add("sum", x, a), c));
      b.finish();
      Graph graph = design.graph();
      Kinds resolve(pairFirst ? 1 : 2, sp ? kScatter : kReduce);
      Kinds forward = resolve;
      if (sp) forward.insert(forward.begin(), kGather);
      CHECK(kinds(graph, graph.parts[0].forward) == forward);
      // Both paths' gradients of the norm's output are summed before they are moved.
      const auto& backward = graph.parts[0].backward;
      CHECK(countCollectives(graph, backward, sp ? kScatter : kReduce, kTp) == 1);
      // Gathered: the output's gradient (once for a sum, once for each term else) and h again.
      CHECK(countCollectives(graph, backward, kGather, kTp) == (sp ? (pairFirst ? 1 : 2) + 1 : 0));
    }
  }
}

TEST_CASE("Partial values pass through linear operations that do not use the mesh axis",
          "[lower]") {
  EmptyDesign design(4, false);
  PartBuilder b(design, "part", 2);
  TensorId x = b.input("x", kX);
  TensorId h = b.norm("norm", x);
  TensorId f = b.contract("f", h, {"hidden"}, {"ffn"}, "w_1");
  TensorId z = b.contract("z", f, {"ffn"}, {"head_dim"}, "down");
  TensorId y = b.contract("y", z, {"head_dim"}, {"hidden"}, "up");
  b.output(b.add("out", x, y));
  b.finish();
  Graph graph = design.graph();
  const PartGraph& part = graph.parts[0];
  CHECK(kinds(graph, part.forward) == Kinds{kReduce});
  CHECK(design.names.text(graph.collectives[part.forward.back().index].name) == "y");
  CHECK(kinds(graph, part.backward) == Kinds{kReduce});
  // Its input is a term of a sum, so the weight's gradient is one too.
  CHECK(kinds(graph, part.optimizer) == Kinds{kReduce});
  CHECK(design.names.text(graph.collectives[part.optimizer[0].index].name) == "up");
}

TEST_CASE("a bias is added once to a Partial value, and lets Partial gradients through",
          "[lower]") {
  Design design({}, {.tp = 4});
  Part& layer = design.model.parts[kLayer];
  for (Operation& o : layer.operations) {
    const bool bias = o.kind == OperationKind::Add && layer.tensors[o.inputs[1]].parameter;
    if (bias) o.kind = OperationKind::Apply;  // an operator's call that says it is linear
  }
  Graph graph = design.graph();
  CHECK(kinds(graph, graph.parts[kLayer].forward) == Kinds{kReduce, kReduce});
  CHECK(kinds(graph, graph.parts[kLayer].backward) == Kinds{kReduce, kReduce});
  for (const Issue& issue : graph.parts[kLayer].forward) {
    if (!issue.collective) continue;
    std::string_view name = design.names.text(graph.collectives[issue.index].name);
    CHECK((name == "o0" || name == "z0"));  // before the bias, not after
  }
}

TEST_CASE("a residual output is computed in its shards where nothing else wants the axis",
          "[lower]") {
  EmptyDesign design(4, true);
  design.plan.shards.erase(design.plan.shards.begin(), design.plan.shards.begin() + 4);
  PartBuilder b(design, "embedding", 1);
  TensorId tokens = b.tensor("tokens", {"batch", "seq"});
  TensorId table = b.parameter("table", {"vocab", "hidden"});
  TensorId x = b.tensor("x", kX);
  Operation& o = b.apply("embedding", {tokens, table}, x);
  o.linear = true;
  b.program(o, {"seq"}, {{1, {0}}}, 0);
  b.output(x);
  b.finish();
  PartBuilder c(design, "head", 1);
  x = c.input("x", kX);
  c.apply("loss", {x}, c.tensor("loss", {"batch", "seq"}));
  c.finish();
  Graph graph = design.graph();
  CHECK(graph.localSizes[graph.kernels[0].sizes] == std::vector<int64_t>{16});
  CHECK(graph.parts[0].forward.size() == 1);
  // The table is whole on each rank, its gradient a sum over slices of the sequence.
  CHECK(graph.parts[0].parameters == 512 * 128);
  CHECK(kinds(graph, graph.parts[0].optimizer) == Kinds{kReduce});
}

TEST_CASE("a later rule replaces an earlier one for the same pair", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  Design design({}, plan);
  const AxisId seq = design.axis("seq");
  design.plan.shards.push_back({seq, {kTp}, false, {}});
  design.plan.shards.push_back({seq, {kTp}, true, {}});
  plan.sp = true;
  Design sp({}, plan);
  Graph a = design.graph(), b = sp.graph();
  CHECK(a.parts[kLayer].keptBytes == b.parts[kLayer].keptBytes);
  CHECK(a.collectives.size() == b.collectives.size());
}

TEST_CASE("parameters win a mesh axis, activations move", "[lower]") {
  // The sequence over tp everywhere, not only where residual: the same collectives as with it.
  GptPlan plan;
  plan.tp = 4;
  Design everywhere({}, plan);
  everywhere.plan.shards.push_back({everywhere.axis("seq"), {kTp}, false, {}});
  plan.sp = true;
  Design residual({}, plan);
  Graph a = everywhere.graph(), b = residual.graph();
  CHECK(kinds(a, a.parts[kLayer].forward) == kinds(b, b.parts[kLayer].forward));
  CHECK(kinds(a, a.parts[kLayer].backward) == kinds(b, b.parts[kLayer].backward));
}
