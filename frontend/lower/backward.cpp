// Backward, derived operation by operation in reverse.
//
// The gradient of an input is made where the operation computes: over factors that divide the work
// but not that input it is Partial. Gradients of one tensor are summed before they are moved, and
// moved to the dual of the placement in which the tensor was made: Sharded to Sharded, and
// Replicated or Partial to Replicated. Weight gradients stay Partial until the optimizer.
#include <algorithm>

#include "frontend/lower/context.h"

namespace sysdl::lowering {
namespace {

class BackwardEmitter {
public:
  BackwardEmitter(Context& context, PlacedPart& placed)
      : context_(context), part_(context.part(placed)), placed_(placed),
        issues_(context.graph.parts[placed.id].backward), gradients_(part_.tensors.size()),
        gathered_(part_.tensors.size()) {}

  void run() {
    emitWeightGathers(context_, placed_, Phase::Backward, issues_);
    if (part_.output != kNone) gradients_[part_.output].push_back(*placed_.border);
    for (size_t o = part_.operations.size(); o-- > 0;) differentiate(static_cast<uint32_t>(o));
    if (part_.input != kNone) move(part_.input, placed_.tensors[part_.input].versions[0].placement);
    runDeferred();
  }

private:
  static bool isLinear(const Operation& operation) {
    return operation.linear || operation.kind != OperationKind::Apply;
  }

  /// Moves the sum of a tensor's gradients to `target`. Gradients in one placement are summed as
  /// they are; gradients in several meet where the tensor itself was without Partial.
  void move(TensorId id, const Placement& target) {
    auto& parts = gradients_[id];
    if (parts.empty()) return;
    const Tensor& tensor = part_.tensors[id];
    MoveStyle style;
    style.phase = Phase::Backward;
    style.elementBytes = tensor.gradientElementBytes;
    style.remark = "gradient";
    style.overlappable = context_.plan.overlapBackward;
    Placement now = parts.front();
    if (parts.size() > 1) {
      const PlacedTensor& state = placed_.tensors[id];
      now = state.versions[state.resolved].placement;
      now.partial = target.partial & ~now.sharding();
      for (const Placement& gradient : parts) {
        emitSteps(context_, placed_.id, tensor, gradient, now, style, issues_);
      }
    }
    emitSteps(context_, placed_.id, tensor, now, target, style, issues_);
  }

  /// The gradient's placement that an operation takes: its output's sharding; Partial only through
  /// linear operations, over factors that they do not use.
  Placement upstream(const Operation& operation, const PlacedOperation& place) const {
    const Tensor& output = part_.tensors[operation.output];
    Placement target = placementOf(output, place.sharding);
    if (!isLinear(operation) || gradients_[operation.output].empty()) return target;
    FactorSet partial = ~FactorSet{0};
    for (const Placement& gradient : gradients_[operation.output]) partial &= gradient.partial;
    target.partial = partial & ~place.used & ~place.passed;
    return target;
  }

  void differentiate(uint32_t o) {
    const Operation& operation = part_.operations[o];
    const PlacedOperation& place = placed_.operations[o];
    const Placement gradient = upstream(operation, place);
    const uint32_t moved = lastCollectiveOf([&] { move(operation.output, gradient); });
    // Weights' gradients of the operation before run while this one's upstream gradient moves.
    runDeferred();
    const uint32_t gathered = lastCollectiveOf([&] { gatherAgain(operation, place); });
    runKernels(o, moved, gathered);
    emitStatistics(context_, placed_, o, Phase::Backward, issues_);
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      const TensorId id = operation.inputs[i];
      const PlacedTensor& state = placed_.tensors[id];
      if (state.external) continue;
      Placement made = placementOfInput(part_, operation, id, place.sharding);
      made.partial = (place.used & ~made.sharding()) | gradient.partial;
      if (part_.tensors[id].parameter) {
        addParameterGradient(id, made, place.passed);
        continue;
      }
      // The term that enters a Partial sum has the sum's own gradient; other inputs are multiplied
      // by a term, so their gradients are terms too.
      const FactorSet own = state.versions[place.versions[i]].placement.partial;
      made.partial |= place.passed & ~own;
      auto& parts = gradients_[id];
      if (std::find(parts.begin(), parts.end(), made) == parts.end()) parts.push_back(made);
    }
  }

