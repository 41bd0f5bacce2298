// Memory of a device against Korthikanti et al. 2022 (arXiv:2205.05198): the formulas of table 2,
// and what figures 1 and 7 make of them.
#include <catch2/catch.hpp>

#include <array>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

constexpr uint32_t kLayer = 1;
constexpr double kGiB = 1024.0 * 1024 * 1024;

struct Shape {
  const char* model;
  double layers, hidden, heads, microbatch;
  int64_t tp, pp, chunks, batch;
  double parametersAndOptimizer;  // GiB, figure 1 through Calculon: decoder layers only
  double tensorParallel, both;  // GiB of activations: no recompute; sequence parallel and selective
};

// Table 3's configurations; figures 1 and 7.
constexpr Shape kShapes[] = {
    {"Megatron_22B", 48, 6144, 64, 4, 8, 1, 1, 4, 45.56, 59.25, 9.56},
    {"Megatron_175B", 96, 12288, 96, 1, 8, 8, 3, 64, 45.56, 66.84, 12.35},
    {"Megatron_530B", 105, 20480, 128, 1, 8, 35, 3, 280, 31.64, 114.02, 23.08},
    {"Megatron_1T", 128, 25600, 160, 1, 8, 64, 1, 512, 32.96, 131.25, 26.56},
};

struct Mode {
  bool sp;
  const char* recompute;
};

constexpr Mode kModes[] = {{false, "none"},     {true, "none"},  {false, "selective"},
                           {true, "selective"}, {false, "full"}, {true, "full"}};

/// Bytes of one layer and micro-batch, table 2. Full recompute keeps the layer's input, which
/// sequence parallelism splits.
double ofLayer(const Shape& shape, const Mode& mode, double tp) {
  const double s = 2048, sbh = s * shape.microbatch * shape.hidden;
  const double scores = 5 * shape.heads * s / shape.hidden;
  const std::string recompute = mode.recompute;
  if (recompute == "full") return 2 * sbh / (mode.sp ? tp : 1);
  const double kept = recompute == "selective" ? 0 : scores;
  return mode.sp ? sbh / tp * (34 + kept) : sbh * (10 + 24 / tp + kept / tp);
}

std::string designOf(const Shape& shape, const Mode& mode, int64_t tp) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.gpt
import std.networks.dgx

design d {{
  model = gpt.{}
  chip = nvidia.A100_SXM_80GB {{ memory.hbm.capacity = 1_000 TB }}
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{
    batch = {}
    microbatch = {}
    precision = mixed(fp16)
  }}
  plan {{
    tp = {}
    pp = {}
    sp = {}
    recompute = {}
    schedule = {}
  }}
}}
)",
                     shape.model, tp * shape.pp, shape.batch, shape.microbatch, tp, shape.pp,
                     mode.sp, mode.recompute,
                     shape.chunks > 1 ? fmt::format("interleaved(chunks = {})", shape.chunks)
                                      : "one_forward_one_backward");
}

/// Layers whose activations the first stage holds at once: table 2 and section 4.2.3.
double layersInFlight(const Shape& shape) {
  if (shape.chunks == 1) return shape.layers;
  const double p = static_cast<double>(shape.pp);
  return shape.layers * (1 + (p - 1) / (p * static_cast<double>(shape.chunks)));
}

}  // namespace

TEST_CASE("activations of a layer are those of the formulas", "[model]") {
  for (const Shape& shape : kShapes) {
    for (const Mode& mode : kModes) {
      for (int64_t tp : {1, 2, 4, 8, 16}) {
        INFO(shape.model << " tp " << tp << " sp " << mode.sp << " " << mode.recompute);
        DesignText file(designOf(shape, mode, tp));
        const double kept = file.lowered("d").graph->parts[kLayer].keptBytes;
        CHECK(kept == Approx(ofLayer(shape, mode, static_cast<double>(tp))).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("weights, gradients and optimizer of the decoder layers: 18 bytes a parameter",
          "[model]") {
  for (const Shape& shape : kShapes) {
    INFO(shape.model);
    DesignText file(designOf(shape, kModes[3], shape.tp));
    const PartGraph& layer = file.lowered("d").graph->parts[kLayer];
    const double held = layer.weightBytes + layer.gradientBytes + layer.optimizerBytes;
    CHECK(held == Approx(18 * layer.parameters));
    CHECK(held * shape.layers / static_cast<double>(shape.pp) / kGiB ==
          Approx(shape.parametersAndOptimizer).epsilon(0.01));
  }
}

// Figures 1 and 7 leave out the embedding's dropout and what the last stage keeps for the loss: the
// memory report has both, the sum over layers has not.
TEST_CASE("activations of the first stage are those of figures 1 and 7", "[model]") {
  for (const Shape& shape : kShapes) {
    for (auto [mode, published] :
         {std::pair{kModes[0], shape.tensorParallel}, {kModes[3], shape.both}}) {
      INFO(shape.model << " " << mode.recompute);
      DesignText file(designOf(shape, mode, shape.tp));
      const double kept = file.lowered("d").graph->parts[kLayer].keptBytes;
      CHECK(kept * layersInFlight(shape) / kGiB == Approx(published).epsilon(0.01));
      const StepMemory& memory = file.results("d").memory;
      CHECK(memory.activations / kGiB == Approx(published).epsilon(0.03));
    }
  }
}

TEST_CASE("the published configurations fit in 80 GiB", "[model]") {
  for (const Shape& shape : kShapes) {
    for (const Mode& mode : {kModes[3], kModes[4]}) {
      INFO(shape.model << " " << mode.recompute);
      DesignText file(designOf(shape, mode, shape.tp));
      CHECK(file.results("d").memory.peak < 80 * kGiB);
    }
  }
}
