// Weights, gradients and optimizer state of a device; ZeRO; tied and replicated parameters.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/gpt_model.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

double layerParameters(const GptSizes& s) {
  const auto h = static_cast<double>(s.hidden);
  const double kv = s.kvHeads ? static_cast<double>(s.kvHeads) / static_cast<double>(s.heads) : 1;
  return 2 * h * h + 2 * kv * h * h + 8 * h * h  // matrices
         + h + 2 * kv * h + h + 4 * h + h        // biases
         + 4 * h;                                // norms
}

}  // namespace

TEST_CASE("parameters, once over the model", "[lower]") {
  GptSizes sizes;
  for (int64_t tp : {1, 2, 8}) {
    for (int64_t pp : {1, 2}) {
      GptPlan plan;
      plan.tp = tp;
      plan.pp = pp;
      Design design(sizes, plan);
      Graph graph = design.graph();
      CHECK(graph.parts[kLayer].globalParameters == layerParameters(sizes));
      CHECK(graph.parts[kEmbedding].globalParameters == (512 + 64) * 128);
      CHECK(graph.parts[kHead].globalParameters == 2 * 128);  // the head's weight is tied
      // On one stage the tied weight is held once, on two stages twice.
      CHECK(graph.parts[kHead].parameters ==
            2 * 128 + (pp == 1 ? 0.0 : 512.0 * 128 / static_cast<double>(tp)));
    }
  }
}

TEST_CASE("untied parameters are counted each", "[lower]") {
  GptSizes sizes;
  sizes.tied = false;
  GptPlan plan;
  plan.pp = 2;
  Design design(sizes, plan);
  Graph graph = design.graph();
  CHECK(graph.parts[kHead].globalParameters == 2 * 128 + 512 * 128);
  CHECK(graph.tied.empty());
}

TEST_CASE("ZeRO divides storage and changes the collectives", "[lower]") {
  GptSizes sizes;
  sizes.batch = 8;
  const double n = layerParameters(sizes);
  for (int zero : {0, 1, 2, 3}) {
    GptPlan plan;
    plan.dp = 8;
    plan.zero = zero;
    Design design(sizes, plan);
    Graph graph = design.graph();
    const PartGraph& layer = graph.parts[kLayer];
    CHECK(layer.parameters == n);
    CHECK(layer.weightBytes == Approx(2 * n / (zero >= 3 ? 8 : 1)));
    CHECK(layer.gradientBytes == Approx(4 * n / (zero >= 2 ? 8 : 1)));
    CHECK(layer.optimizedParameters == Approx(n / (zero >= 1 ? 8 : 1)));
    CHECK(layer.optimizerBytes == Approx(12 * n / (zero >= 1 ? 8 : 1)));
    auto count = [&](const std::vector<Issue>& issues, CollectiveKind kind) {
      return countCollectives(graph, issues, kind, kDp);
    };
    CHECK(count(layer.optimizer, CollectiveKind::AllReduce) == (zero == 0 ? 16 : 0));
    CHECK(count(layer.optimizer, CollectiveKind::ReduceScatter) == (zero == 1 ? 16 : 0));
    CHECK(count(layer.optimizer, CollectiveKind::AllGather) == (zero == 1 || zero == 2 ? 16 : 0));
    CHECK(count(layer.backward, CollectiveKind::ReduceScatter) == (zero >= 2 ? 16 : 0));
    CHECK(count(layer.forward, CollectiveKind::AllGather) == (zero == 3 ? 16 : 0));
    CHECK(count(layer.backward, CollectiveKind::AllGather) == (zero == 3 ? 16 : 0));
  }
}

TEST_CASE("ZeRO-1 beside tensor parallelism", "[lower]") {
  GptSizes sizes;
  sizes.batch = 8;
  GptPlan plan;
  plan.tp = 4;
  plan.sp = true;
  plan.dp = 4;
  plan.zero = 1;
  Design design(sizes, plan);
  Graph graph = design.graph();
  const PartGraph& layer = graph.parts[kLayer];
  auto count = [&](CollectiveKind kind, MeshAxisId axis) {
    return countCollectives(graph, layer.optimizer, kind, axis);
  };
  CHECK(count(CollectiveKind::AllReduce, kTp) == 6);
  CHECK(count(CollectiveKind::AllReduce, kDp) == 0);
  CHECK(count(CollectiveKind::ReduceScatter, kDp) == 16);
  CHECK(count(CollectiveKind::AllGather, kDp) == 16);
  double gradients = 0, weights = 0;
  for (const Issue& issue : layer.optimizer) {
    const CollectiveNode& node = graph.collectives[issue.index];
    if (node.kind == CollectiveKind::ReduceScatter) gradients += node.bytes;
    if (node.kind == CollectiveKind::AllGather) weights += node.bytes;
  }
  CHECK(gradients == Approx(4 * layer.parameters));
  CHECK(weights == Approx(2 * layer.parameters));
}