  /// The last collective that `emit` issues beside kernels, or kNone.
  template <typename Emit>
  uint32_t lastCollectiveOf(Emit emit) {
    const size_t before = issues_.size();
    emit();
    for (size_t i = issues_.size(); i-- > before;) {
      if (context_.graph.collectives[issues_[i].index].overlappable) return issues_[i].index;
    }
    return kNone;
  }

  /// Kernels wait for the gradient that they start from. Those that make a weight's gradient also
  /// wait for the input that is gathered again, and are put off until the input's gradient is under
  /// way, where the plan overlaps them.
  void runKernels(uint32_t o, uint32_t moved, uint32_t gathered) {
    const size_t before = issues_.size();
    emitKernels(context_, placed_, o, Phase::Backward, issues_);
    const auto& kernels = part_.operations[o].kernels;
    std::vector<Issue> now;
    for (size_t i = before; i < issues_.size(); ++i) {
      Issue issue = issues_[i];
      const bool deferrable = kernels[context_.graph.kernels[issue.index].kernel].deferrable;
      // The gathered input is read by its weight's gradient; where there is none, by every kernel.
      const bool readsInput = gathered != kNone && (deferrable || !hasDeferrable(kernels));
      issue.waitsFor = readsInput ? gathered : moved;
      if (deferrable && context_.plan.overlapBackward)
        deferred_.push_back(issue);
      else
        now.push_back(issue);
    }
    issues_.resize(before);
    issues_.insert(issues_.end(), now.begin(), now.end());
  }

  static bool hasDeferrable(const std::vector<KernelCost>& kernels) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [](const KernelCost& k) { return k.deferrable; });
  }

  void runDeferred() {
    issues_.insert(issues_.end(), deferred_.begin(), deferred_.end());
    deferred_.clear();
  }

  void addParameterGradient(TensorId id, const Placement& made, FactorSet passed) {
    for (PlacedParameter& parameter : placed_.parameters) {
      if (parameter.tensor != id) continue;
      // A use that took a slice knows the gradient of its slice only: a term of a sum.
      parameter.gradientPartial |= made.partial | passed;
      parameter.gradientPartial |= made.sharding() & ~parameter.held.sharding();
    }
  }

  /// A gathered input that backward needs was dropped after forward: gathers it again, once.
  void gatherAgain(const Operation& operation, const PlacedOperation& place) {
    if (context_.plan.keepGathered) return;
    const bool recomputed =
        context_.plan.recompute == Recompute::Selective && operation.recomputedWhenSelective;
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      const TensorId id = operation.inputs[i];
      const PlacedTensor& state = placed_.tensors[id];
      if (state.external || part_.tensors[id].parameter) continue;
      const auto& saves = operation.saves;
      if (std::find(saves.begin(), saves.end(), id) == saves.end()) continue;
      const uint32_t v = place.versions[i];
      auto& done = gathered_[id];
      if (!state.versions[v].gathered || std::find(done.begin(), done.end(), v) != done.end()) {
        continue;
      }
      done.push_back(v);
      if (recomputed) continue;  // gathered in the recompute phase
      MoveStyle style;
      style.phase = Phase::Backward;
      style.elementBytes = part_.tensors[id].elementBytes;
      style.overlappable = true;
      style.gathersOnly = true;
      style.remark = "re-gather";
      emitSteps(context_, placed_.id, part_.tensors[id],
                state.versions[state.versions[v].source].placement, state.versions[v].placement,
                style, issues_);
    }
  }

  Context& context_;
  const Part& part_;
  PlacedPart& placed_;
  std::vector<Issue>& issues_;
  std::vector<std::vector<Placement>> gradients_;  // by tensor: placements of what is to be summed
  std::vector<std::vector<uint32_t>> gathered_;    // by tensor: versions at hand again
  std::vector<Issue> deferred_;                    // kernels that nothing waits for
};

}  // namespace

void emitBackward(Context& context, PlacedPart& placed) { BackwardEmitter(context, placed).run(); }

}  // namespace sysdl::lowering
