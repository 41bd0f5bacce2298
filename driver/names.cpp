// Names of kernels, collectives and parts of a design.
#include "driver/names.h"

#include "fmt/format.h"

namespace sysdl {

std::string kernelName(const EvaluatedDesign& design, const KernelResult& kernel,
                       const NameTable& names) {
  const DesignInputs& inputs = *design.inputs;
  if (kernel.node == kNone)
    return fmt::format("optimizer.{}", names.text(inputs.optimizer.cost.name));
  const KernelNode& node = design.graph->kernels[kernel.node];
  const Part& part = inputs.model.parts[node.part];
  const Operation& operation = part.operations[node.operation];
  Name label = operation.kernels[node.kernel].name;
  return fmt::format("{}.{}{}{}", names.text(part.name), names.text(operation.name),
                     label ? "." : "", names.text(label));
}

std::string_view phaseOf(const EvaluatedDesign& design, const KernelResult& kernel) {
  return nameOf(kernel.node == kNone ? Phase::Optimizer : design.graph->kernels[kernel.node].phase);
}

std::string collectiveName(const EvaluatedDesign& design, const CollectiveNode& node,
                           const NameTable& names) {
  return fmt::format("{}.{}", names.text(design.inputs->model.parts[node.part].name),
                     names.text(node.name));
}

std::string axesOf(const EvaluatedDesign& design, const CollectiveNode& node,
                   const NameTable& names) {
  std::string axes;
  for (MeshAxisId axis : node.group.axes) {
    if (!axes.empty()) axes += '*';
    axes += names.text(design.inputs->plan.mesh[axis].name);
  }
  return axes;
}

std::string_view levelOf(const EvaluatedDesign& design, const CollectiveNode& node,
                         const NameTable& names) {
  const auto& levels = design.inputs->machine.levels;
  return node.group.outermost < levels.size() ? names.text(levels[node.group.outermost].name)
                                              : std::string_view();
}

std::string partName(check::Checker& checker, check::Record* record, std::string_view field) {
  check::Value value = checker.get(record, field);
  if (value.kind != check::ValueKind::Record) return {};
  std::string_view schema = checker.str(value.record->schema->name);
  auto index = record->schema->index.find(checker.name(field).id);
  const check::Slot& slot = record->slots[index->second];
  if (!slot.definition.node.valid()) return std::string(schema);
  const syntax::Tree& tree = record->layers[slot.definition.layer].module->tree;
  syntax::NodeId node = slot.definition.node;
  while (tree[node].kind == syntax::Kind::Amend || tree[node].kind == syntax::Kind::Group) {
    node = tree.child(node, 0);
  }
  bool named = tree[node].kind == syntax::Kind::Ref || tree[node].kind == syntax::Kind::Select;
  return std::string(named ? checker.str(tree[node].name) : schema);
}

}  // namespace sysdl
