// A design to the inputs of lowering: the parts in order, and results back into fields.
#include "frontend/model/design.h"

#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "frontend/model/blocks.h"
#include "frontend/model/kernel.h"
#include "frontend/model/reuse.h"

namespace sysdl {

using namespace check;

namespace {

Record* recordOf(Checker& c, Record* owner, std::string_view field) {
  Value value = c.get(owner, field);
  return value.kind == ValueKind::Record ? value.record : nullptr;
}

/// The optimizer's kernel, compiled over its one input, the number of parameters.
bool readOptimizer(Checker& c, Record* optimizer, Record* chip, Record* precision,
                   FormulaSources& sources, OptimizerModel& result) {
  Span span = optimizer->span;
  FormulaId parameters = c.formulas.input(Number::Int, false, span);
  Record* sized = c.amendFixed(optimizer, {{c.name("parameters"), c.scalar(parameters)}});
  Record* step = recordOf(c, sized, "step");
  if (!step) return false;
  std::vector<FormulaId> outputs;
  auto cost = readKernel(c, step, chip, outputs, sources);
  if (!cost) return false;
  sources.kernels[cost->source].inputs = {parameters};
  result.cost = *cost;
  result.cost.name = optimizer->schema->name;
  auto state = c.real(c.get(sized, "state_size"), span);
  auto gradient = c.real(c.get(precision, "gradient_size"), span);
  if (!state || !gradient) return false;
  result.stateBytes = *state;
  result.gradientBytes = *gradient;
  result.program = c.formulas.compile({&parameters, 1}, outputs);
  return true;
}

bool readOptimizer(Checker& c, Record* optimizer, Record* chip, Record* precision,
                   FormulaSources& sources, DesignReuse* reuse, OptimizerModel& result) {
  if (!reuse) return readOptimizer(c, optimizer, chip, precision, sources, result);
  DesignReuse::Key key{reuse->keys.of(optimizer), reuse->keys.of(chip), reuse->keys.of(precision)};
  auto known = reuse->optimizers.find(key);
  if (known == reuse->optimizers.end()) {
    if (!readOptimizer(c, optimizer, chip, precision, sources, result)) return false;
    known = reuse->optimizers.emplace(key, result).first;
  }
  result = known->second;
  return true;
}

bool readModel(Checker& c, const BlockContext& context, DesignReuse* reuse, Model& result) {
  DesignReuse::Key key{};
  if (reuse) {
    RecordKeys& keys = reuse->keys;
    key = {keys.of(context.model), keys.of(context.chip), keys.of(context.precision)};
    auto known = reuse->models.find(key);
    if (known != reuse->models.end()) {
      result = known->second;
      result.axes[result.batch].size = context.batch;  // all else is said over symbolic sizes
      return true;
    }
  }
  size_t said = c.diagnostics.size();
  auto program = buildModel(c, context);
  if (!program) return false;
  if (reuse && c.diagnostics.size() == said) reuse->models.emplace(key, *program);
  result = std::move(*program);
  return true;
}

/// Gives a result field its value; fields that a design's schema does not have are not asked for.
void bindField(Checker& c, Record* record, std::string_view field, double value) {
  if (!record || !record->schema->index.count(c.name(field).id)) return;
  Value slot = c.get(record, field);
  if (!slot.scalar() || c.formulas[slot.formula].op != Opcode::Input) return;
  bool whole = slot.number != Number::Real;
  c.formulas.bind(slot.formula, whole ? wordOf(static_cast<int64_t>(value)) : wordOf(value));
}

}  // namespace

std::optional<DesignInputs> readDesign(Checker& c, Record* design, DesignReuse* reuse) {
  Record* model = recordOf(c, design, "model");
  Record* chip = recordOf(c, design, "chip");
  Record* plan = recordOf(c, design, "plan");
  Record* workload = recordOf(c, design, "workload");
  Record* precision = workload ? recordOf(c, workload, "precision") : nullptr;
  Record* optimizer = workload ? recordOf(c, workload, "optimizer") : nullptr;
  if (!model || !chip || !plan || !precision || !optimizer) return std::nullopt;
  auto microbatch = c.integer(c.get(workload, "microbatch"), workload->span);
  auto replicas = c.integer(c.get(design, "replicas"), design->span);
  auto microbatches = c.integer(c.get(design, "microbatches"), design->span);
  if (!microbatch || !replicas || !microbatches) return std::nullopt;

  BlockContext context;
  context.model = model;
  context.chip = chip;
  context.precision = precision;
  DesignInputs inputs;
  context.sources = &inputs.sources;
  context.batch = *microbatch * *replicas;
  if (!readModel(c, context, reuse, inputs.model)) return std::nullopt;
  inputs.plan.microbatches = *microbatches;
  if (!readPlan(c, plan, inputs.model, inputs.plan)) return std::nullopt;
  if (!readMachine(c, design, inputs.machine, inputs.sources, reuse)) return std::nullopt;
  if (!readOptimizer(c, optimizer, chip, precision, inputs.sources, reuse, inputs.optimizer))
    return std::nullopt;
  auto capacity = c.real(c.get(design, "memory_capacity"), design->span);
  if (!capacity) return std::nullopt;
  inputs.machine.memoryCapacity = *capacity;
  auto contention = c.real(c.get(chip, "collective_share"), chip->span);
  if (!contention) return std::nullopt;
  inputs.machine.contention = *contention;
  Record* software = recordOf(c, design, "software");
  if (!software) return std::nullopt;
  auto kernelIssue = c.real(c.get(software, "kernel_issue"), software->span);
  auto collectiveIssue = c.real(c.get(software, "collective_issue"), software->span);
  auto rankIssue = c.real(c.get(software, "rank_issue"), software->span);
  if (!kernelIssue || !collectiveIssue || !rankIssue) return std::nullopt;
  inputs.machine.kernelIssue = *kernelIssue;
  inputs.machine.collectiveIssue = *collectiveIssue;
  inputs.machine.rankIssue = *rankIssue;
  return inputs;
}

std::string_view reportedAs(const DesignInputs& inputs, MeshAxisId axis) {
  for (const ShardRule& rule : inputs.plan.shards) {
    if (std::ranges::count(rule.over, axis) > 0 && rule.axis != inputs.model.batch) return "tp";
  }
  return "dp";
}

void bindResults(Checker& c, Record* design, const DesignInputs& inputs,
                 const StepResults& results) {
  auto set = [&](Record* record, std::string_view field, double value) {
    bindField(c, record, field, value);
  };
  set(design, "step_time", results.time.step);
  set(design, "parameters", results.parameters);
  set(design, "model_flops", results.modelFlops);
  set(design, "hardware_flops", results.hardwareFlops);
  set(design, "hbm_traffic", results.hbmBytes);
  set(design, "network_traffic", results.wireBytes);
  if (Record* time = recordOf(c, design, "time")) {
    set(time, "forward", results.time.forward);
    set(time, "backward", results.time.backward);
    set(time, "recompute", results.time.recompute);
    set(time, "bubble", results.time.bubble);
    set(time, "host", results.time.host);
    set(time, "optimizer", results.time.optimizer);
    if (Record* exposed = recordOf(c, time, "exposed")) {
      std::map<std::string_view, double> sums;
      for (const Field& field : exposed->schema->fields) sums[c.str(field.name)] = 0;
      for (const MeshAxisTime& axis : results.time.exposed) {
        std::string_view own = c.str(inputs.plan.mesh[axis.axis].name);
        sums[sums.contains(own) ? own : reportedAs(inputs, axis.axis)] += axis.exposed;
      }
      for (const auto& [field, sum] : sums) set(exposed, field, sum);
    }
  }
  if (Record* memory = recordOf(c, design, "memory")) {
    set(memory, "peak", results.memory.peak);
    set(memory, "capacity", inputs.machine.memoryCapacity);
    set(memory, "weights", results.memory.weights);
    set(memory, "gradients", results.memory.gradients);
    set(memory, "optimizer", results.memory.optimizer);
    set(memory, "activations", results.memory.activations);
    set(memory, "kv_cache", 0);
    set(memory, "workspace", results.memory.workspace);
    set(memory, "peak_stage", static_cast<double>(results.memory.peakStage));
  }
}

}  // namespace sysdl
