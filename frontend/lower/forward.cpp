// Forward placement: placements flow from operation to operation; nothing is searched.
//
// An operation is divided by the plan's rules for its axes, those of its parameters first, then by
// what its first input brings. Where two axes want one mesh factor the activation moves. Partial
// values pass through linear operations and are resolved before any other.
#include <algorithm>

#include "frontend/lower/context.h"

namespace sysdl::lowering {
namespace {

class PartPlacer {
public:
  PartPlacer(Context& context, uint32_t id)
      : context_(context), model_(context.model), rules_(context.rules),
        part_(context.model.parts[id]) {
    placed_.id = id;
  }

  PlacedPart run() {
    placed_.tensors.resize(part_.tensors.size());
    placeSources();
    for (const Operation& operation : part_.operations) place(operation);
    if (part_.output != kNone) {
      placed_.border = placementByRules(context_, part_.tensors[part_.output]);
      request(part_.output, *placed_.border, placed_.movesAtEnd);
    }
    holdParameters();
    return std::move(placed_);
  }

private:
  bool isActivation(TensorId id) const { return !part_.tensors[id].parameter; }

  /// Tensors that no operation makes: parameters, the part's input, and data from outside.
  void placeSources() {
    std::vector<bool> made(part_.tensors.size(), false);
    for (const Operation& operation : part_.operations) made[operation.output] = true;
    for (TensorId id = 0; id < part_.tensors.size(); ++id) {
      if (made[id]) continue;
      const Tensor& tensor = part_.tensors[id];
      PlacedTensor& state = placed_.tensors[id];
      state.external = !tensor.parameter && id != part_.input;
      state.versions.push_back({placementByRules(context_, tensor), 0, false});
    }
  }

  bool related(AxisId a, AxisId b) const { return a == b || areGrouped(model_, a, b); }

  /// Gives an axis of the operation being divided the factors of mesh axes that no other axis of it
  /// claims. A rule claims a mesh axis whole, also where the axis fills only a part of it or none:
  /// over the rest of tp, kv_heads are replicated and nothing else is sharded.
  void take(AxisId axis, FactorSet factors, FactorSet claim) {
    if (whole_[axis]) return;
    FactorSet free = ~FactorSet{0};
    for (AxisId other = 0; other < claims_.size(); ++other) {
      if (!related(axis, other)) free &= ~claims_[other];
    }
    sharding_[axis] |= factors & free;
    claims_[axis] |= claim & free;
  }
  void takeRule(AxisId axis) { take(axis, rules_.always[axis], rules_.claimed[axis]); }
  void takeFlow(AxisId axis, FactorSet factors) {
    take(axis, factors, context_.mesh.wholeAxes(factors));
  }

  FactorSet used() const {
    FactorSet result = 0;
    for (FactorSet set : sharding_) result |= set;
    return result;
  }

  /// Factors over which the inputs are Partial and may stay so: a sum passes through a linear
  /// operation if it is its one activation, or if every term of an Add is such a sum. A call with
  /// parameters may add one (a bias), which must not be added to each term.
  FactorSet passable(const Operation& operation) const {
    if (operation.kind == OperationKind::Apply) {
      auto isParameter = [&](TensorId id) { return !isActivation(id); };
      const auto& inputs = operation.inputs;
      if (!operation.linear || std::any_of(inputs.begin(), inputs.end(), isParameter)) return 0;
    }
    FactorSet partial = 0;
    size_t activations = 0;
    for (TensorId id : operation.inputs) {
      if (placed_.tensors[id].external) continue;
      FactorSet own = placed_.tensors[id].versions[0].placement.partial;
      if (operation.kind == OperationKind::Add) {
        if (activations++ && own != partial) return 0;
        partial = own;
      } else if (isActivation(id)) {
        if (activations++) return 0;
        partial = own;
      }
    }
    return partial;
  }

  TensorId firstActivation(const Operation& operation) const {
    for (TensorId id : operation.inputs) {
      if (isActivation(id)) return id;
    }
    return kNone;
  }

  /// The placement of a tensor with its sum made: scattered over an axis that rules put on the
  /// factors in question (a residual's sequence axis), or that who asks for it wants so; else whole.
  Placement resolvedPlacement(TensorId id, const Placement* target = nullptr) const {
    const Tensor& tensor = part_.tensors[id];
    Placement placement = placed_.tensors[id].versions[0].placement;
    FactorSet left = placement.partial;
    placement.partial = 0;
    for (size_t i = 0; i < tensor.axes.size(); ++i) {
      FactorSet wanted = rules_.always[tensor.axes[i]] | rules_.residual[tensor.axes[i]];
      if (target) wanted |= target->axes[i];
      placement.axes[i] |= wanted & left;
      left &= ~wanted;
    }
    return placement;
  }

