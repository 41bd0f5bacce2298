// What evaluation finds, as sums: a step of its parts, those of kernels and collectives, memory of what
// fills it.
#include <algorithm>
#include <cmath>

#include "driver/explain/reason.h"
#include "driver/kernel_cost.h"
#include "driver/names.h"
#include "driver/render/quantity.h"
#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Value;

namespace {

constexpr size_t kShown = 8;  // kernels or collectives listed one by one

std::string timesCount(double count, double time) {
  return fmt::format("{} x {}", grouped(count), withPrefix(time, "s"));
}

/// Keeps the largest and sums up the others, so that the parts still add up.
void shorten(std::vector<Reason>& parts, std::string_view what) {
  std::ranges::stable_sort(parts,
                           [](const Reason& a, const Reason& b) { return a.number > b.number; });
  std::erase_if(parts, [](const Reason& r) { return r.number == 0; });
  if (parts.size() <= kShown + 1) return;
  Reason rest;
  for (size_t i = kShown; i < parts.size(); ++i) rest.number += parts[i].number;
  rest.name = fmt::format("{} other {}", parts.size() - kShown, what);
  rest.value = withPrefix(rest.number, "s");
  parts.resize(kShown);
  parts.push_back(std::move(rest));
}

}  // namespace

void Reasoner::sumOf(const std::string& record, const std::vector<std::string>& names,
                     Reason& reason, size_t depth) {
  double whole = reason.number;
  for (const std::string& name : names) {
    std::string path = record.empty() ? name : record + "." + name;
    auto number = numberAt(c_, root_, path);
    if (!number || *number == 0) continue;
    Reason part;
    part.name = path;
    value(part, valueAt(c_, root_, path));
    if (whole > 0) part.note = percent(*number / whole);
    if (depth > 0) composed(path, part, depth - 1);
    reason.formula += (reason.formula.empty() ? "" : " + ") + path;
    reason.filled += (reason.filled.empty() ? "" : " + ") + part.value;
    reason.parts.push_back(std::move(part));
  }
}

bool Reasoner::composed(const std::string& path, Reason& reason, size_t depth) {
  if (!design_ || !design_->results) return false;
  if (path == "step_time") {
    std::vector<std::string> parts{"time.forward", "time.backward",  "time.recompute",
                                   "time.bubble",  "time.optimizer", "time.host"};
    Value exposed = valueAt(c_, root_, "time.exposed");
    if (exposed.kind == check::ValueKind::Record) {
      for (const check::Field& field : exposed.record->schema->fields)
        parts.push_back(fmt::format("time.exposed.{}", c_.str(field.name)));
    }
    followEvaluation();
    sumOf("", parts, reason, depth);
    return true;
  }
  if (path == "memory.peak") {
    reason.note = fmt::format("on a device of stage {}", design_->results->memory.peakStage);
    followEvaluation();
    sumOf("memory", {"weights", "gradients", "optimizer", "activations", "workspace"}, reason,
          depth);
    return true;
  }
  if (path == "time.forward") kernelsOf(Phase::Forward, reason);
  if (path == "time.backward") kernelsOf(Phase::Backward, reason);
  if (path == "time.recompute") kernelsOf(Phase::Recompute, reason);
  if (path == "time.optimizer") {
    Reason part = kernel(design_->results->optimizer, 0);
    double rest = reason.number - part.number;
    reason.parts.push_back(std::move(part));
    if (rest > 1e-9 * reason.number) {
      Reason gradients;
      gradients.name = "gradients and weights on the network";
      gradients.number = rest;
      gradients.value = withPrefix(rest, "s");
      reason.parts.push_back(std::move(gradients));
    }
  }
  if (path.starts_with("time.exposed.")) collectivesOf(path.substr(13), reason);
  if (path == "time.bubble") {
    for (const char* name : {"plan.stage_count", "plan.schedule.chunks", "microbatches"}) {
      Reason part;
      part.name = name;
      Value v = valueAt(c_, root_, name);
      if (!v.scalar()) continue;
      value(part, v);
      reason.parts.push_back(std::move(part));
    }
    reason.note = "waiting for other stages while the pipeline fills and drains";
  }
  return true;
}

void Reasoner::kernelsOf(Phase phase, Reason& reason) {
  double sum = 0;
  for (const KernelResult& k : design_->results->kernels) {
    if (design_->graph->kernels[k.node].phase != phase || k.count == 0) continue;
    Reason part = kernel(k, 0);
    sum += part.number;
    reason.parts.push_back(std::move(part));
  }
  shorten(reason.parts, "kernels");
  double rest = reason.number - sum;
  if (std::abs(rest) <= 1e-6 * reason.number) return;
  Reason slower;
  slower.name = "slower beside collectives";
  slower.number = rest;
  slower.value = withPrefix(rest, "s");
  reason.parts.push_back(std::move(slower));
}

void Reasoner::collectivesOf(const std::string& axis, Reason& reason) {
  for (const CollectiveResult& r : design_->results->collectives) {
    if (r.count * r.exposed == 0) continue;
    if (axesOf(*design_, design_->graph->collectives[r.node], session_.names) != axis) continue;
    reason.parts.push_back(collective(r, 0));
  }
  shorten(reason.parts, "collectives");
}

