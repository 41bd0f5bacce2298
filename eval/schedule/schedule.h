// The pipeline schedules: in which order passes run, and when each stage is done. A new schedule is
// one file here, two declarations below and a case in each function of schedule.cpp.
#pragma once

#include "eval/schedule/order.h"
#include "eval/schedule/pipeline.h"
#include "ir/graph/plan.h"

namespace sysdl::schedule {

/// Schedules a pipeline. Preconditions: stages, chunks and microbatches at least 1; durations not
/// negative, one for each virtual stage; one chunk unless interleaved. The cost of the call does not
/// depend on the number of micro-batches.
Timeline run(const Schedule& schedule, const Pipeline& pipeline);

/// All forward passes, then all backward passes. Huang et al. 2019 (arXiv:1811.06965).
Order orderGPipe(int64_t stages, int64_t microbatches);
Timeline runGPipe(const Lanes& lanes);

/// One forward, one backward: PipeDream-Flush. Narayanan et al. 2021 (arXiv:2104.04473), 2.2.1.
Order orderOneForwardOneBackward(int64_t stages, int64_t microbatches);
Timeline runOneForwardOneBackward(const Lanes& lanes);

/// 1F1B with several model chunks a stage. Narayanan et al. 2021, 2.2.2.
Order orderInterleaved(int64_t stages, int64_t chunks, int64_t microbatches);
Timeline runInterleaved(const Lanes& lanes);

}  // namespace sysdl::schedule
