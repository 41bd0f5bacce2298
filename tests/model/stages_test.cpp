// Layers over pipeline stages where the embedding and the head count as layers.
#include <catch2/catch.hpp>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::string textOf(int64_t layers, int64_t stages, int64_t chunks, bool ends) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.llama
import std.networks.dgx

design d {{
  model = llama.Llama3_8B {{ layers = {} }}
  chip = nvidia.H100_SXM_80GB
  network = dgx.DGX_H100 {{ take = {} }}
  workload = training {{ batch = 64 }}
  plan {{
    pp = {}
    schedule = {}
    ends_as_layers = {}
  }}
}}
)",
                     layers, stages, stages,
                     chunks > 1 ? fmt::format("interleaved(chunks = {})", chunks)
                                : "one_forward_one_backward",
                     ends);
}

/// Layers of each stage, embedding and head apart.
std::vector<int64_t> layersOf(const EvaluatedDesign& design) {
  std::vector<int64_t> result;
  for (const StageClass& stage : design.graph->stages) {
    int64_t layers = 0;
    for (const Chunk& chunk : stage.chunks) layers += chunk.count[1];
    result.insert(result.end(), static_cast<size_t>(stage.stages), layers);
  }
  return result;
}

}  // namespace

// Llama 3 405B has 126 layers so that 128 divide (Dubey et al. 2024, arXiv:2407.21783, section 3.3.2).
TEST_CASE("embedding and head take the place of a layer on the first and the last stage") {
  DesignText file(textOf(126, 8, 1, true));
  CHECK(layersOf(file.lowered("d")) == std::vector<int64_t>{15, 16, 16, 16, 16, 16, 16, 15});
  DesignText chunked(textOf(126, 8, 8, true));
  CHECK(layersOf(chunked.lowered("d")) == std::vector<int64_t>{15, 16, 16, 16, 16, 16, 16, 15});
  DesignText alone(textOf(6, 8, 1, true));
  CHECK(layersOf(alone.lowered("d")) == std::vector<int64_t>{0, 1, 1, 1, 1, 1, 1, 0});
  const StageClass& last = alone.lowered("d").graph->stages.back();
  CHECK(last.chunks.back().count == std::vector<int64_t>{0, 0, 1});
  DesignText single(textOf(6, 1, 1, true));
  CHECK(layersOf(single.lowered("d")) == std::vector<int64_t>{6});
}

TEST_CASE("layers with their ends that do not divide are refused") {
  CHECK(DesignText(textOf(32, 8, 1, true)).refusal("d").find("E0515") == 0);
  CHECK(DesignText(textOf(30, 8, 1, true)).refusal("d").empty());
  CHECK(DesignText(textOf(30, 8, 1, false)).refusal("d").find("E0515") == 0);
}

TEST_CASE("layers lie as a plan lists them") {
  std::string text = textOf(30, 8, 1, false);
  text.replace(text.find("ends_as_layers = false"), 22, "stage_layers = [0, 4, 4, 4, 5, 5, 5, 3]");
  DesignText file(text);
  const EvaluatedDesign& design = file.lowered("d");
  CHECK(layersOf(design) == std::vector<int64_t>{0, 4, 4, 4, 5, 5, 5, 3});
  CHECK(design.graph->stages.front().chunks.front().count == std::vector<int64_t>{1, 0, 0});
}

// arXiv:2401.10241, section 6: the first stage has the first and the last piece. arXiv:2412.19437, figure 5: each
// stage has the piece of its place from either end.
TEST_CASE("schedules that fold the pipeline lay pieces in a V or twice") {
  auto chunks = [](const char* schedule, int64_t stage) {
    std::string text = textOf(32, 8, 1, false);
    text.replace(text.find("one_forward_one_backward"), 24, schedule);
    DesignText file(text);
    for (const StageClass& held : file.lowered("d").graph->stages) {
      if (held.first <= stage && stage < held.first + held.stages) return held.chunks;
    }
    return std::vector<Chunk>{};
  };
  using Counts = std::vector<int64_t>;
  CHECK(chunks("zero_bubble_v", 0)[0].count == Counts{1, 2, 0});
  CHECK(chunks("zero_bubble_v", 0)[1].count == Counts{0, 2, 1});
  CHECK(chunks("zero_bubble_v", 7)[0].count == Counts{0, 2, 0});
  CHECK(chunks("zero_bubble_v", 7)[1].count == Counts{0, 2, 0});
  CHECK(chunks("dual_pipe", 0)[0].count == Counts{1, 4, 0});
  CHECK(chunks("dual_pipe", 0)[1].count == Counts{0, 4, 1});
  CHECK(chunks("dual_pipe", 7)[0].count == Counts{0, 4, 1});
  CHECK(chunks("dual_pipe", 7)[1].count == Counts{1, 4, 0});
}
