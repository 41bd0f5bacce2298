// The pass from a graph of kernels and collectives to the numbers of one training step.
#pragma once

#include <variant>

#include "ir/formula/program.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/graph/results.h"
#include "ir/graph/tensor_program.h"
#include "ir/support/name.h"

namespace sysdl {

/// Why a step has no numbers.
struct EvaluationError {
  enum class What : uint8_t {
    Kernel,       // the formula of the operation of `node`, in Graph::kernels, met `fault`
    Collective,   // an algorithm of the collective of `node`, in Graph::collectives, met `fault`
    Optimizer,    // the optimizer's formula met `fault`
    NoAlgorithm,  // no algorithm is known for the collective of `node`
  };
  What what = What::Kernel;
  uint32_t node = kNone;
  Fault fault{};
};

using Evaluation = std::variant<StepResults, EvaluationError>;

/// Evaluates one training step: time, memory, FLOP and bytes (see ir/graph/results.h for units and
/// what each is a sum of). `names` gives bounds their text. Pure: same arguments, same bits; threads
/// may share all but `scratch`. Cost does not depend on devices, micro-batches or equal layers, and
/// depends on equal stages at most as O(stages * chunks) where a closed form is exact.
///
/// Preconditions (lowering keeps them): indices within bounds, programs with the inputs and outputs
/// that ir/graph/plan.h says, stages that cover 0 to pp - 1 with as many chunks as the schedule.
///
/// The step ends when every stage has stepped its optimizer after its own last backward pass.
/// Collectives are exposed unless they are overlappable (see eval/overlap.h); point-to-point as in
/// eval/schedule/pipeline.h. Times are those of the busiest stage, the one that computes and
/// communicates longest (the first of equal ones); what is left of the step is its bubble.
Evaluation evaluate(const Model& model, const Plan& plan, const Machine& machine,
                    const OptimizerModel& optimizer, const Graph& graph, const NameTable& names,
                    Scratch& scratch);

}  // namespace sysdl
