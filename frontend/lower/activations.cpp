// Activation memory: what forward keeps for backward, in the placement in which it was made.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/lower/context.h"

namespace sysdl::lowering {
namespace {

Code codeOfFault(FaultKind kind) {
  switch (kind) {
  case FaultKind::Overflow: return Code::E0410;
  case FaultKind::NotWhole: return Code::E0411;
  case FaultKind::NotFinite:
  case FaultKind::DivideByZero: break;
  }
  return Code::E0412;
}

class ActivationCounter {
public:
  ActivationCounter(Context& context, const PlacedPart& placed)
      : context_(context), part_(context.part(placed)), placed_(placed) {}

  void run() {
    findSaved();
    for (uint32_t o = 0; o < placed_.operations.size(); ++o) addBuffers(o);
    addTensors();
    PartGraph& graph = context_.graph.parts[placed_.id];
    graph.waitingBytes = waiting();
    if (!recomputesWhole(context_, part_)) {
      graph.keptBytes = kept_;
      graph.transientBytes += dropped_;
      return;
    }
    double input = part_.input == kNone ? 0 : bytes(part_.input, 0);
    graph.keptBytes = input;
    graph.transientBytes += kept_ + dropped_ - (inputSaved_ ? input : 0);
  }

private:
  struct Saved {
    TensorId tensor = 0;
    uint32_t version = 0;
    bool fixed = false;  // by an operation that does not run again under selective recompute
  };

  bool isRecomputed(const Operation& operation) const {
    return context_.plan.recompute == Recompute::Selective && operation.recomputedWhenSelective;
  }

  double bytes(TensorId tensor, uint32_t version) const {
    const Placement& placement = placed_.tensors[tensor].versions[version].placement;
    return context_.elements(part_.tensors[tensor], placement) * part_.tensors[tensor].elementBytes;
  }

  /// The version that is kept where an operation saves a tensor: a gathered one is dropped for its
  /// source, a sum not yet made for the made one.
  uint32_t keptVersion(const Operation& operation, const PlacedOperation& place,
                       TensorId id) const {
    const PlacedTensor& state = placed_.tensors[id];
    uint32_t version = state.resolved;
    auto input = std::find(operation.inputs.begin(), operation.inputs.end(), id);
    if (input != operation.inputs.end()) {
      version = place.versions[static_cast<size_t>(input - operation.inputs.begin())];
    }
    while (state.versions[version].gathered && !context_.plan.keepGathered) {
      version = state.versions[version].source;
    }
    return version;
  }

  void findSaved() {
    for (size_t o = 0; o < part_.operations.size(); ++o) {
      const Operation& operation = part_.operations[o];
      for (TensorId id : operation.saves) {
        if (part_.tensors[id].parameter) continue;
        const uint32_t version = keptVersion(operation, placed_.operations[o], id);
        auto same = [&](const Saved& s) { return s.tensor == id && s.version == version; };
        auto found = std::find_if(saved_.begin(), saved_.end(), same);
        if (found == saved_.end()) found = saved_.insert(saved_.end(), {id, version, false});
        found->fixed |= !isRecomputed(operation);
      }
    }
  }

  bool isSaved(TensorId tensor, uint32_t version) const {
    return std::any_of(saved_.begin(), saved_.end(),
                       [&](const Saved& s) { return s.tensor == tensor && s.version == version; });
  }

  /// A slice of a version that is kept too costs nothing.
  bool isSliceOfSaved(const Saved& saved) const {
    const auto& versions = placed_.tensors[saved.tensor].versions;
    const Version& version = versions[saved.version];
    return saved.version != 0 && !version.gathered && !versions[version.source].placement.partial &&
           isSaved(saved.tensor, version.source);
  }

  bool isMadeAgain(TensorId tensor) const {
    return std::any_of(part_.operations.begin(), part_.operations.end(),
                       [&](const Operation& o) { return o.output == tensor && isRecomputed(o); });
  }

  void addTensors() {
    for (const Saved& saved : saved_) {
      if (isSliceOfSaved(saved)) continue;
      const bool keep = saved.fixed || !isMadeAgain(saved.tensor);
      (keep ? kept_ : dropped_) += bytes(saved.tensor, saved.version);
      inputSaved_ |= saved.tensor == part_.input && saved.version == 0;
    }
  }

  /// What gradients of weights are made of: the inputs of products, and the gradients of their outputs.
  double waiting() const {
    double sum = 0;
    std::set<std::pair<TensorId, uint32_t>> inputs;
    for (size_t o = 0; o < part_.operations.size(); ++o) {
      const Operation& operation = part_.operations[o];
      if (operation.kind != OperationKind::Contract) continue;
      const TensorId input = operation.inputs.front();
      const uint32_t version = keptVersion(operation, placed_.operations[o], input);
      if (inputs.insert({input, version}).second) sum += bytes(input, version);
      const Tensor& output = part_.tensors[operation.output];
      const PlacedTensor& placed = placed_.tensors[operation.output];
      sum += context_.elements(output, placed.versions[placed.resolved].placement) *
             output.gradientElementBytes;
    }
    return sum;
  }

  void addBuffers(uint32_t o) {
    const Operation& operation = part_.operations[o];
    if (operation.buffers.empty() || operation.program == kNone) return;
    const Program& program = context_.model.programs[operation.program];
    std::vector<Word> inputs, outputs(program.outputs.size());
    for (int64_t size : context_.graph.localSizes[placed_.operations[o].sizes]) {
      inputs.push_back(wordOf(size));
    }
    if (inputs.size() != program.inputCount) return;
    if (auto fault = sysdl::run(program, inputs, outputs, scratch_)) {
      context_.diagnostics
          .report(codeOfFault(fault->kind), fault->span,
                  fmt::format("the formulas of `{}` have no value for the sizes of one device",
                              context_.names.text(operation.name)),
                  std::string(describe(fault->kind)))
          .label(operation.span, "used here");
      return;
    }
    for (const SavedBuffer& buffer : operation.buffers) {
      (isRecomputed(operation) ? dropped_ : kept_) += outputs[buffer.bytes].real;
    }
  }

  Context& context_;
  const Part& part_;
  const PlacedPart& placed_;
  std::vector<Saved> saved_;
  Scratch scratch_;
  double kept_ = 0, dropped_ = 0;
  bool inputSaved_ = false;
};

}  // namespace

bool recomputesWhole(const Context& context, const Part& part) {
  return context.plan.recompute == Recompute::Full && isLayer(part);
}

void addActivations(Context& context, const PlacedPart& placed) {
  ActivationCounter(context, placed).run();
}

}  // namespace sysdl::lowering
