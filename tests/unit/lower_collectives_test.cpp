// The collectives that one decoder layer and micro-batch must have, for degrees 1 to 64.
#include <catch2/catch.hpp>

#include "tests/unit/gpt_model.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

constexpr int64_t kDegrees[] = {1, 2, 4, 8, 16, 32, 64};

GptSizes wide() {
  GptSizes sizes;
  sizes.batch = 64;
  sizes.hidden = 512;
  sizes.heads = 64;
  sizes.seq = 128;
  sizes.layers = 64;
  return sizes;
}

int64_t count(const Graph& graph, const std::vector<Issue>& issues, CollectiveKind kind) {
  return countCollectives(graph, issues, kind, kTp);
}

int64_t parameterCount(const Part& part) {
  int64_t n = 0;
  for (const Tensor& t : part.tensors) n += t.parameter;
  return n;
}

}  // namespace

TEST_CASE("tensor parallelism: two all-reduces forward, two backward", "[lower]") {
  for (int64_t degree : kDegrees) {
    GptPlan plan;
    plan.tp = degree;
    Design design(wide(), plan);
    Graph graph = design.graph();
    const PartGraph& layer = graph.parts[kLayer];
    const int64_t two = degree > 1 ? 2 : 0;
    CHECK(count(graph, layer.forward, CollectiveKind::AllReduce) == two);
    CHECK(countCollectives(graph, layer.forward) == two);
    CHECK(count(graph, layer.backward, CollectiveKind::AllReduce) == two);
    CHECK(countCollectives(graph, layer.backward) == two);
    CHECK(countCollectives(graph, layer.optimizer) == 0);
    for (const CollectiveNode& node : graph.collectives) {
      if (node.part != kLayer) continue;
      CHECK(node.bytes == 64 * 128 * 512 * 2);  // batch * seq * hidden, whole
      CHECK(node.group.ranks == degree);
      CHECK_FALSE(node.overlappable);
    }
  }
}

TEST_CASE("sequence parallelism: gathers and reduce-scatters, mirrored, and re-gathers",
          "[lower]") {
  for (int64_t degree : kDegrees) {
    GptPlan plan;
    plan.tp = degree;
    plan.sp = true;
    Design design(wide(), plan);
    Graph graph = design.graph();
    const PartGraph& layer = graph.parts[kLayer];
    const int64_t one = degree > 1 ? 1 : 0;
    CHECK(count(graph, layer.forward, CollectiveKind::AllGather) == 2 * one);
    CHECK(count(graph, layer.forward, CollectiveKind::ReduceScatter) == 2 * one);
    CHECK(countCollectives(graph, layer.forward) == 4 * one);
    CHECK(count(graph, layer.backward, CollectiveKind::ReduceScatter) == 2 * one);
    CHECK(count(graph, layer.backward, CollectiveKind::AllGather) == (2 + 2) * one);
    CHECK(countCollectives(graph, layer.backward) == 6 * one);
    int64_t again = 0;
    for (const Issue& issue : layer.backward) {
      if (issue.collective) again += graph.collectives[issue.index].overlappable;
    }
    CHECK(again == 2 * one);
    // Gains and shifts of two norms, and the two biases that are added to slices of the sequence.
    CHECK(count(graph, layer.optimizer, CollectiveKind::AllReduce) == 6 * one);
    CHECK(countCollectives(graph, layer.optimizer) == 6 * one);
  }
}

TEST_CASE("gathered inputs that are kept are not gathered again", "[lower]") {
  GptPlan plan;
  plan.tp = 8;
  plan.sp = true;
  Design design(wide(), plan);
  Graph dropped = design.graph();
  design.plan.keepGathered = true;
  Graph kept = design.graph();
  CHECK(count(dropped, dropped.parts[kLayer].backward, CollectiveKind::AllGather) == 4);
  CHECK(count(kept, kept.parts[kLayer].backward, CollectiveKind::AllGather) == 2);
  // Two inputs of 2 bytes, whole instead of an eighth.
  double sbh = 64.0 * 128 * 512;
  CHECK(kept.parts[kLayer].keptBytes - dropped.parts[kLayer].keptBytes ==
        Approx(2 * 2 * sbh * (1 - 1.0 / 8)));
}

TEST_CASE("data parallelism: one gradient reduction a parameter a step", "[lower]") {
  for (int64_t degree : kDegrees) {
    GptPlan plan;
    plan.dp = degree;
    Design design(wide(), plan);
    Graph graph = design.graph();
    for (uint32_t part = 0; part < graph.parts.size(); ++part) {
      const PartGraph& p = graph.parts[part];
      CHECK(countCollectives(graph, p.forward) == 0);
      CHECK(countCollectives(graph, p.backward) == 0);
      int64_t parameters = parameterCount(design.model.parts[part]) - (part == kHead);  // tied
      int64_t expected = degree > 1 ? parameters : 0;
      CHECK(countCollectives(graph, p.optimizer, CollectiveKind::AllReduce, kDp) == expected);
      CHECK(countCollectives(graph, p.optimizer) == expected);
      for (const Issue& issue : p.optimizer) {
        CHECK(graph.collectives[issue.index].bucket == 1);  // one message
        CHECK(graph.collectives[issue.index].phase == Phase::Optimizer);
      }
    }
    CHECK(graph.dataRanks == degree);
  }
}

