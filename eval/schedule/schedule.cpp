// Picks the schedule that a plan names.
#include "eval/schedule/schedule.h"

namespace sysdl::schedule {

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

Order orderOf(const Schedule& schedule, int64_t stages, int64_t microbatches) {
  switch (schedule.kind) {
  case ScheduleKind::GPipe: return orderGPipe(stages, microbatches);
  case ScheduleKind::OneForwardOneBackward: break;
  case ScheduleKind::Interleaved: return orderInterleaved(stages, schedule.chunks, microbatches);
  }
  return orderOneForwardOneBackward(stages, microbatches);
}

}  // namespace sysdl::schedule
