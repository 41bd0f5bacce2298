// Interleaved 1F1B: each stage holds several chunks of the model, and warms up with
// 2 (p - 1 - s) + (v - 1) p passes of a chunk [Narayanan et al. 2021, section 2.2.2; Megatron-LM,
// core/pipeline_parallel/schedules.py]. Where there are only as many micro-batches as stages,
// Megatron-LM warms up with all of them.
#include "eval/schedule/schedule.h"
#include "eval/schedule/timeline.h"

#include <algorithm>

namespace sysdl::schedule {

int64_t warmUpInterleaved(int64_t stages, int64_t chunks, int64_t passes, int64_t stage) {
  if (passes == stages * chunks && stages > 1) return passes;
  return std::min(2 * (stages - 1 - stage) + (chunks - 1) * stages, passes);
}

Timeline runInterleaved(const Lanes& lanes) {
  if (lanes.chunks == 1) return runOneForwardOneBackward(lanes);
  Schedule interleaved;
  interleaved.kind = ScheduleKind::Interleaved;
  interleaved.chunks = lanes.chunks;
  std::vector<Order> orders;
  for (int64_t s = 0; s < lanes.stages; ++s) {
    orders.push_back(orderOf(interleaved, lanes.stages, lanes.microbatches, s));
  }
  return runTimeline(lanes, orders);
}

}  // namespace sysdl::schedule