TEST_CASE("pipeline parallelism: point to point at each border", "[lower]") {
  for (int64_t degree : kDegrees) {
    for (bool sp : {false, true}) {
      GptPlan plan;
      plan.tp = 4;
      plan.sp = sp;
      plan.pp = degree;
      Design design(wide(), plan);
      Graph graph = design.graph();
      const size_t one = degree > 1 ? 1 : 0;
      REQUIRE(graph.boundary.size() == one);
      REQUIRE(graph.boundaryBackward.size() == one);
      REQUIRE(graph.tied.size() == one);
      if (!one) continue;
      const CollectiveNode& send = graph.collectives[graph.boundary[0]];
      CHECK(send.kind == CollectiveKind::PointToPoint);
      CHECK(send.group.ranks == 2);
      CHECK(send.bytes == 64 * 128 * 512 * 2 / (sp ? 4.0 : 1.0));
      CHECK(graph.collectives[graph.tied[0]].kind == CollectiveKind::AllReduce);
      CHECK(graph.collectives[graph.tied[0]].bytes == 512 * 512 * 4 / 4.0);
    }
  }
}

TEST_CASE("a replicated boundary tensor can be sent in slices", "[lower]") {
  GptPlan plan;
  plan.tp = 8;
  plan.pp = 2;
  Design design(wide(), plan);
  design.plan.scatterGather = true;
  Graph graph = design.graph();
  for (const auto& border : {graph.boundary, graph.boundaryBackward}) {
    REQUIRE(border.size() == 2);
    CHECK(graph.collectives[border[0]].bytes == 64 * 128 * 512 * 2 / 8.0);
    CHECK(graph.collectives[border[1]].kind == CollectiveKind::AllGather);
    CHECK(graph.collectives[border[1]].bytes == 64 * 128 * 512 * 2);
    CHECK(graph.collectives[border[1]].group.ranks == 8);
  }
}

TEST_CASE("degrees of one have no collective at all", "[lower]") {
  for (Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
    GptPlan plan;
    plan.sp = true;
    plan.zero = 3;
    plan.recompute = recompute;
    Design design({}, plan);
    Graph graph = design.graph();
    CHECK(graph.collectives.empty());
    CHECK(design.diagnostics.empty());
  }
}

TEST_CASE("the embedding and the head", "[lower]") {
  for (bool sp : {false, true}) {
    GptPlan plan;
    plan.tp = 8;
    plan.sp = sp;
    Design design(wide(), plan);
    Graph graph = design.graph();
    const PartGraph& embedding = graph.parts[kEmbedding];
    const PartGraph& head = graph.parts[kHead];
    const auto resolve = sp ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    CHECK(count(graph, embedding.forward, resolve) == 1);
    CHECK(countCollectives(graph, embedding.forward) == 1);
    CHECK(count(graph, embedding.backward, CollectiveKind::AllGather) == (sp ? 1 : 0));
    // Softmax statistics of a vocabulary in shards: three numbers a row.
    CHECK(count(graph, head.forward, CollectiveKind::AllReduce) == 1);
    CHECK(count(graph, head.forward, CollectiveKind::AllGather) == (sp ? 1 : 0));
    CHECK(graph.collectives[head.forward.back().index].bytes == 3 * 64 * 128 * 4);
    CHECK(count(graph, head.backward, resolve) == 1);
  }
}

TEST_CASE("full recompute issues the layer's forward again", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  plan.sp = true;
  plan.recompute = Recompute::Full;
  Design design(wide(), plan);
  Graph graph = design.graph();
  const PartGraph& layer = graph.parts[kLayer];
  REQUIRE(layer.recompute.size() == layer.forward.size());
  for (size_t i = 0; i < layer.forward.size(); ++i) {
    REQUIRE(layer.recompute[i].collective == layer.forward[i].collective);
    if (layer.forward[i].collective) {
      const CollectiveNode& a = graph.collectives[layer.forward[i].index];
      const CollectiveNode& b = graph.collectives[layer.recompute[i].index];
      CHECK(b.phase == Phase::Recompute);
      CHECK(a.kind == b.kind);
      CHECK(a.bytes == b.bytes);
    }
  }
  CHECK(graph.parts[kEmbedding].recompute.empty());
  CHECK(graph.parts[kHead].recompute.empty());
}

TEST_CASE("selective recompute runs the marked operations again", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  plan.recompute = Recompute::Selective;
  Design design(wide(), plan);
  Graph graph = design.graph();
  const auto& again = graph.parts[kLayer].recompute;
  REQUIRE(again.size() == 1);
  const KernelNode& node = graph.kernels[again[0].index];
  CHECK(design.names.text(design.model.parts[kLayer].operations[node.operation].name) ==
        "attention");
  CHECK(node.phase == Phase::Recompute);
}

TEST_CASE("overlap in backward reorders and drops nothing", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  plan.sp = true;
  Design design(wide(), plan);
  for (Operation& o : design.model.parts[kLayer].operations) {
    if (o.kind == OperationKind::Contract) o.kernels[2].deferrable = true;  // the weight's gradient
  }
  Graph waited = design.graph();
  design.plan.overlapBackward = true;
  Graph graph = design.graph();
  const std::vector<Issue>& issues = graph.parts[kLayer].backward;
  REQUIRE(issues.size() == waited.parts[kLayer].backward.size());
  CHECK(countCollectives(graph, issues) == 6);
  std::vector<bool> seen(graph.collectives.size(), false);
  std::vector<int64_t> kernels(graph.kernels.size(), 0);
  for (const Issue& issue : issues) {
    if (issue.collective) {
      CHECK(graph.collectives[issue.index].overlappable);
      seen[issue.index] = true;
    } else {
      ++kernels[issue.index];
      if (issue.waitsFor != kNone) CHECK(seen[issue.waitsFor]);  // issued before what waits for it
    }
  }
  for (size_t i = 0; i < graph.kernels.size(); ++i) {
    const KernelNode& node = graph.kernels[i];
    CHECK(kernels[i] == (node.part == kLayer && node.phase == Phase::Backward ? 1 : 0));
  }
}
