// Pipeline stages and chunks, cut by repeat counts.
#include <catch2/catch.hpp>

#include "tests/unit/gpt_model.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::vector<int64_t> total(const StageClass& stage) {
  std::vector<int64_t> result(stage.chunks.front().count.size(), 0);
  for (const Chunk& chunk : stage.chunks) {
    for (size_t i = 0; i < result.size(); ++i) result[i] += chunk.count[i];
  }
  return result;
}

}  // namespace

TEST_CASE("equal stages share a class", "[lower]") {
  GptSizes sizes;
  sizes.layers = 96;
  GptPlan plan;
  plan.pp = 8;
  plan.chunks = 3;
  Design design(sizes, plan);
  Graph graph = design.graph();
  REQUIRE(graph.stages.size() == 3);
  CHECK(graph.stages[0].stages == 1);
  CHECK(graph.stages[1].first == 1);
  CHECK(graph.stages[1].stages == 6);
  CHECK(graph.stages[2].first == 7);
  REQUIRE(graph.stages[0].chunks.size() == 3);
  CHECK(graph.stages[0].chunks[0].count == std::vector<int64_t>{1, 4, 0});
  CHECK(graph.stages[0].chunks[2].count == std::vector<int64_t>{0, 4, 0});
  CHECK(graph.stages[1].chunks[1].count == std::vector<int64_t>{0, 4, 0});
  CHECK(graph.stages[2].chunks[0].count == std::vector<int64_t>{0, 4, 0});
  CHECK(graph.stages[2].chunks[2].count == std::vector<int64_t>{0, 4, 1});
}

TEST_CASE("stages cover the pipeline and hold every part once", "[lower]") {
  GptSizes sizes;
  sizes.layers = 48;
  for (int64_t pp : {1, 2, 3, 4, 6, 12, 48}) {
    for (int64_t chunks : {1, 2, 4}) {
      if (48 % (pp * chunks) != 0) continue;
      GptPlan plan;
      plan.pp = pp;
      plan.chunks = chunks;
      Design design(sizes, plan);
      // A second kind of layer after the first, and one that occurs once between them.
      design.model.parts.insert(design.model.parts.begin() + 2, design.model.parts[1]);
      design.model.parts.insert(design.model.parts.begin() + 2, design.model.parts[1]);
      design.model.parts[1].repeat = 10;
      design.model.parts[2].repeat = 1;
      design.model.parts[3].repeat = 38;
      Graph graph = design.graph();
      std::vector<int64_t> sum(5, 0);
      int64_t next = 0;
      for (const StageClass& stage : graph.stages) {
        CHECK(stage.first == next);
        next += stage.stages;
        std::vector<int64_t> parts = total(stage);
        CHECK(parts[1] + parts[3] == 48 / pp);
        for (size_t i = 0; i < parts.size(); ++i) sum[i] += parts[i] * stage.stages;
      }
      CHECK(next == pp);
      CHECK(sum == std::vector<int64_t>{1, 10, 1, 38, 1});
    }
  }
}

TEST_CASE("the number of classes does not grow with stages", "[lower]") {
  GptSizes sizes;
  sizes.layers = 100'000;
  GptPlan plan;
  plan.pp = 50'000;
  Design design(sizes, plan);
  Graph graph = design.graph();
  CHECK(graph.stages.size() == 3);
  CHECK(graph.stages[1].stages == 49'998);
}

TEST_CASE("layers that do not divide", "[lower]") {
  GptSizes sizes;
  sizes.layers = 12;
  GptPlan plan;
  plan.pp = 5;
  Design design(sizes, plan);
  CHECK_FALSE(design.lowered());
  auto list = design.diagnostics.sorted(SourceMap());
  REQUIRE(list.size() == 1);
  CHECK(list[0].code == Code::E0515);
  CHECK(list[0].message == "12 layers do not divide over 5 stages of 1 chunk");
  CHECK(list[0].help == "pp can be 4 or 6");
}

TEST_CASE("a model without layers has one stage", "[lower]") {
  GptSizes sizes;
  sizes.layers = 1;
  CHECK(Design(sizes, {}).graph().stages.size() == 1);
  GptPlan plan;
  plan.pp = 2;
  Design design(sizes, plan);
  CHECK_FALSE(design.lowered());
  CHECK(design.diagnostics.sorted(SourceMap()).front().code == Code::E0515);
}