  /// The version of a tensor in a placement, made now if it is not there yet.
  uint32_t request(TensorId id, const Placement& target, std::vector<Move>& moves) {
    PlacedTensor& state = placed_.tensors[id];
    if (state.external) return 0;  // loaded where it is needed
    const bool resolves = (state.versions[0].placement.partial & ~target.partial) != 0;
    if (resolves && state.resolved == 0) {
      state.resolved = static_cast<uint32_t>(state.versions.size());
      state.versions.push_back({resolvedPlacement(id, &target), 0, false});
      moves.push_back({id, state.resolved});
    }
    for (uint32_t v = 0; v < state.versions.size(); ++v) {
      if (state.versions[v].placement == target) return v;
    }
    const uint32_t base = target.partial ? 0 : state.resolved;
    // What was exchanged between ranks is as large as before and kept; what is gathered beyond that is not.
    uint32_t source = base;
    bool gathered = false;
    for (const Step& step : stepsBetween(state.versions[base].placement, target)) {
      gathered |= step.kind == CollectiveKind::AllGather;
      if (step.kind != CollectiveKind::AllToAll || step.to == target) continue;
      source = static_cast<uint32_t>(state.versions.size());
      state.versions.push_back({step.to, base, false});
      moves.push_back({id, source});
    }
    const auto version = static_cast<uint32_t>(state.versions.size());
    state.versions.push_back({target, source, gathered});
    moves.push_back({id, version});
    return version;
  }

  /// Divides an operation: rules for its parameters' axes, rules for its other axes (those that lie
  /// so already first), what its first activation brings, and a residual output's own rules.
  void divide(const Operation& operation, PlacedOperation& op) {
    const size_t axisCount = model_.axes.size();
    sharding_.assign(axisCount, 0);
    claims_.assign(axisCount, 0);
    whole_.assign(axisCount, false);
    if (operation.statistics <= 0) {
      for (AxisId axis : operation.reduces) whole_[axis] = true;
    }
    for (TensorId id : operation.inputs) {
      if (isActivation(id)) continue;
      for (AxisId axis : part_.tensors[id].axes) takeRule(axis);
    }
    const TensorId first = firstActivation(operation);
    op.passed = passable(operation);
    if (operation.fold.whole != kNone) divideFolded(operation);
    if (first != kNone) {
      const Placement flow = flowOf(first, op.passed);
      const auto& axes = part_.tensors[first].axes;
      for (size_t i = 0; i < axes.size(); ++i) {
        takeFlow(axes[i], rules_.always[axes[i]] & flow.axes[i]);
      }
    }
    auto takeRules = [&](const Tensor& tensor) {
      for (AxisId axis : tensor.axes) takeRule(axis);
    };
    for (TensorId id : operation.inputs) takeRules(part_.tensors[id]);
    const Tensor& output = part_.tensors[operation.output];
    takeRules(output);
    if (op.passed & used()) op.passed = 0;
    if (first != kNone) {
      const Placement flow = flowOf(first, op.passed);
      const auto& axes = part_.tensors[first].axes;
      for (size_t i = 0; i < axes.size(); ++i) takeFlow(axes[i], flow.axes[i] & ~op.passed);
    }
    if (output.residual) {
      for (AxisId axis : output.axes) takeFlow(axis, rules_.residual[axis] & ~op.passed);
    }
    op.sharding = sharding_;
    op.used = used();
    context_.placed |= op.used;
  }

