// The order of lowering's steps, and the checks before and after them.
#include "frontend/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "frontend/lower/context.h"
#include "frontend/lower/groups.h"

namespace sysdl::lowering {
namespace {

void checkUse(const Model& model, const NameTable& names, Diagnostics& diagnostics) {
  for (const Part& part : model.parts) {
    std::vector<bool> used(part.tensors.size(), false);
    for (const Operation& operation : part.operations) {
      for (TensorId id : operation.inputs) used[id] = true;
    }
    if (part.output != kNone) {
      used[part.output] = true;
    } else if (!part.operations.empty()) {
      used[part.operations.back().output] = true;  // the loss
    }
    for (TensorId id = 0; id < part.tensors.size(); ++id) {
      const Tensor& tensor = part.tensors[id];
      if (used[id]) continue;
      diagnostics
          .report(Code::E0602, tensor.span,
                  fmt::format("{} `{}` of `{}` is never used",
                              tensor.parameter ? "parameter" : "tensor", names.text(tensor.name),
                              names.text(part.name)),
                  "made here")
          .helpText("remove it, or use it in what the block yields");
    }
  }
}

void checkRules(const Context& context) {
  const Plan& plan = context.plan;
  for (const ShardRule& rule : plan.shards) {
    for (MeshAxisId over : rule.over) {
      if (over != plan.stages || plan.mesh[over].degree <= 1) continue;
      std::string_view axis = context.names.text(context.model.axes[rule.axis].name);
      std::string_view name = context.names.text(plan.mesh[over].name);
      context.diagnostics.report(
          Code::E0516, rule.span,
          fmt::format("axis `{}` cannot lie on `{}`, which holds the pipeline's stages", axis,
                      name),
          "shard it over another mesh axis");
    }
  }
}

void checkSize(const Context& context) {
  const int64_t size = networkSize(context.machine);
  if (context.mesh.devices <= size) return;
  std::string levels;
  for (const NetworkLevel& level : context.machine.levels) {
    if (!levels.empty()) levels += " * ";
    levels += fmt::format("{} {}", context.names.text(level.name), level.size);
  }
  std::string degrees;
  for (const MeshAxis& axis : context.plan.mesh) {
    if (!degrees.empty()) degrees += " * ";
    degrees += fmt::format("{} {}", context.names.text(axis.name), axis.degree);
  }
  Span span = context.plan.mesh.empty() ? Span{} : context.plan.mesh.front().span;
  context.diagnostics
      .report(Code::E0605, span,
              fmt::format("the plan needs {} devices, the network connects {}",
                          context.mesh.devices, size),
              "too many ranks")
      .note(fmt::format("plan: {} = {}", degrees, context.mesh.devices))
      .note(fmt::format("network: {} = {}", levels.empty() ? "one device" : levels, size));
}

void warnIdle(const Context& context) {
  const int64_t taken = context.machine.devices;
  if (context.mesh.devices >= taken) return;
  Span span = context.plan.mesh.empty() ? Span{} : context.plan.mesh.front().span;
  context.diagnostics
      .report(Code::W0603, span,
              fmt::format("{} of the {} devices are idle: the plan's mesh has {}",
                          taken - context.mesh.devices, taken, context.mesh.devices),
              "this mesh is smaller than the machine")
      .helpText("let the degrees multiply to the number of devices, or `take` fewer of them");
}

void warnUnused(const Context& context) {
  for (MeshAxisId axis = 0; axis < context.plan.mesh.size(); ++axis) {
    const FactorSet own = context.mesh.ofAxis[axis];
    if (!own || (context.placed & own)) continue;
    const MeshAxis& meshAxis = context.plan.mesh[axis];
    context.diagnostics
        .report(Code::W0605, meshAxis.span,
                fmt::format("mesh axis `{}` shards nothing: its {} ranks all do the same work",
                            context.names.text(meshAxis.name), meshAxis.degree),
                fmt::format("degree {}", meshAxis.degree))
        .helpText("shard an axis of the model over it, or set it to 1");
  }
}

/// The factors over which ranks hold different tokens by rule: where the stream between parts is divided.
FactorSet dataFactors(const Context& context) {
  FactorSet data = context.model.batch == kNone ? 0 : context.rules.always[context.model.batch];
  for (const Part& part : context.model.parts) {
    if (part.output == kNone) continue;
    for (AxisId axis : part.tensors[part.output].axes) data |= context.rules.always[axis];
  }
  return data;
}

/// The degrees nearest to `degree` over which an axis of `size` divides.
std::string nearestDegrees(int64_t size, int64_t degree, bool groups) {
  auto fits = [&](int64_t d) { return size % d == 0 || (groups && d % size == 0); };
  int64_t below = groups ? degree : std::min(degree, size), above = degree;
  while (below > 1 && !fits(below)) --below;
  const int64_t most = groups ? degree + size : size;
  while (above < most && !fits(above)) ++above;
  if (!fits(above) || above == below) return std::to_string(below);
  return fmt::format("{} or {}", below, above);
}

}  // namespace

int64_t localSize(Context& context, AxisId axis, FactorSet factors) {
  const int64_t size = context.model.axes[axis].size;
  const int64_t degree = context.mesh.degree(factors);
  if (size % degree == 0) return size / degree;
  std::pair<AxisId, FactorSet> key{axis, factors};
  auto& reported = context.reported;
  if (std::find(reported.begin(), reported.end(), key) == reported.end()) {
    reported.push_back(key);
    const Axis& a = context.model.axes[axis];
    const MeshAxis& over = context.plan.mesh[context.mesh.factors[std::countr_zero(factors)].axis];
    const std::string name(context.names.text(a.name));
    const std::string meshNames = meshAxesOf(factors, context.plan, context.mesh, context.names);
    context.diagnostics
        .report(Code::E0516, over.span,
                fmt::format("axis `{}` of size {} does not divide over {} = {}", name, size,
                            meshNames, degree),
                fmt::format("{} = {}", context.names.text(over.name), over.degree))
        .label(a.span, fmt::format("{} = {}", name, size))
        .helpText(fmt::format("{} can be {}", meshNames,
                              nearestDegrees(size, degree, isGroupAxis(context.model, axis))));
  }
  return std::max<int64_t>(size / degree, 1);
}

}  // namespace sysdl::lowering

