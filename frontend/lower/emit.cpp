// Appends kernels and collectives to the graph, in the order in which a device issues them.
#include <algorithm>

#include "frontend/lower/context.h"
#include "frontend/lower/groups.h"

namespace sysdl::lowering {

uint32_t bucketOf(Context& context, CollectiveKind kind, FactorSet group, Phase phase,
                  uint32_t part) {
  const auto next = static_cast<uint32_t>(context.buckets.size() + 1);
  return context.buckets.try_emplace({kind, group, phase, part}, next).first->second;
}

CollectiveNode& emitCollective(Context& context, std::vector<Issue>& issues, CollectiveNode node,
                               FactorSet group) {
  // An exchange between experts is named by their view of the devices.
  node.group =
      groupAlong(context.mesh, context.machine, group, node.kind == CollectiveKind::AllToAll);
  context.placed |= group;
  issues.push_back({true, static_cast<uint32_t>(context.graph.collectives.size())});
  return context.graph.collectives.emplace_back(std::move(node));
}

void emitSteps(Context& context, uint32_t part, const Tensor& tensor, const Placement& from,
               const Placement& to, const MoveStyle& style, std::vector<Issue>& issues) {
  for (const Step& step : stepsBetween(from, to)) {
    const bool gathers = step.kind == CollectiveKind::AllGather;
    if (style.gathersOnly && !gathers && step.kind != CollectiveKind::AllToAll) continue;
    CollectiveNode node;
    node.name = tensor.name;
    node.part = part;
    node.kind = step.kind;
    node.phase = style.phase;
    node.bytes = context.elements(tensor, gathers ? step.to : step.from) * style.elementBytes;
    node.overlappable = style.overlappable;
    node.why = describe(step, context.model, context.plan, context.mesh, tensor, context.names);
    if (!style.remark.empty()) node.why.append(", ").append(style.remark);
    emitCollective(context, issues, std::move(node), step.group);
  }
}

void emitKernels(Context& context, const PlacedPart& placed, uint32_t operation, Phase phase,
                 std::vector<Issue>& issues) {
  const auto& kernels = context.part(placed).operations[operation].kernels;
  FactorSet same = ~(placed.operations[operation].used | context.mesh.stages);
  same &= static_cast<FactorSet>((uint64_t{1} << context.mesh.factors.size()) - 1);
  for (uint32_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k].backward != (phase == Phase::Backward)) continue;
    issues.push_back({false, static_cast<uint32_t>(context.graph.kernels.size())});
    context.graph.kernels.push_back({placed.id, operation, k, phase,
                                     placed.operations[operation].sizes,
                                     static_cast<double>(context.mesh.degree(same))});
  }
}

void emitStatistics(Context& context, const PlacedPart& placed, uint32_t operation, Phase phase,
                    std::vector<Issue>& issues) {
  const Part& part = context.part(placed);
  const Operation& op = part.operations[operation];
  const PlacedOperation& place = placed.operations[operation];
  const bool backward = phase == Phase::Backward;
  const double count = backward ? op.backwardStatistics : op.statistics;
  FactorSet group = 0;
  for (AxisId axis : op.reduces) group |= place.sharding[axis];
  auto isActivation = [&](TensorId id) { return !part.tensors[id].parameter; };
  auto first = std::find_if(op.inputs.begin(), op.inputs.end(), isActivation);
  if (count <= 0 || !group || first == op.inputs.end()) return;
  double rows = 1;
  for (AxisId axis : part.tensors[*first].axes) {
    if (std::find(op.reduces.begin(), op.reduces.end(), axis) != op.reduces.end()) continue;
    rows *= static_cast<double>(localSize(context, axis, place.sharding[axis]));
  }
  CollectiveNode node;
  node.name = op.name;
  node.part = placed.id;
  node.phase = phase;
  node.bytes = count * rows * 4;  // fp32
  node.why = "statistics of each row over a sharded axis";
  emitCollective(context, issues, std::move(node), group);
}

namespace {

void emitMoves(Context& context, const PlacedPart& placed, const std::vector<Move>& moves,
               const MoveStyle& style, std::vector<Issue>& issues) {
  const Part& part = context.part(placed);
  for (const Move& move : moves) {
    const PlacedTensor& state = placed.tensors[move.tensor];
    const Version& version = state.versions[move.version];
    MoveStyle own = style;
    own.elementBytes = part.tensors[move.tensor].elementBytes;
    emitSteps(context, placed.id, part.tensors[move.tensor],
              state.versions[version.source].placement, version.placement, own, issues);
  }
}

void emitForwardAs(Context& context, const PlacedPart& placed, Phase phase,
                   std::vector<Issue>& issues) {
  emitWeightGathers(context, placed, phase, issues);
  MoveStyle style;
  style.phase = phase;
  for (uint32_t o = 0; o < placed.operations.size(); ++o) {
    emitMoves(context, placed, placed.operations[o].moves, style, issues);
    emitKernels(context, placed, o, phase, issues);
    emitStatistics(context, placed, o, phase, issues);
  }
  emitMoves(context, placed, placed.movesAtEnd, style, issues);
}

}  // namespace

void emitForward(Context& context, const PlacedPart& placed) {
  emitForwardAs(context, placed, Phase::Forward, context.graph.parts[placed.id].forward);
}

void emitRecompute(Context& context, const PlacedPart& placed) {
  const Part& part = context.part(placed);
  auto& issues = context.graph.parts[placed.id].recompute;
  if (recomputesWhole(context, part)) {
    emitForwardAs(context, placed, Phase::Recompute, issues);
    return;
  }
  if (context.plan.recompute != Recompute::Selective) return;
  MoveStyle style;
  style.phase = Phase::Recompute;
  style.gathersOnly = true;  // what resolved a sum is kept
  for (uint32_t o = 0; o < placed.operations.size(); ++o) {
    if (!part.operations[o].recomputedWhenSelective) continue;
    emitMoves(context, placed, placed.operations[o].moves, style, issues);
    emitKernels(context, placed, o, Phase::Recompute, issues);
    emitStatistics(context, placed, o, Phase::Recompute, issues);
  }
}

}  // namespace sysdl::lowering
