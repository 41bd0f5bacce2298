// Composition of a step: from priced parts to the pipeline, the end of the step, and where its time
// goes on the busiest stage.
#pragma once

#include <vector>

#include "eval/optimizer_phase.h"
#include "eval/overlap.h"
#include "eval/price.h"
#include "eval/schedule/pipeline.h"
#include "ir/graph/results.h"

namespace sysdl {

/// Everything priced, before it is put together. Per occurrence, micro-batch and device.
struct Priced {
  struct Part {
    PhaseTime forward, recompute, backward;
    double weight =
        0;  // s, kernels of split backward passes for weights, which `backward` does not count then
  };
  std::vector<KernelResult> kernels;           // by Graph::kernels
  std::vector<CollectivePrice> collectives;    // by Graph::collectives
  std::vector<double> exposed;                 // s, by Graph::collectives
  std::vector<Part> parts;                     // by Graph::parts
  std::vector<OptimizerPhase> optimizerPhase;  // by Graph::stages
};

/// Whether an issue is a kernel that nothing but the optimizer waits for.
bool isForWeights(const Model& model, const Graph& graph, const Issue& issue);

/// A backward phase without the kernels that a split backward leaves to the pass for weights.
std::vector<Issue> withoutWeights(const Model& model, const Graph& graph,
                                  const std::vector<Issue>& issues);

/// A stage by its class.
struct StageRef {
  uint32_t stageClass = 0;
  int64_t stage = 0;
};

int64_t stageCount(const Graph& graph);

/// The pipeline of forward and backward passes.
schedule::Pipeline pipelineOf(const Graph& graph, const Plan& plan, const Priced& priced);

/// What a stage does after its last backward pass, in seconds from when its passes start to count.
struct StageEnd {
  double passes = 0;   // the last backward pass is over
  double reduced = 0;  // then gradients are reduced, as far as no pass covers that
  struct Tied {
    uint32_t node;  // in Graph::collectives
    double start, end;
  };
  std::vector<Tied> tied;
  double ready = 0;    // tied ones are summed too
  double stepped = 0;  // the optimizer has stepped
  double end = 0;      // updated weights are gathered, as far as no pass covers that
};

/// When and where a step ends.
struct StepEnd {
  double end = 0;     // s: every stage has stepped its optimizer
  double busy = 0;    // s: of these, how long the busiest stage is at work
  double passes = 0;  // s: of these, in forward and backward passes
  StageRef busiest;
};

/// Whether a stage holds parameters of tied collective `node`, of Graph::tied.
bool holdsTied(const Model& model, const Graph& graph, const StageClass& stage, uint32_t node);

/// `stages`, if given, receives the end of each stage.
StepEnd stepEndOf(const Model& model, const Graph& graph, const Priced& priced,
                  const schedule::Timeline& timeline, std::vector<StageEnd>* stages = nullptr);

/// Counts of kernels and collectives on a device of the busiest stage, and the sums of their times.
/// `results` gets kernels, collectives, optimizer and time.
void breakDown(const Model& model, const Graph& graph, const Plan& plan, const Priced& priced,
               const StepEnd& end, StepResults& results);

/// FLOP, bytes and parameters over all devices.
void addTotals(const Model& model, const Graph& graph, const Plan& plan, const Priced& priced,
               StepResults& results);

/// The parts of a step's time in the order in which `step` adds them up.
double sumOf(const StepTime& time);

}  // namespace sysdl
