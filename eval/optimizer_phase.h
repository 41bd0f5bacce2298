// What a stage does once a step, after its last backward pass: reduce gradients, step the optimizer,
// gather updated weights.
#pragma once

#include <optional>
#include <vector>

#include "eval/price.h"

namespace sysdl {

/// A collective of Phase::Optimizer on one device of a stage.
struct StepCollective {
  uint32_t node = 0;
  double count = 0;  // occurrences a step
  CollectivePrice price;
};

struct OptimizerPhase {
  std::vector<StepCollective> collectives;
  KernelResult kernel;    // the optimizer's step; node is kNone
  double reductions = 0;  // s, before the step (and before tied gradients are summed)
  double gathers = 0;     // s, all-gathers of weights after the step
  double wireBytes = 0;   // that one device sends
  /// Shares of these that no pass covers.
  double reductionsExposed = 1, gathersExposed = 1;
};

/// Occurrences of each part on a stage, all chunks together.
std::vector<double> occurrencesOf(const StageClass& stage, size_t parts);

/// The optimizer phase of a stage of a class. Collectives of one bucket are one message of what all
/// occurrences of all parts on the stage put in it; each gets its share of the time by bytes.
OptimizerPhase optimizerPhaseOf(const StageClass& stage, const Graph& graph,
                                const OptimizerModel& optimizer, const NameTable& names,
                                CollectivePricer& pricer, Scratch& scratch,
                                std::optional<EvaluationError>& error);

}  // namespace sysdl