  bool has(TensorId id, AxisId axis) const {
    const auto& axes = part_.tensors[id].axes;
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

  /// Where elements are regrouped, they stay on their rank: the side that has them one by one (tokens) says
  /// where, as it arrives or, where it is the output, as rules put it.
  void divideFolded(const Operation& operation) {
    const Fold& fold = operation.fold;
    auto isSide = [&](TensorId id) {
      return isActivation(id) && std::all_of(fold.parts.begin(), fold.parts.end(),
                                             [&](AxisId axis) { return has(id, axis); });
    };
    auto arriving = std::find_if(operation.inputs.begin(), operation.inputs.end(), isSide);
    const bool arrives = arriving != operation.inputs.end();
    const TensorId side = arrives ? *arriving : operation.output;
    const Placement flow = arrives ? flowOf(side, 0) : Placement();
    const Tensor& tensor = part_.tensors[side];
    for (size_t i = 0; i < tensor.axes.size(); ++i) {
      const AxisId axis = tensor.axes[i];
      if (std::find(fold.parts.begin(), fold.parts.end(), axis) == fold.parts.end()) continue;
      if (arrives)
        takeFlow(axis, flow.axes[i]);
      else
        takeRule(axis);
      if (!arrives && tensor.residual) takeFlow(axis, rules_.residual[axis]);
    }
    for (AxisId axis : fold.parts) {
      sharding_[fold.whole] |= sharding_[axis];
      claims_[fold.whole] |= claims_[axis];
      whole_[axis] = true;
    }
    whole_[fold.whole] = true;
  }

  /// How an activation arrives where no move is asked for: as it was made, or with its sum made.
  Placement flowOf(TensorId id, FactorSet passed) const {
    const PlacedTensor& state = placed_.tensors[id];
    return passed || state.external ? state.versions[0].placement : resolvedPlacement(id);
  }

  void place(const Operation& operation) {
    PlacedOperation op;
    divide(operation, op);
    for (TensorId id : operation.inputs) {
      Placement target = placementOfInput(part_, operation, id, op.sharding);
      if (isActivation(id)) {
        if (operation.kind == OperationKind::Add || id == firstActivation(operation)) {
          target.partial = op.passed;
        }
        op.versions.push_back(request(id, target, op.moves));
      } else {
        op.versions.push_back(0);
      }
    }
    const Tensor& output = part_.tensors[operation.output];
    Placement made = placementOf(output, op.sharding);
    FactorSet reduced = 0;
    for (AxisId axis : operation.reduces) reduced |= op.sharding[axis];
    made.partial = (op.used & ~made.sharding() & ~reduced) | op.passed;
    placed_.tensors[operation.output].versions.assign(1, {made, 0, false});
    op.sizes = sizesOf(operation, op);
    placed_.operations.push_back(std::move(op));
  }

  bool sees(const Operation& operation, AxisId axis) const {
    auto has = [&](TensorId id) {
      const auto& axes = part_.tensors[id].axes;
      return std::find(axes.begin(), axes.end(), axis) != axes.end();
    };
    return has(operation.output) ||
           std::any_of(operation.inputs.begin(), operation.inputs.end(), has);
  }

  uint32_t sizesOf(const Operation& operation, const PlacedOperation& op) {
    for (AxisId axis = 0; axis < op.sharding.size(); ++axis) {
      if (op.sharding[axis]) localSize(context_, axis, op.sharding[axis]);
    }
    std::vector<int64_t> sizes;
    sizes.reserve(operation.sizes.size());
    for (AxisId axis : operation.sizes) {
      // An axis of no tensor here is one of a weight that is fused with this operation's; it lies as
      // in that weight's own operation.
      const FactorSet factors = sees(operation, axis) ? op.sharding[axis] : rules_.always[axis];
      sizes.push_back(localSize(context_, axis, factors));
    }
    context_.graph.localSizes.push_back(std::move(sizes));
    return static_cast<uint32_t>(context_.graph.localSizes.size() - 1);
  }

  /// A rank holds what all uses of a parameter have in common, by rule: a use that a flowing
  /// activation divided further (a bias on a slice of the sequence) takes a slice of it.
  void holdParameters() {
    for (TensorId id = 0; id < part_.tensors.size(); ++id) {
      const Tensor& tensor = part_.tensors[id];
      if (!tensor.parameter) continue;
      Placement held = placed_.tensors[id].versions[0].placement;
      for (size_t i = 0; i < tensor.axes.size(); ++i) {
        FactorSet common = rules_.always[tensor.axes[i]];
        for (size_t o = 0; o < part_.operations.size(); ++o) {
          const auto& inputs = part_.operations[o].inputs;
          if (std::find(inputs.begin(), inputs.end(), id) == inputs.end()) continue;
          common &= placed_.operations[o].sharding[tensor.axes[i]];
        }
        held.axes[i] = common;
      }
      placed_.tensors[id].versions[0].placement = held;
      placed_.parameters.push_back({id, held, 0, context_.elements(tensor, held), false, false});
    }
  }

  Context& context_;
  const Model& model_;
  const Rules& rules_;
  const Part& part_;
  PlacedPart placed_;
  // The operation being divided, by AxisId: its sharding, the mesh axes that each axis has for
  // itself, and the axes that must stay whole.
  std::vector<FactorSet> sharding_, claims_;
  std::vector<bool> whole_;
};

}  // namespace

Placement placementOfInput(const Part& part, const Operation& operation, TensorId id,
                           const std::vector<FactorSet>& sharding) {
  const Tensor& tensor = part.tensors[id];
  Placement placement = placementOf(tensor, sharding);
  for (const WholeAlong& whole : operation.whole) {
    for (size_t i = 0; whole.tensor == id && i < tensor.axes.size(); ++i) {
      if (tensor.axes[i] == whole.axis) placement.axes[i] = 0;
    }
  }
  return placement;
}

Placement placementByRules(Context& context, const Tensor& tensor) {
  Placement placement;
  FactorSet used = 0;
  for (AxisId axis : tensor.axes) {
    FactorSet factors = context.rules.always[axis] & ~used;
    placement.axes.push_back(factors);
    used |= factors;
  }
  if (!tensor.residual) return placement;
  for (size_t i = 0; i < tensor.axes.size(); ++i) {
    FactorSet factors = context.rules.residual[tensor.axes[i]] & ~used;
    placement.axes[i] |= factors;
    used |= factors;
  }
  return placement;
}

PlacedPart placePart(Context& context, uint32_t part) { return PartPlacer(context, part).run(); }

}  // namespace sysdl::lowering
