// Fused attention against the benchmark figures of Dao-AILab/flash-attention: 16,384 tokens, width
// 2,048, forward and backward together, and what it keeps for backward.
#include <catch2/catch.hpp>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

constexpr uint32_t kLayer = 1;

struct Row {
  const char* chip;
  int64_t width, sequence;
  double rate;  // TFLOP/s: 4 S^2 d a forward, half of it under the causal mask, 2.5 times backward
};

// Causal rows of flash2_a100_fwd_bwd_benchmark.png and flash2_h100_fwd_bwd_benchmark.png that no
// constant is fitted to.
constexpr Row kRows[] = {
    {"A100", 64, 512, 88},    {"A100", 64, 2048, 140},  {"A100", 64, 8192, 165},
    {"A100", 64, 16384, 171}, {"H100", 64, 512, 141},   {"H100", 64, 2048, 232},
    {"H100", 64, 8192, 273},  {"H100", 64, 16384, 284}, {"H100", 128, 512, 163},
    {"H100", 128, 2048, 265}, {"H100", 128, 8192, 308}, {"H100", 128, 16384, 328},
};

GptText designOf(const Row& row) {
  GptText d;
  d.hidden = 2048;
  d.heads = 2048 / row.width;
  d.sequence = row.sequence;
  d.microbatch = 16'384 / row.sequence;
  d.batch = d.microbatch;
  d.more = "model.attention_kernel = flash";
  if (std::string_view(row.chip) == "H100") {
    d.more += "\n  chip = nvidia.H100_SXM_80GB";
  }
  return d;
}

/// Seconds of all kernels of the layer's attention.
double attentionTime(DesignText& file) {
  const EvaluatedDesign& design = file["d"];
  double time = 0;
  for (const KernelResult& kernel : design.results->kernels) {
    const KernelNode& node = design.graph->kernels[kernel.node];
    const Part& part = design.inputs->model.parts[node.part];
    if (file.names().text(part.operations[node.operation].name) == "attention") time += kernel.time;
  }
  return time;
}

}  // namespace

TEST_CASE("fused attention takes what was measured, within a tenth", "[model]") {
  for (const Row& row : kRows) {
    INFO(row.chip << " head size " << row.width << " sequence " << row.sequence);
    std::string text = designOf(row).text();
    if (std::string_view(row.chip) == "H100") {
      text.erase(text.find("  chip = nvidia.A100"),
                 std::string_view("  chip = nvidia.A100_SXM_80GB\n").size());
    }
    DesignText file(text);
    const double s = static_cast<double>(row.sequence);
    const double work = 3.5 * 2 * 16'384 * s * 2048;
    CHECK(work / attentionTime(file) / 1e12 == Approx(row.rate).epsilon(0.1));
  }
}

TEST_CASE("fused attention keeps a statistic a row instead of the scores", "[model]") {
  for (int64_t tp : {1, 4}) {
    GptText d;
    d.tp = tp;
    d.more = "model.attention_kernel = flash";
    DesignText file(d.text());
    const double t = static_cast<double>(tp), sbh = 2048.0 * 1024;
    const double statistics = 4.0 * 2048 * 16 / t;
    CHECK(file.lowered("d").graph->parts[kLayer].keptBytes ==
          Approx(sbh * (10 + 24 / t) + statistics).epsilon(1e-3));
  }
}

TEST_CASE("key-value heads are read once for all query heads of their group", "[model]") {
  GptText d;
  d.more = "model.attention_kernel = flash";
  GptText grouped = d;
  grouped.more += "\n  model.kv_heads = 4";
  DesignText all(d.text()), few(grouped.text());
  CHECK(few.results("d").hbmBytes < all.results("d").hbmBytes);
  CHECK(few.results("d").parameters < all.results("d").parameters);
  // The scores are as many.
  CHECK(attentionTime(few) == Approx(attentionTime(all)).epsilon(1e-6));
}
