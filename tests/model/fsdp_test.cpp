// Fully sharded data parallelism: what lies in shards, what is gathered when, and that no FLOP changes.
#include <catch2/catch.hpp>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::string textOf(const std::string& plan, int64_t gpus = 8) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.mpt
import std.networks.dgx

design d {{
  model = mpt.MPT_1B
  chip = nvidia.A100_SXM_80GB
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{ batch = 64 }}
  plan = {}
}}
)",
                     gpus, plan);
}

/// Collectives of a layer that move `kind` in `phase`.
size_t count(const EvaluatedDesign& design, CollectiveKind kind, Phase phase) {
  size_t found = 0;
  for (const CollectiveNode& node : design.graph->collectives) {
    const bool layer = design.inputs->model.parts[node.part].repeat > 1;
    found += layer && node.kind == kind && node.phase == phase;
  }
  return found;
}

}  // namespace

// Rajbhandari et al. 2019 (arXiv:1910.02054), figure 1: 2 + 4 + 12 bytes a parameter here, gradients in fp32.
TEST_CASE("ZeRO stages 1, 2 and 3 divide optimizer state, gradients and weights", "[fsdp]") {
  double parameters = 0;
  for (int zero : {1, 2, 3}) {
    DesignText file(textOf(fmt::format("fsdp {{ zero = {} }}", zero)));
    const StepResults& results = file.results("d");
    parameters = results.parameters;
    CHECK(results.memory.optimizer == Approx(12 * parameters / 8).epsilon(1e-6));
    CHECK(results.memory.gradients == Approx(4 * parameters / (zero >= 2 ? 8 : 1)).epsilon(1e-6));
    CHECK(results.memory.weights == Approx(2 * parameters / (zero >= 3 ? 8 : 1)).epsilon(1e-6));
  }
}

// Zhao et al. 2023 (arXiv:2304.11277), section 3: gathered before forward and again before backward, freed
// between; gradients reduce-scattered. A layer of an MPT has six weights.
TEST_CASE("a layer's weights are gathered twice and its gradients scattered once", "[fsdp]") {
  DesignText file(textOf("fsdp {}"));
  const EvaluatedDesign& design = file["d"];
  CHECK(count(design, CollectiveKind::AllGather, Phase::Forward) == 8);
  CHECK(count(design, CollectiveKind::AllGather, Phase::Backward) == 8);
  CHECK(count(design, CollectiveKind::ReduceScatter, Phase::Backward) == 8);
  DesignText full(textOf("fsdp { recompute = full }"));
  CHECK(count(full["d"], CollectiveKind::AllGather, Phase::Recompute) == 8);
}

TEST_CASE("hybrid sharding keeps copies, and sums their gradients once a step", "[fsdp]") {
  DesignText full(textOf("fsdp {}", 16)), hybrid(textOf("fsdp { copies = 2 }", 16));
  const StepResults &a = full.results("d"), &b = hybrid.results("d");
  CHECK(b.memory.weights == Approx(2 * a.memory.weights).epsilon(1e-6));
  CHECK(a.modelFlops == Approx(b.modelFlops).epsilon(1e-12));
  CHECK(count(hybrid["d"], CollectiveKind::AllReduce, Phase::Optimizer) == 8);
  CHECK(count(full["d"], CollectiveKind::AllReduce, Phase::Optimizer) == 0);
}

TEST_CASE("degrees that do not multiply to the devices are refused", "[fsdp]") {
  for (const char* plan : {"fsdp { copies = 3 }", "fsdp { shards = 4 }", "fsdp { tp = 3 }"}) {
    DesignText file(textOf(plan));
    CHECK(file.refusal("d").find("E0510") == 0);
  }
}
