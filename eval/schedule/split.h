// Schedules whose backward passes are split in two: one for inputs, which the stage before waits for, and one
// for weights, which can run at any later time.
//
// Unlike 1F1B they have no closed form for unequal stages. Their passes are placed one by one, and what grows
// with the number of micro-batches is extrapolated from the steady state.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/schedule/pipeline.h"
#include "ir/graph/plan.h"

namespace sysdl::schedule {

enum class Work : uint8_t {
  Forward,
  Backward,  // for inputs
  Weight,
  Whole,  // backward, for inputs and weights at once
};

/// A pass of one stage, and when it ran.
struct SplitPass {
  int64_t stage = 0, chunk = 0, microbatch = 0;
  Work work = Work::Forward;
  double start = 0, end = 0;
};

/// What splitting needs to know of a pipeline: seconds by virtual stage `chunk * stages + stage`.
struct SplitLanes {
  ScheduleKind kind = ScheduleKind::ZeroBubbleH1;
  int64_t stages = 1, chunks = 1, microbatches = 1;
  std::vector<double> forward, backward, weight;
  /// Of forward and backward passes (weights included), what kernels alone take: passes of two directions that
  /// run together hide each other's communication.
  std::vector<double> forwardKernels, backwardKernels;
  double forwardLatency = 0, backwardLatency = 0;
  bool inTurn = false;  // stages begin the next step in turn: each one's own span counts
};

/// Schedules all passes. `passes`, if given, receives them in the order in which they start on each stage.
Timeline placePasses(const SplitLanes& lanes, std::vector<SplitPass>* passes = nullptr);

/// The same at a cost that does not grow with micro-batches.
Timeline runSplit(const SplitLanes& lanes);

/// Micro-batches of which a stage keeps something, by chunk.
struct InFlight {
  std::vector<int64_t> whole;    // their backward pass for inputs has not run
  std::vector<int64_t> waiting;  // that for weights has not
};

/// What a stage keeps at its fullest, where the first kind of micro-batch keeps `kept` bytes and the second
/// `waiting`, by chunk. Found with passes that all take as long.
InFlight mostInFlight(ScheduleKind kind, int64_t stages, int64_t stage, int64_t microbatches,
                      const std::vector<double>& kept, const std::vector<double>& waiting);

SplitLanes splitLanesOf(ScheduleKind kind, const Pipeline& pipeline);

}  // namespace sysdl::schedule
