// Activation memory of a layer against Korthikanti et al. 2022 (arXiv:2205.05198), Table 2.
#include <catch2/catch.hpp>

#include "tests/unit/gpt_model.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

struct Case {
  int64_t s, b, h, a;
};

constexpr Case kCases[] = {
    {2048, 4, 6144, 64},   {2048, 1, 12288, 96}, {2048, 1, 20480, 128},
    {2048, 1, 25600, 160}, {512, 2, 1024, 32},
};

PartGraph layerOf(const Case& c, int64_t t, bool sp, Recompute recompute) {
  GptSizes sizes;
  sizes.batch = c.b;
  sizes.seq = c.s;
  sizes.hidden = c.h;
  sizes.heads = c.a;
  sizes.vocab = 51200;
  GptPlan plan;
  plan.tp = t;
  plan.sp = sp;
  plan.recompute = recompute;
  Design design(sizes, plan);
  return design.graph().parts[kLayer];
}

}  // namespace

TEST_CASE("activations of a layer, as published", "[lower]") {
  for (const Case& c : kCases) {
    const double sbh = static_cast<double>(c.s) * static_cast<double>(c.b * c.h);
    const double scores = 5.0 * static_cast<double>(c.a * c.s) / static_cast<double>(c.h);
    for (int64_t t : {1, 2, 4, 8, 16, 32}) {
      const auto d = static_cast<double>(t);
      auto kept = [&](bool sp, Recompute recompute) {
        return layerOf(c, t, sp, recompute).keptBytes;
      };
      CHECK(kept(false, Recompute::None) ==
            Approx(sbh * (10 + 24 / d + scores / d)).epsilon(1e-12));
      CHECK(kept(true, Recompute::None) == Approx(sbh / d * (34 + scores)).epsilon(1e-12));
      CHECK(kept(false, Recompute::Selective) == Approx(sbh * (10 + 24 / d)).epsilon(1e-12));
      CHECK(kept(true, Recompute::Selective) == Approx(34 * sbh / d).epsilon(1e-12));
      CHECK(kept(false, Recompute::Full) == Approx(2 * sbh).epsilon(1e-12));
      CHECK(kept(true, Recompute::Full) == Approx(2 * sbh / d).epsilon(1e-12));
    }
  }
}

TEST_CASE("what recompute drops is alive while its own backward runs", "[lower]") {
  const Case c{2048, 1, 12288, 96};
  PartGraph none = layerOf(c, 8, true, Recompute::None);
  PartGraph selective = layerOf(c, 8, true, Recompute::Selective);
  PartGraph full = layerOf(c, 8, true, Recompute::Full);
  CHECK(none.transientBytes == 0);
  CHECK(selective.keptBytes + selective.transientBytes == Approx(none.keptBytes));
  CHECK(full.keptBytes + full.transientBytes == Approx(none.keptBytes));
}

TEST_CASE("parts that occur once are not recomputed", "[lower]") {
  GptSizes sizes;
  sizes.layers = 1;
  GptPlan plan;
  plan.recompute = Recompute::Full;
  Design design(sizes, plan);
  Graph graph = design.graph();
  CHECK(graph.parts[kLayer].recompute.empty());
  CHECK(graph.parts[kLayer].keptBytes > 10 * 4 * 64 * 128);
}

TEST_CASE("the part that uses its input keeps it, not the part that made it", "[lower]") {
  Design design({}, {});
  Graph graph = design.graph();
  // Only the dropout mask: the embedding's output is counted by the first layer.
  CHECK(graph.parts[kEmbedding].keptBytes == 4 * 64 * 128);
}
