// Storage of weights, gradients and optimizer state, and the collectives that go with it.
//
// One rule gives plain data parallelism and ZeRO [Rajbhandari et al. 2020, arXiv:1910.02054]: a
// gradient is Partial over some factors; storage over factors F turns the reduction over F into a
// reduce-scatter, undone by an all-gather: after the step (ZeRO-1, -2) or before use (ZeRO-3).
#include <fmt/format.h>

#include "frontend/lower/context.h"
#include "frontend/lower/groups.h"

namespace sysdl::lowering {
namespace {

/// The factors over which a parameter's weights, gradient and optimizer state are divided. What
/// divides weights divides gradients too, and what divides gradients divides the state.
struct StoredOver {
  FactorSet weights = 0, gradients = 0, state = 0;
};

StoredOver storedOverOf(const Context& context, const PlacedParameter& parameter) {
  StoredOver result;
  const FactorSet whole = ~parameter.held.sharding();
  result.weights = storedOver(context.mesh, context.plan, Stored::Weights) & whole;
  result.gradients =
      result.weights | (storedOver(context.mesh, context.plan, Stored::Gradients) & whole);
  result.state =
      result.gradients | (storedOver(context.mesh, context.plan, Stored::OptimizerState) & whole);
  return result;
}

struct Reduction {
  CollectiveKind kind = CollectiveKind::AllReduce;
  FactorSet group = 0;
  double bytes = 0;
  Phase phase = Phase::Optimizer;
  std::string_view remark;
};

class StorageEmitter {
public:
  StorageEmitter(Context& context, const PlacedPart& placed)
      : context_(context), part_(context.part(placed)), placed_(placed),
        graph_(context.graph.parts[placed.id]) {}

  void run() {
    for (const PlacedParameter& parameter : placed_.parameters) {
      count(parameter);
      if (!parameter.shared) reduce(parameter);
    }
  }

private:
  double divided(double amount, FactorSet factors) const {
    return amount / static_cast<double>(context_.mesh.degree(factors));
  }

  void count(const PlacedParameter& parameter) {
    const Tensor& tensor = part_.tensors[parameter.tensor];
    const StoredOver over = storedOverOf(context_, parameter);
    context_.placed |= over.state;
    if (!parameter.tied) {
      double published = 1;
      for (AxisId id : tensor.axes) {
        const Axis& axis = context_.model.axes[id];
        published *= static_cast<double>(axis.unpadded ? axis.unpadded : axis.size);
      }
      graph_.globalParameters += published;
    }
    const double weightBytes = parameter.elements * tensor.elementBytes;
    // Gathered before use, freed after it: one part's weights at a time.
    graph_.transientBytes += weightBytes - divided(weightBytes, over.weights);
    if (parameter.shared) return;
    graph_.parameters += parameter.elements;
    graph_.weightBytes += divided(weightBytes, over.weights);
    graph_.gradientBytes +=
        divided(parameter.elements * context_.optimizer.gradientBytes, over.gradients);
    const double stepped = divided(parameter.elements, over.state);
    graph_.optimizedParameters += stepped;
    graph_.optimizerBytes += stepped * context_.optimizer.stateBytes;
  }

  void emit(const PlacedParameter& parameter, const Reduction& reduction) {
    if (!reduction.group) return;
    CollectiveNode node;
    node.name = part_.tensors[parameter.tensor].name;
    node.part = placed_.id;
    node.kind = reduction.kind;
    node.phase = reduction.phase;
    node.bytes = reduction.bytes;
    const std::string over =
        meshAxesOf(reduction.group, context_.plan, context_.mesh, context_.names);
    switch (reduction.kind) {
    case CollectiveKind::ReduceScatter:
      node.why = fmt::format("Partial({0}) -> Stored({0}), {1}", over, reduction.remark);
      break;
    case CollectiveKind::AllGather:
      node.why = fmt::format("Stored({}) -> Replicated, {}", over, reduction.remark);
      break;
    default: node.why = fmt::format("Partial({}) -> Replicated, {}", over, reduction.remark);
    }
    const bool perStep = reduction.phase == Phase::Optimizer;
    node.overlappable = !perStep;
    node.bucket = bucketOf(context_, reduction.kind, reduction.group, reduction.phase,
                           perStep ? kNone : placed_.id);
    emitCollective(context_, perStep ? graph_.optimizer : graph_.backward, std::move(node),
                   reduction.group);
  }