void Reasoner::followEvaluation() {
  auto time = [&](const FormulaSource& source) {
    auto index = source.record->schema->index.find(c_.name("time").id);
    if (index != source.record->schema->index.end()) follow({source.record, index->second});
  };
  for (const FormulaSource& source : design_->inputs->sources.kernels) time(source);
  for (const CollectiveResult& r : design_->results->collectives) {
    for (const auto& [name, source] : design_->inputs->sources.collectives) {
      if (name == r.algorithm) time(source);
    }
  }
}

std::string Reasoner::nameOfCollective(const CollectiveResult& r) const {
  const CollectiveNode& node = design_->graph->collectives[r.node];
  return fmt::format("{} {} {}", collectiveName(*design_, node, session_.names), nameOf(node.kind),
                     nameOf(node.phase));
}

std::vector<std::string> Reasoner::nodes() const {
  std::vector<std::string> names;
  if (!design_ || !design_->results) return names;
  auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (const KernelResult& k : design_->results->kernels) {
    add(fmt::format("{} {}", kernelName(*design_, k, session_.names), phaseOf(*design_, k)));
  }
  const KernelResult& step = design_->results->optimizer;
  add(fmt::format("{} {}", kernelName(*design_, step, session_.names), phaseOf(*design_, step)));
  for (const CollectiveResult& r : design_->results->collectives) add(nameOfCollective(r));
  return names;
}

Reason Reasoner::kernel(const KernelResult& k, size_t depth) {
  Reason reason;
  reason.name = fmt::format("{} {}", kernelName(*design_, k, session_.names), phaseOf(*design_, k));
  reason.number = k.count * k.time;
  reason.value = withPrefix(reason.number, "s");
  reason.note = fmt::format("{}, {}", timesCount(k.count, k.time),
                            depth == 0 ? k.bound : boundText(k, session_.names));
  reason.extrapolated = k.extrapolated;
  if (depth == 0) return reason;
  const DesignInputs& inputs = *design_->inputs;
  bool optimizer = k.node == kNone;
  const KernelNode* node = optimizer ? nullptr : &design_->graph->kernels[k.node];
  const KernelCost& cost =
      optimizer ? inputs.optimizer.cost
                : inputs.model.parts[node->part].operations[node->operation].kernels[node->kernel];
  if (cost.source >= inputs.sources.kernels.size()) return reason;
  const FormulaSource& source = inputs.sources.kernels[cost.source];
  if (optimizer) return reason;  // its one input differs from part to part
  const std::vector<int64_t>& sizes = design_->graph->localSizes[node->sizes];
  for (size_t i = 0; i < source.inputs.size() && i < sizes.size(); ++i)
    c_.formulas.bind(source.inputs[i], wordOf(sizes[i]));
  for (const char* name : {"time", "work", "traffic"}) {
    auto index = source.record->schema->index.find(c_.name(name).id);
    if (index == source.record->schema->index.end()) continue;
    reason.parts.push_back(slot({source.record, index->second}, name, depth));
  }
  // After the formulas, so that these are not "as above", but shown before them.
  reason.parts.insert(reason.parts.begin(), levels(k));
  if (Reason part = efficiency(k, source.record); !part.name.empty())
    reason.parts.insert(reason.parts.begin(), std::move(part));
  return reason;
}

Reason Reasoner::collective(const CollectiveResult& r, size_t depth) {
  const CollectiveNode& node = design_->graph->collectives[r.node];
  Reason reason;
  reason.name = nameOfCollective(r);
  reason.number = r.count * (depth == 0 ? r.exposed : r.time);
  reason.value = withPrefix(reason.number, "s");
  reason.note = fmt::format(
      "{}, {} over {} of {}", timesCount(r.count, depth == 0 ? r.exposed : r.time),
      withPrefix(r.bytes, "B"), axesOf(*design_, node, session_.names), node.group.ranks);
  if (depth == 0) return reason;
  for (const auto& [name, source] : design_->inputs->sources.collectives) {
    if (name != r.algorithm || source.inputs.size() != node.group.ranksOnLevel.size() + 1) continue;
    c_.formulas.bind(source.inputs[0], wordOf(r.bytes));
    for (size_t i = 0; i < node.group.ranksOnLevel.size(); ++i)
      c_.formulas.bind(source.inputs[i + 1], wordOf(node.group.ranksOnLevel[i]));
    for (const char* field : {"time", "wire"}) {
      auto index = source.record->schema->index.find(c_.name(field).id);
      if (index == source.record->schema->index.end()) continue;
      reason.parts.push_back(slot({source.record, index->second},
                                  fmt::format("{}.{}", session_.names.text(name), field), depth));
    }
    break;
  }
  return reason;
}

Reason Reasoner::node(const std::string& name) {
  for (const KernelResult& k : design_->results->kernels) {
    if (fmt::format("{} {}", kernelName(*design_, k, session_.names), phaseOf(*design_, k)) == name)
      return kernel(k, depth_);
  }
  const KernelResult& step = design_->results->optimizer;
  if (fmt::format("{} {}", kernelName(*design_, step, session_.names), phaseOf(*design_, step)) ==
      name)
    return kernel(step, depth_);
  for (const CollectiveResult& r : design_->results->collectives) {
    if (nameOfCollective(r) == name) return collective(r, depth_);
  }
  return {};
}

}  // namespace sysdl