TEST_CASE("key and value heads fewer than tensor-parallel ranks are replicated", "[lower]") {
  GptSizes sizes;
  sizes.heads = 16;
  sizes.kvHeads = 2;
  GptPlan plan;
  plan.tp = 8;
  Design design(sizes, plan);
  Graph graph = design.graph();
  const Part& layer = design.model.parts[kLayer];
  const PartGraph& result = graph.parts[kLayer];
  CHECK(result.globalParameters == layerParameters(sizes));
  // Each rank holds one of two kv heads: 4 times more than an eighth.
  const double whole = 128.0 * 2 * 8 + 2 * 8;  // w_k and b_k
  const double rest = layerParameters(sizes) - 2 * whole - 6 * 128;
  CHECK(result.parameters == Approx(rest / 8 + 2 * whole / 2 + 6 * 128));
  // Still two all-reduces each way: k's and v's gradients stay Partial into their weights'.
  CHECK(countCollectives(graph, result.forward) == 2);
  CHECK(countCollectives(graph, result.backward) == 2);
  // Gradients of w_k, w_v, b_k, b_v over the 4 replicas, once a step.
  REQUIRE(countCollectives(graph, result.optimizer) == 4);
  for (const Issue& issue : result.optimizer) {
    const CollectiveNode& node = graph.collectives[issue.index];
    CHECK(node.group.ranks == 4);
    CHECK(node.group.ranksOnLevel == std::vector<int64_t>{4, 1});
    std::string_view name = design.names.text(node.name);
    CHECK((name.ends_with("_k") || name.ends_with("_v")));
  }
  for (const KernelNode& node : graph.kernels) {
    if (node.part != kLayer) continue;
    const Operation& operation = layer.operations[node.operation];
    for (size_t i = 0; i < operation.sizes.size(); ++i) {
      const int64_t size = graph.localSizes[node.sizes][i];
      if (operation.sizes[i] == design.axis("kv_heads")) CHECK(size == 1);
      if (operation.sizes[i] == design.axis("heads")) CHECK(size == 2);
    }
  }
}

TEST_CASE("replicated key and value heads under sequence parallelism", "[lower]") {
  GptSizes sizes;
  sizes.heads = 16;
  GptPlan plan;
  plan.tp = 8;
  plan.sp = true;
  for (int64_t kvHeads : {16, 8, 4, 2, 1}) {
    sizes.kvHeads = kvHeads;
    Design design(sizes, plan);
    Graph graph = design.graph();
    const PartGraph& layer = graph.parts[kLayer];
    auto count = [&](const std::vector<Issue>& issues, CollectiveKind kind) {
      return countCollectives(graph, issues, kind, kTp);
    };
    // The input of q, k and v is gathered once over all of tp, and its gradients are summed once.
    CHECK(count(layer.forward, CollectiveKind::AllGather) == 2);
    CHECK(count(layer.forward, CollectiveKind::ReduceScatter) == 2);
    CHECK(countCollectives(graph, layer.forward) == 4);
    CHECK(count(layer.backward, CollectiveKind::AllGather) == 4);
    CHECK(count(layer.backward, CollectiveKind::ReduceScatter) == 2);
    CHECK(countCollectives(graph, layer.backward) == 6);
    CHECK(countCollectives(graph, layer.optimizer) == (kvHeads < 8 ? 6 + 4 : 6));
  }
}

TEST_CASE("a fused kernel sees the local sizes of all its weights", "[lower]") {
  GptSizes sizes;
  sizes.heads = 16;
  GptPlan plan;
  plan.tp = 8;
  for (int64_t kvHeads : {16, 8, 2, 1}) {
    sizes.kvHeads = kvHeads;
    Design design(sizes, plan);
    Part& layer = design.model.parts[kLayer];
    for (uint32_t o = 0; o < layer.operations.size(); ++o) {
      std::string_view name = design.names.text(layer.operations[o].name);
      if (name != "attention.w_q" && name != "attention.w_k") continue;
      layer.operations[o].sizes = {design.axis("heads"), design.axis("kv_heads")};
      layer.operations[o].program = kNone;
    }
    Graph graph = design.graph();
    for (const KernelNode& node : graph.kernels) {
      if (node.part != kLayer || layer.operations[node.operation].sizes.size() != 2) continue;
      CHECK(graph.localSizes[node.sizes] ==
            std::vector<int64_t>{2, std::max<int64_t>(kvHeads / 8, 1)});
    }
  }
}
