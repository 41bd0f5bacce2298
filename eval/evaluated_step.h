// A training step with all that its numbers were put together from, for those who show how it runs.
#pragma once

#include <variant>

#include "eval/evaluate.h"
#include "eval/step.h"

namespace sysdl {

struct EvaluatedStep {
  Priced priced;
  schedule::Pipeline pipeline;
  schedule::Timeline timeline;
  StepResults results;

  using Result = std::variant<EvaluatedStep, EvaluationError>;
};

/// As `evaluate` (eval/evaluate.h), which keeps the results alone.
EvaluatedStep::Result evaluateStep(const Model& model, const Plan& plan, const Machine& machine,
                                   const OptimizerModel& optimizer, const Graph& graph,
                                   const NameTable& names, Scratch& scratch);

}  // namespace sysdl