namespace sysdl {

std::optional<Graph> lower(const Model& model, const Plan& plan, const Machine& machine,
                           const OptimizerModel& optimizer, const NameTable& names,
                           Diagnostics& diagnostics) {
  using namespace lowering;
  const size_t errors = diagnostics.errorCount();
  Layout layout = makeLayout(model, plan);
  Context context{model,
                  plan,
                  machine,
                  optimizer,
                  names,
                  diagnostics,
                  std::move(layout.mesh),
                  std::move(layout.rules),
                  {},
                  0,
                  0,
                  {},
                  {}};
  checkUse(model, names, diagnostics);
  checkRules(context);
  checkSize(context);
  if (diagnostics.errorCount() != errors || model.parts.empty()) return std::nullopt;

  context.data = dataFactors(context);
  context.graph.devices = context.mesh.devices;
  context.graph.dataRanks = context.mesh.degree(context.data);
  context.graph.parts.resize(model.parts.size());
  cutStages(context);
  std::vector<PlacedPart> placed;
  placed.reserve(model.parts.size());
  for (uint32_t part = 0; part < model.parts.size(); ++part) {
    placed.push_back(placePart(context, part));
  }
  if (diagnostics.errorCount() != errors) return std::nullopt;

  for (PlacedPart& part : placed) {
    emitForward(context, part);
    emitRecompute(context, part);
    emitBackward(context, part);
    addActivations(context, part);
  }
  shareTied(context, placed);
  for (const PlacedPart& part : placed) addStorage(context, part);
  emitBorders(context, placed);
  if (diagnostics.errorCount() != errors) return std::nullopt;
  warnIdle(context);
  warnUnused(context);
  return std::move(context.graph);
}

}  // namespace sysdl