  /// Each piece of the model lies on two stages, one for each direction: their gradients are summed.
  void emitCopies(const PlacedParameter& parameter, double bytes) {
    CollectiveNode node;
    node.name = part_.tensors[parameter.tensor].name;
    node.part = placed_.id;
    node.phase = Phase::Optimizer;
    node.bytes = bytes;
    node.bucket = bucketOf(context_, node.kind, context_.mesh.stages, Phase::Optimizer, kNone);
    node.why = "gradient of a piece that two stages hold";
    emitCollective(context_, graph_.optimizer, std::move(node), 0).group =
        pairAcrossStages(context_.mesh, context_.machine);
  }

  void reduce(const PlacedParameter& parameter) {
    const Tensor& tensor = part_.tensors[parameter.tensor];
    const StoredOver over = storedOverOf(context_, parameter);
    const double bytes = parameter.elements * tensor.gradientElementBytes;
    FactorSet partial = parameter.gradientPartial & ~parameter.held.sharding();
    // Of what lies over data ranks itself (experts), all other ranks hold other tokens.
    const FactorSet data =
        parameter.held.sharding() & context_.data ? ~FactorSet{0} : context_.data;
    auto take = [&](FactorSet factors) {
      FactorSet taken = partial & factors;
      partial &= ~taken;
      return taken;
    };
    emit(parameter, {CollectiveKind::ReduceScatter, take(over.gradients), bytes, Phase::Backward,
                     "gradient, each micro-batch"});
    const double left = divided(bytes, over.gradients);
    emit(parameter, {CollectiveKind::AllReduce, take(~(data | over.state)), left, Phase::Optimizer,
                     "gradient"});
    emit(parameter,
         {CollectiveKind::ReduceScatter, take(over.state), left, Phase::Optimizer, "gradient"});
    emit(parameter, {CollectiveKind::AllReduce, take(~FactorSet{0}), divided(bytes, over.state),
                     Phase::Optimizer, "gradient"});
    if (context_.plan.schedule.kind == ScheduleKind::DualPipe) {
      emitCopies(parameter, divided(bytes, over.gradients | over.state));
    }
    emit(parameter, {CollectiveKind::AllGather, over.state & ~over.weights,
                     divided(parameter.elements * tensor.elementBytes, over.weights),
                     Phase::Optimizer, "updated weights"});
  }

  Context& context_;
  const Part& part_;
  const PlacedPart& placed_;
  PartGraph& graph_;
};

}  // namespace

void emitWeightGathers(Context& context, const PlacedPart& placed, Phase phase,
                       std::vector<Issue>& issues) {
  const Part& part = context.part(placed);
  for (const PlacedParameter& parameter : placed.parameters) {
    const FactorSet over = storedOverOf(context, parameter).weights;
    if (!over) continue;
    const Tensor& tensor = part.tensors[parameter.tensor];
    CollectiveNode node;
    node.name = tensor.name;
    node.part = placed.id;
    node.kind = CollectiveKind::AllGather;
    node.phase = phase;
    node.bytes = parameter.elements * tensor.elementBytes;
    node.overlappable = true;  // fetched while the part before computes
    node.bucket = bucketOf(context, node.kind, over, phase, placed.id);
    node.why = fmt::format("Stored({}) -> Replicated, weights before use",
                           meshAxesOf(over, context.plan, context.mesh, context.names));
    emitCollective(context, issues, std::move(node), over);
  }
}

void addStorage(Context& context, const PlacedPart& placed) {
  StorageEmitter(context, placed).run();
}

}  // namespace sysdl::lowering
