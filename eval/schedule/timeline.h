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

/// The least time by which each stage can be done in any order: data comes down to the stage, all
/// its passes, and the last one's data up from it or from a later stage. Equal stages meet it.
std::vector<double> leastEnds(const Lanes& lanes);

/// Schedules lanes by an order. Fills end, looked and exact of the timeline. With so many stages
/// that filling the pipeline alone takes too many passes (10,000 of them), only `leastEnds`.
Timeline runTimeline(const Lanes& lanes, const Order& order);

}  // namespace sysdl::schedule
