// In-process costs of one design: opening and checking it, lowering it, evaluating it; and that none grows with devices,
// equal layers or micro-batches.
#include <benchmark/benchmark.h>

#include "driver/session.h"
#include "eval/evaluate.h"
#include "fmt/format.h"

namespace {

using namespace sysdl;

/// GPT-3 on `devices` devices with `layers` layers and `microbatches` micro-batches a replica.
std::string designText(int64_t devices, int64_t layers, int64_t microbatches) {
  return fmt::format(R"(sysdl 2026
import std.chips.nvidia
import std.models.gpt
import std.networks.dgx
network Pod = dgx.DGX_A100 {{ level.rail.shape = fat_tree(1_000_000) }}
design d {{
  model = gpt.GPT3_175B {{ layers = {1} }}
  chip = nvidia.A100_SXM_80GB {{ memory.hbm.capacity = 1_000 TB }}
  network = Pod {{ take = {0} }}
  workload = training {{ batch = {2} }}
  plan {{ tp = 8 }}
}}
)",
                     devices, layers, microbatches * devices / 8);
}

struct Opened {
  explicit Opened(const std::string& text) {
    module = session.checker->loadText("design.sysdl", text);
    if (module) session.checker->checkModule(*module);
  }
  EvaluatedDesign* lowered() {
    auto designs =
        module ? session.designs(*module) : std::vector<std::pair<Name, check::Record*>>();
    if (designs.empty()) return nullptr;
    EvaluatedDesign& design = session.lowerDesign(designs[0].first, designs[0].second);
    return design.graph ? &design : nullptr;
  }
  Session session;
  check::Module* module = nullptr;
};

void compile(benchmark::State& state) {
  std::string text = designText(1024, 96, 12);
  for (auto _ : state) {
    Opened opened(text);
    if (!opened.lowered()) state.SkipWithError("the design has errors");
  }
}
BENCHMARK(compile)->Name("open, check and lower one design")->Unit(benchmark::kMillisecond);

void evaluateOnce(benchmark::State& state) {
  Opened opened(designText(state.range(0), state.range(1), state.range(2)));
  EvaluatedDesign* design = opened.lowered();
  if (!design) {
    state.SkipWithError("the design has errors");
    return;
  }
  Scratch scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluate(design->inputs->model, design->inputs->plan,
                                      design->inputs->machine, design->inputs->optimizer,
                                      *design->graph, opened.session.names, scratch));
  }
}
BENCHMARK(evaluateOnce)
    ->Name("evaluate (devices, layers, micro-batches)")
    ->Unit(benchmark::kMicrosecond)
    ->Args({8, 96, 1})
    ->Args({1'024, 96, 12})
    ->Args({100'000, 96, 12})
    ->Args({8, 1'000, 1})
    ->Args({8, 96, 100'000});

}  // namespace
