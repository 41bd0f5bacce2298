// GPipe: all forward passes of a step, then all backward passes [Huang et al. 2019].
//
// Two flow shops one after the other. In a flow shop whose jobs are alike, the longest path goes
// down the stages once and stays on the slowest of them for all further jobs, so that job i is
// through stage s at sum(j <= s) d_j + i * max(j <= s) d_j: exact for any durations.
#include "eval/schedule/schedule.h"

#include <algorithm>

namespace sysdl::schedule {

Order orderGPipe(int64_t stages, int64_t microbatches) {
  Order order{stages, 1, boundedMicrobatches(microbatches, stages, 1)};
  order.lag = order.passes + stages - 1;
  return order;
}

Timeline runGPipe(const Lanes& lanes) {
  const auto stages = static_cast<size_t>(lanes.stages);
  const auto further = static_cast<double>(lanes.microbatches - 1);
  double first = 0;  // when the first micro-batch is through the stage
  double slowest = 0;
  for (size_t s = 0; s < stages; ++s) {
    first += lanes.forward[s] + (s > 0 ? lanes.forwardLatency : 0);
    slowest = std::max(slowest, lanes.forward[s]);
  }
  Timeline timeline;
  timeline.end.assign(stages, 0);
  first += further * slowest;
  slowest = 0;
  for (size_t s = stages; s-- > 0;) {
    first += lanes.backward[s] + (s + 1 < stages ? lanes.backwardLatency : 0);
    slowest = std::max(slowest, lanes.backward[s]);
    timeline.end[s] = first + further * slowest;
  }
  timeline.looked = 2 * lanes.stages;
  return timeline;
}

}  // namespace sysdl::schedule
