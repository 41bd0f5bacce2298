// What fills the memory of one device of each stage, and which stage peaks.
#pragma once

#include "ir/graph/graph.h"
#include "ir/graph/results.h"

namespace sysdl {

/// Bytes on one device of stage `stage`, which is of class `stageClass`, at the moment when they are
/// most. Weights, gradients and optimizer state are there all the time. Activations are those of
/// the micro-batches in flight, by the exact order of the schedule (GPipe: all; 1F1B: min(m, p - s);
/// interleaved: Korthikanti et al. 2022 (arXiv:2205.05198), 4.2.3, counted chunk by chunk), the
/// layers of the one in backward freed as it goes. Workspace is what a part's own backward needs.
StepMemory memoryOfStage(const Graph& graph, const Plan& plan, const StageClass& stageClass,
                         int64_t stages, int64_t stage);

/// The stage that peaks (the first of equal ones). Only the first stage of a class is looked at:
/// later ones hold the same parts and have no more micro-batches in flight.
StepMemory memoryOf(const Graph& graph, const Plan& plan, int64_t stages);

}  // namespace sysdl
