// The max-plus timeline of an order of passes, at a cost that does not grow with the number of
// micro-batches.
//
// Passes are looked at one by one until the stages repeat themselves; then as many periods as are
// left (or as many as must pass before another path becomes the longest) are skipped at once. In
// the steady state the pipeline is a max-plus linear system x(t + 1) = A x(t), and a pattern of
// binding constraints that held for one period holds until the first slack is used up, so that the
// skip is exact (Baccelli et al. 1992, "Synchronization and Linearity", 3.7).
#pragma once

#include "eval/schedule/order.h"
#include "eval/schedule/pipeline.h"

namespace sysdl::schedule {

/// Schedules lanes by an order. Fills end, looked and exact of the timeline.
Timeline runTimeline(const Lanes& lanes, const Order& order);

}  // namespace sysdl::schedule
