// Interleaved 1F1B: each stage holds several chunks of the model, and warms up with
// 2 (p - 1 - s) + (v - 1) p passes of a chunk [Narayanan et al. 2021, section 2.2.2; Megatron-LM,
// core/pipeline_parallel/schedules.py]. Where there are only as many micro-batches as stages,
// Megatron-LM warms up with all of them.
#include "eval/schedule/schedule.h"
#include "eval/schedule/timeline.h"

namespace sysdl::schedule {

Order orderInterleaved(int64_t stages, int64_t chunks, int64_t microbatches) {
  if (chunks == 1) return orderOneForwardOneBackward(stages, microbatches);
  Order order{stages, chunks};
  const int64_t groups = (boundedMicrobatches(microbatches, stages, chunks) + stages - 1) / stages;
  order.passes = groups * stages * chunks;
  order.staggered = true;
  order.lag = stages * chunks - 1;
  if (groups == 1 && stages > 1) order.lag = order.passes + stages - 1;
  return order;
}

Timeline runInterleaved(const Lanes& lanes) {
  if (lanes.chunks == 1) return runOneForwardOneBackward(lanes);
  return runTimeline(lanes, orderInterleaved(lanes.stages, lanes.chunks, lanes.microbatches));
}

}  // namespace sysdl::schedule
