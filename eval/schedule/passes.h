// All passes of a pipeline one by one: when each micro-batch runs forward and backward on each stage.
//
// The evaluator needs only when stages are done, and skips what repeats itself; a trace shows the passes
// themselves. They are those of the same orders, the same durations and the same waits.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/schedule/order.h"
#include "eval/schedule/pipeline.h"
#include "eval/schedule/split.h"
#include "ir/graph/plan.h"

namespace sysdl::schedule {

/// A pass of one stage. Its time is that of the stage's lane: a gather of what it received comes first, and the part
/// of its send in which the stage does nothing else last.
struct Pass {
  int64_t stage = 0, chunk = 0;
  /// From 0. DualPipe's second direction (chunk 1) counts on from the first.
  int64_t microbatch = 0;
  Work work = Work::Forward;  // `Whole` is a backward pass that is not split
  bool paired = false;        // runs together with another pass of its stage (DualPipe)
  double start = 0, end = 0;  // s, from the start of the step's first pass
};

struct Passes {
  std::vector<Pass> passes;  // on each stage in the order in which they start
  /// Of these micro-batches (DualPipe: half of them in each direction) every pass is there.
  int64_t microbatches = 0;
  bool all = true;  // that is all micro-batches
  /// By stage: when its first pass starts and its last one ends, where all are there.
  std::vector<double> start, end;
};

/// How many passes are listed unless more are asked for.
inline constexpr int64_t kMostListed = 100'000;

/// Lists the passes of a schedule. Where there are more than `most`, those of the first micro-batches, at least
/// one. The cost grows with the micro-batches of the step, within bounds; beyond these (tens of millions of
/// passes) even the first micro-batches may lack their last passes, and none of those is listed.
Passes listPasses(const Schedule& schedule, const Pipeline& pipeline, int64_t most = kMostListed);

/// The same of lanes and an order of warming up, alternating and draining.
Passes listPasses(const Lanes& lanes, const Order& order, int64_t most = kMostListed);

/// Whether the forward pass of a chunk of a stage gets its data from another stage, and sends its own to one. Backward
/// passes send where forward passes receive, and the other way round.
bool receivesForward(ScheduleKind kind, int64_t stages, int64_t stage, int64_t chunk);
bool sendsForward(ScheduleKind kind, int64_t stages, int64_t chunks, int64_t stage, int64_t chunk);

}  // namespace sysdl::schedule
