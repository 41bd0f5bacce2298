// Mixtures of experts and context parallelism: which collectives a plan gives, and what no plan changes.
#include <catch2/catch.hpp>

#include <cmath>

#include "frontend/lower/dump.h"
#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

struct Degrees {
  int64_t tp = 1, cp = 1, pp = 1, dp = 1, ep = 1, etp = 1;
  bool sp = false;
  std::string recompute = "none";
};

struct Experts {
  int64_t layers = 4, hidden = 1024, experts = 16, active = 2, ffn = 512, sequence = 2048;
  int64_t batch = 64, microbatch = 1;
  std::string more;  // lines of the model
};

double real(int64_t n) { return static_cast<double>(n); }

std::string textOf(const Experts& model, const Degrees& plan) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.moe
import std.networks.dgx

design d {{
  model = moe.mixtral {{
    layers = {}
    hidden = {}
    heads = 16
    kv_heads = 4
    experts = {}
    active_experts = {}
    expert_ffn = {}
    vocabulary = 32_768
    sequence = {}
    {}
  }}
  chip = nvidia.H100_SXM_80GB
  network = dgx.DGX_H100 {{ take = {} }}
  workload = training {{
    batch = {}
    microbatch = {}
  }}
  plan {{
    tp = {}
    cp = {}
    pp = {}
    ep = {}
    etp = {}
    sp = {}
    recompute = {}
  }}
}}
)",
                     model.layers, model.hidden, model.experts, model.active, model.ffn,
                     model.sequence, model.more, plan.tp * plan.cp * plan.pp * plan.dp, model.batch,
                     model.microbatch, plan.tp, plan.cp, plan.pp, plan.ep, plan.etp, plan.sp,
                     plan.recompute);
}

/// The layer's collectives of one kind in one phase.
std::vector<const CollectiveNode*> collectives(const EvaluatedDesign& design, CollectiveKind kind,
                                               Phase phase) {
  std::vector<const CollectiveNode*> found;
  for (const CollectiveNode& node : design.graph->collectives) {
    const Part& part = design.inputs->model.parts[node.part];
    if (part.repeat > 1 && node.kind == kind && node.phase == phase) found.push_back(&node);
  }
  return found;
}

size_t count(const EvaluatedDesign& design, CollectiveKind kind, Phase phase) {
  return collectives(design, kind, phase).size();
}

}  // namespace

// Singh et al. 2023 (arXiv:2303.06318), section 3; Guo et al. 2025 (arXiv:2507.02456).
TEST_CASE("experts exchange tokens twice forward and twice backward, twice more when recomputed") {
  Experts model;
  Degrees plan{.dp = 8, .ep = 8};
  DesignText plain(textOf(model, plan));
  const EvaluatedDesign& design = plain["d"];
  CHECK(count(design, CollectiveKind::AllToAll, Phase::Forward) == 2);
  CHECK(count(design, CollectiveKind::AllToAll, Phase::Backward) == 2);
  CHECK(count(design, CollectiveKind::AllToAll, Phase::Recompute) == 0);
  plan.recompute = "full";
  DesignText full(textOf(model, plan));
  CHECK(count(full["d"], CollectiveKind::AllToAll, Phase::Recompute) == 2);
  CHECK(count(full["d"], CollectiveKind::AllToAll, Phase::Backward) == 2);
  // Without expert parallelism no token leaves its rank.
  plan.ep = 1;
  DesignText alone(textOf(model, plan));
  for (Phase phase : {Phase::Forward, Phase::Recompute, Phase::Backward})
    CHECK(count(alone["d"], CollectiveKind::AllToAll, phase) == 0);
}

TEST_CASE("an exchange carries k T D elements, and E C D with a capacity factor") {
  for (double factor : {1.0, 1.25, 2.0}) {
    Experts model;
    model.more = fmt::format("capacity_factor = {}", factor);
    Degrees plan{.tp = 2, .dp = 8, .ep = 8, .etp = 1, .sp = true};
    DesignText file(textOf(model, plan));
    // Tokens of a rank: a slice of the sequence of one micro-batch.
    const double tokens = real(model.sequence) / 2;
    const double capacity = std::ceil(real(model.active) * factor * tokens / real(model.experts));
    const double bytes = real(model.experts) * capacity * real(model.hidden) * 2;
    if (factor == 1) CHECK(bytes == real(model.active) * tokens * real(model.hidden) * 2);
    for (const CollectiveNode* node :
         collectives(file["d"], CollectiveKind::AllToAll, Phase::Forward)) {
      CHECK(node->bytes == Approx(bytes).epsilon(1e-12));
      CHECK(node->group.ranks == 8);
    }
  }
}

TEST_CASE("expert tensor parallelism gathers an expert's tokens and scatters their sum") {
  Experts model;
  Degrees plan{.tp = 2, .dp = 8, .ep = 4, .etp = 2, .sp = true};
  DesignText file(textOf(model, plan));
  const EvaluatedDesign& design = file["d"];
  CHECK(count(design, CollectiveKind::AllToAll, Phase::Forward) == 2);
  CHECK(count(design, CollectiveKind::AllGather, Phase::Forward) == 2);      // attention, experts
  CHECK(count(design, CollectiveKind::ReduceScatter, Phase::Forward) == 2);  // likewise
  CHECK(count(design, CollectiveKind::AllReduce, Phase::Forward) == 0);
}

