// One training step as events: what each stage does when, for a trace.
//
// Nothing is priced here: passes are those of the schedule (eval/schedule/passes.h), what is inside one is placed by
// eval/overlap.h, and the end of a step is that of eval/step.h.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/evaluated_step.h"
#include "eval/schedule/passes.h"

namespace sysdl {

/// Where an event is shown: tracks of a stage. From `FirstLevel` on, one for each network level.
enum class StepTrack : uint32_t { Passes, SendActivations, SendGradients, Kernels, FirstLevel };

struct StepEvent {
  enum class What : uint8_t {
    Pass,
    Send,        // of a pass's output to another stage
    Reductions,  // all gradient reductions of the stage, as far as no pass covers them
    Tied,        // sum of gradients of tied parameters, over the stages that hold them
    Optimizer,   // the optimizer's step
    Gathers,     // all gathers of updated weights, as far as no pass covers them
    Kernel,      // within a pass of the first micro-batch
    Collective,  // within a pass of the first micro-batch; or one of Reductions, Tied or Gathers
  };
  What what = What::Pass;
  int64_t stage = 0;
  uint32_t track = 0;
  double start = 0, end = 0;  // s
  uint32_t node = kNone;      // into Graph::kernels or Graph::collectives
  int64_t pass = -1;          // the pass that it is or belongs to, in StepEvents::passes
  double count = 1;           // of a collective once a step: occurrences that it stands for
  double time = 0;            // of what passes may cover: s, the covered part included
};

struct StepEvents {
  std::vector<StepEvent> events;       // by stage, track, and start
  std::vector<schedule::Pass> passes;  // of the first `microbatches`, by stage
  int64_t microbatches = 0;
  bool all = true;       // these are all passes
  bool detailed = true;  // no kernels and collectives of the first micro-batch are left out
  double end = 0;        // s: the last event's
};

/// How many kernels and collectives are placed at most, stage after stage; passes beyond are empty.
inline constexpr int64_t kMostDetails = 100'000;

/// The events of an evaluated step. Where all passes are listed they are the truth, also where the evaluator
/// extrapolates (Timeline::exact). Kernels and collectives are those of the first micro-batch: each chunk's forward and
/// backward pass, part after part, but for passes that run together with another (DualPipe). With post-validation, each
/// stage's step counts from its own first pass, as in the evaluator.
StepEvents eventsOf(const Model& model, const Graph& graph, const Plan& plan,
                    const Machine& machine, const EvaluatedStep& step,
                    int64_t mostPasses = schedule::kMostListed, int64_t mostDetails = kMostDetails);

}  // namespace sysdl
