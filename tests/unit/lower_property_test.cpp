// Properties of lowering over random sizes and plans (seeded, so that every run is the same).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "tests/unit/gpt_model.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

class Generator {
public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  int64_t pick(std::initializer_list<int64_t> values) {
    return *(values.begin() + static_cast<long>(random_() % values.size()));
  }
  bool flip() { return random_() % 2 != 0; }

  void sizes(GptSizes& s) {
    s.heads = pick({4, 8, 12, 24, 96});
    s.hidden = s.heads * pick({8, 64, 128});
    s.seq = 48 * pick({1, 2, 8});
    s.batch = 12 * pick({1, 2, 4});
    s.vocab = 192 * pick({1, 5, 37});
    s.layers = pick({12, 24, 36});
    s.tied = flip();
    s.positions = flip();
  }
  /// A legal plan for such sizes.
  void plan(const GptSizes& s, GptPlan& p) {
    do p.tp = pick({1, 2, 3, 4, 6, 8, 12, 16});
    while (s.heads % p.tp != 0);
    p.dp = pick({1, 2, 3, 4, 6, 12});
    p.pp = pick({1, 2, 3, 4, 6});
    p.chunks = s.layers % (2 * p.pp) == 0 ? pick({1, 2}) : 1;
    p.sp = flip();
    p.zero = static_cast<int>(pick({0, 1, 2, 3}));
    p.recompute = static_cast<Recompute>(pick({0, 1, 2}));
  }

private:
  std::mt19937 random_;
};

/// FLOP of one phase over all devices, one micro-batch.
double totalWork(const Design& design, const Graph& graph, Phase phase) {
  std::vector<double> ofPart(graph.parts.size(), 0);
  Scratch scratch;
  for (const KernelNode& node : graph.kernels) {
    if (node.phase != phase) continue;
    const Operation& o = design.model.parts[node.part].operations[node.operation];
    const Program& program = design.model.programs[o.program];
    std::vector<Word> inputs, outputs(program.outputs.size());
    for (int64_t size : graph.localSizes[node.sizes]) inputs.push_back(wordOf(size));
    REQUIRE_FALSE(run(program, inputs, outputs, scratch));
    ofPart[node.part] += outputs[0].real;
  }
  int64_t stages = 0;
  double total = 0;
  for (const StageClass& stage : graph.stages) {
    stages += stage.stages;
    for (const Chunk& chunk : stage.chunks) {
      for (size_t part = 0; part < ofPart.size(); ++part) {
        total += static_cast<double>(chunk.count[part] * stage.stages) * ofPart[part];
      }
    }
  }
  return total * static_cast<double>(graph.devices) / static_cast<double>(stages);
}

}  // namespace

TEST_CASE("total work and parameters do not change under any plan", "[lower]") {
  Generator generator(20260101);
  for (int run = 0; run < 300; ++run) {
    GptSizes sizes;
    GptPlan plan;
    generator.sizes(sizes);
    generator.plan(sizes, plan);
    Design one(sizes, {}), design(sizes, plan);
    Graph whole = one.graph(), graph = design.graph();
    for (Phase phase : {Phase::Forward, Phase::Backward}) {
      REQUIRE(totalWork(design, graph, phase) == Approx(totalWork(one, whole, phase)));
    }
    for (uint32_t part = 0; part < graph.parts.size(); ++part) {
      REQUIRE(graph.parts[part].globalParameters == whole.parts[part].globalParameters);
      // What a rank holds, by what can be in shards.
      double held = 0;
      for (const Tensor& tensor : design.model.parts[part].tensors) {
        if (!tensor.parameter || (part == kHead && tensor.tiedTo && plan.pp == 1)) continue;
        double elements = 1;
        bool inShards = false;
        for (AxisId axis : tensor.axes) {
          std::string_view name = design.names.text(design.model.axes[axis].name);
          inShards |= name == "heads" || name == "ffn" || name == "vocab";
          elements *= static_cast<double>(design.model.axes[axis].size);
        }
        held += inShards ? elements / static_cast<double>(plan.tp) : elements;
      }
      REQUIRE(graph.parts[part].parameters == Approx(held));
    }
    REQUIRE(design.diagnostics.empty());
  }
}

