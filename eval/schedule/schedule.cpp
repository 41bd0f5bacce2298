// Picks the schedule that a plan names.
#include "eval/schedule/schedule.h"

namespace sysdl::schedule {
namespace {

/// Micro-batches rounded up to whole groups of one for each stage.
int64_t wholeGroups(int64_t microbatches, int64_t stages) {
  return (microbatches + stages - 1) / stages * stages;
}

}  // namespace

Timeline run(const Schedule& schedule, const Pipeline& pipeline) {
  const Lanes lanes = lanesOf(pipeline);
  Timeline timeline;
  switch (schedule.kind) {
  case ScheduleKind::GPipe: timeline = runGPipe(lanes); break;
  case ScheduleKind::OneForwardOneBackward: timeline = runOneForwardOneBackward(lanes); break;
  case ScheduleKind::Interleaved: timeline = runInterleaved(lanes); break;
  }
  finish(lanes, timeline);
  return timeline;
}

Order orderOf(const Schedule& schedule, int64_t stages, int64_t microbatches, int64_t stage) {
  Order order{0, microbatches, stages, 1};
  if (schedule.kind == ScheduleKind::GPipe) {
    order.warmUp = warmUpGPipe(order.passes);
  } else if (schedule.kind == ScheduleKind::OneForwardOneBackward || schedule.chunks == 1) {
    order.warmUp = warmUpOneForwardOneBackward(stages, order.passes, stage);
  } else {
    order.chunks = schedule.chunks;
    order.passes = wholeGroups(microbatches, stages) * order.chunks;
    order.warmUp = warmUpInterleaved(stages, order.chunks, order.passes, stage);
  }
  return order;
}

}  // namespace sysdl::schedule