TEST_CASE("gradients of experts are reduced over the ranks that hold the same ones") {
  Experts model;
  Degrees plan{.tp = 2, .cp = 2, .dp = 8, .ep = 8, .etp = 1, .sp = true};
  DesignText file(textOf(model, plan));
  const EvaluatedDesign& design = file["d"];
  size_t experts = 0;
  for (const CollectiveNode* node :
       collectives(design, CollectiveKind::AllReduce, Phase::Optimizer)) {
    std::string_view name = file.names().text(node->name);
    bool isExpert = name == "w_gate" || name == "w_up" || name == "w_down";
    experts += isExpert;
    // edp = tp cp dp / (etp ep) = 4; of dense weights, cp dp = 16 (and tp of what is whole there).
    if (isExpert) CHECK(node->group.ranks == 4);
    if (name == "w_q") CHECK(node->group.ranks == 16);
  }
  CHECK(experts == 3);
}

// Ring attention and DeepSpeed-Ulysses decompose it; the all-gather is that of Llama 3 (arXiv:2407.21783,
// section 3.3.2).
TEST_CASE("context parallelism gathers keys and values and scatters their gradients") {
  Experts model;
  Degrees plan{.cp = 4, .dp = 2};
  DesignText file(textOf(model, plan));
  const EvaluatedDesign& design = file["d"];
  auto gathers = collectives(design, CollectiveKind::AllGather, Phase::Forward);
  auto scatters = collectives(design, CollectiveKind::ReduceScatter, Phase::Backward);
  REQUIRE(gathers.size() == 2);
  REQUIRE(scatters.size() == 2);
  for (const auto* nodes : {&gathers, &scatters}) {
    for (const CollectiveNode* node : *nodes) {
      CHECK(node->group.ranks == 4);
      // A sequence of 4 key-value heads of 64 elements, 2 bytes each.
      CHECK(node->bytes == real(model.sequence) * 4 * 64 * 2);
    }
  }
}

TEST_CASE("no plan changes a model's FLOPs and parameters") {
  Experts model;
  DesignText alone(textOf(model, {.dp = 1}));
  const StepResults& one = alone.results("d");
  const Degrees plans[] = {
      {.dp = 8},
      {.dp = 8, .ep = 4},
      {.tp = 2, .dp = 8, .ep = 8, .etp = 1, .sp = true},
      {.tp = 4, .pp = 2, .dp = 4, .ep = 2, .etp = 4},
      {.tp = 2, .cp = 2, .dp = 4, .ep = 8, .etp = 2, .sp = true},
      {.cp = 4, .pp = 4, .dp = 2, .ep = 8},
      {.tp = 2, .cp = 2, .pp = 2, .dp = 2, .ep = 4, .etp = 2, .sp = true, .recompute = "full"}};
  for (const Degrees& plan : plans) {
    DesignText file(textOf(model, plan));
    INFO(textOf(model, plan));
    CHECK(file.results("d").modelFlops == Approx(one.modelFlops).epsilon(1e-9));
    CHECK(file.results("d").parameters == one.parameters);
  }
}

TEST_CASE("a hotter expert and a larger capacity cost time and memory, and no model FLOPs") {
  Degrees plan{.dp = 8, .ep = 8};
  double time = 0, memory = 0, flops = 0;
  for (const char* more : {"", "hot_expert = 1.5", "hot_expert = 2.5"}) {
    Experts model;
    model.more = more;
    DesignText file(textOf(model, plan));
    const StepResults& results = file.results("d");
    CHECK(results.time.step > time);
    CHECK(results.memory.peak > memory);
    if (flops > 0) CHECK(results.modelFlops == Approx(flops).epsilon(1e-9));
    time = results.time.step;
    memory = results.memory.peak;
    flops = results.modelFlops;
  }
}

TEST_CASE("plans whose views of the devices do not nest are refused", "[parallelism]") {
  struct Fault {
    const char* plan;
    const char* code;
  };
  const Fault faults[] = {{"ep = 3", "E0511"},
                          {"ep = 32", "E0511"},
                          {"ep = 8\n    edp = 5", "E0511"},
                          {"etp = 3", "E0511"},
                          {"cp = 2", "E0510"},
                          {"ep = 8\n  }\n  model.experts = 12\n  plan {", "E0513"}};
  for (const Fault& fault : faults) {
    std::string text = textOf({}, {.dp = 8});
    const std::string plan = "    tp = 1\n    cp = 1\n    pp = 1\n    ep = 1\n    etp = 1\n";
    text.replace(text.find(plan), plan.size(),
                 fmt::format("    {}\n{}", fault.plan,
                             *fault.code == 'E' && fault.code[4] == '0' ? "    dp = 8\n" : ""));
    DesignText file(text);
    INFO(text);
    CHECK(file.refusal("d").find(fault.code) == 0);
  }
}