TEST_CASE("what is kept shrinks with recompute, and never grows with degrees", "[lower]") {
  Generator generator(7);
  for (int run = 0; run < 100; ++run) {
    GptSizes sizes;
    GptPlan plan;
    generator.sizes(sizes);
    generator.plan(sizes, plan);
    auto layer = [&](GptPlan p, Recompute recompute) {
      p.recompute = recompute;
      Design design(sizes, p);
      return design.graph().parts[kLayer];
    };
    PartGraph none = layer(plan, Recompute::None);
    PartGraph selective = layer(plan, Recompute::Selective);
    PartGraph full = layer(plan, Recompute::Full);
    REQUIRE(full.keptBytes < selective.keptBytes);
    REQUIRE(selective.keptBytes < none.keptBytes);
    GptPlan more = plan;
    more.sp = true;
    REQUIRE(layer(more, Recompute::None).keptBytes <= none.keptBytes);
    more.dp = 12;
    REQUIRE(layer(more, Recompute::None).keptBytes <= none.keptBytes);
  }
}

TEST_CASE("the order of mesh axes and rules changes groups only", "[lower]") {
  Generator generator(99);
  for (int run = 0; run < 50; ++run) {
    GptSizes sizes;
    GptPlan plan;
    generator.sizes(sizes);
    generator.plan(sizes, plan);
    Design a(sizes, plan), b(sizes, plan);
    // tp, dp, pp becomes pp, tp, dp.
    auto moved = [](MeshAxisId axis) { return (axis + 1) % 3; };
    std::rotate(b.plan.mesh.begin(), b.plan.mesh.begin() + 2, b.plan.mesh.end());
    for (ShardRule& rule : b.plan.shards) {
      for (MeshAxisId& axis : rule.over) axis = moved(axis);
    }
    for (StoreRule& rule : b.plan.stores) {
      for (MeshAxisId& axis : rule.over) axis = moved(axis);
    }
    b.plan.stages = moved(b.plan.stages);
    b.plan.data = moved(b.plan.data);
    std::reverse(b.plan.shards.begin(), b.plan.shards.end());
    Graph x = a.graph(), y = b.graph();
    REQUIRE(x.collectives.size() == y.collectives.size());
    for (size_t i = 0; i < x.collectives.size(); ++i) {
      REQUIRE(x.collectives[i].kind == y.collectives[i].kind);
      REQUIRE(x.collectives[i].bytes == y.collectives[i].bytes);
      REQUIRE(x.collectives[i].why == y.collectives[i].why);
      REQUIRE(x.collectives[i].group.ranks == y.collectives[i].group.ranks);
    }
  }
}

TEST_CASE("lowering a design twice gives the same graph, whatever its size", "[lower]") {
  GptSizes sizes;
  sizes.layers = 128;
  sizes.heads = 64;
  sizes.hidden = 8192;
  sizes.seq = 8192;
  sizes.batch = 1000;
  sizes.vocab = 51200;
  GptPlan plan;
  plan.tp = 8;
  plan.sp = true;
  plan.dp = 1000;
  plan.pp = 16;
  plan.zero = 1;
  Design large(sizes, plan);
  Graph a = large.graph(), b = large.graph();
  CHECK(a.devices == 128'000);
  CHECK(a.collectives.size() == b.collectives.size());
  CHECK(a.kernels.size() == b.kernels.size());
  plan.dp = 10;
  Design small(sizes, plan);
  Graph c = small.graph();
  CHECK(a.collectives.size() == c.collectives.size());
  CHECK(a.kernels.size() == c.kernels.size());
}
