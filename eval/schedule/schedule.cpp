// Picks the schedule that a plan names.
#include "eval/schedule/schedule.h"

#include "eval/schedule/split.h"

namespace sysdl::schedule {

Timeline run(const Schedule& schedule, const Pipeline& pipeline) {
  if (splitsBackward(schedule.kind)) {
    SplitLanes lanes = splitLanesOf(schedule.kind, pipeline);
    lanes.inTurn = schedule.postValidation;
    Timeline timeline = runSplit(lanes);
    // Stages that begin the next step in turn: each one's own time is what a step takes it.
    for (size_t s = 0; schedule.postValidation && s < timeline.end.size(); ++s)
      timeline.end[s] -= timeline.start[s];
    sum(timeline);
    return timeline;
  }
  const Lanes lanes = lanesOf(pipeline);
  Timeline timeline;
  switch (schedule.kind) {
  case ScheduleKind::GPipe: timeline = runGPipe(lanes); break;
  case ScheduleKind::OneForwardOneBackward: timeline = runOneForwardOneBackward(lanes); break;
  case ScheduleKind::Interleaved: timeline = runInterleaved(lanes); break;
  default: break;
  }
  finish(lanes, timeline);
  return timeline;
}

Order orderOf(const Schedule& schedule, int64_t stages, int64_t microbatches) {
  switch (schedule.kind) {
  case ScheduleKind::GPipe: return orderGPipe(stages, microbatches);
  default: break;
  case ScheduleKind::Interleaved: return orderInterleaved(stages, schedule.chunks, microbatches);
  }
  return orderOneForwardOneBackward(stages, microbatches);
}

}  // namespace sysdl::schedule
