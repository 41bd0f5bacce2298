// From a pipeline to its devices' lanes, and the sums over a finished timeline.
#include "eval/schedule/pipeline.h"

#include <algorithm>

namespace sysdl::schedule {

Lanes lanesOf(const Pipeline& pipeline) {
  Lanes lanes;
  lanes.stages = pipeline.stages;
  lanes.chunks = pipeline.chunks;
  lanes.microbatches = pipeline.microbatches;
  lanes.forward = pipeline.forward;
  lanes.backward = pipeline.backward;
  const double blocking = pipeline.blocking;
  for (size_t u = 0; u + 1 < lanes.forward.size(); ++u) {
    lanes.forward[u] += blocking * pipeline.activations.send;
    lanes.forward[u + 1] += pipeline.activations.receive;
    lanes.backward[u + 1] += blocking * pipeline.gradients.send;
    lanes.backward[u] += pipeline.gradients.receive;
  }
  lanes.forwardLatency = (1 - blocking) * pipeline.activations.send;
  lanes.backwardLatency = (1 - blocking) * pipeline.gradients.send;
  return lanes;
}

void finish(const Lanes& lanes, Timeline& timeline) {
  const auto stages = static_cast<size_t>(lanes.stages);
  timeline.busy.assign(stages, 0);
  for (size_t u = 0; u < lanes.forward.size(); ++u) {
    timeline.busy[u % stages] += lanes.forward[u] + lanes.backward[u];
  }
  for (double& busy : timeline.busy) busy *= static_cast<double>(lanes.microbatches);
  sum(timeline);
}

void sum(Timeline& timeline) {
  const auto busiest = std::max_element(timeline.busy.begin(), timeline.busy.end());
  timeline.makespan = *std::max_element(timeline.end.begin(), timeline.end.end());
  timeline.critical = busiest - timeline.busy.begin();
  timeline.bubble = timeline.makespan - *busiest;
}

}  // namespace sysdl::schedule
