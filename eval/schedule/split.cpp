// From a pipeline to lanes with split backward passes; large numbers of micro-batches; what is in flight.
#include "eval/schedule/split.h"

#include <algorithm>
#include <cmath>

namespace sysdl::schedule {
namespace {

constexpr double kMostPasses = 4e6;  // that are placed one by one; beyond, only bounded from below

/// Micro-batches of one direction.
int64_t ofDirection(ScheduleKind kind, int64_t microbatches) {
  return kind == ScheduleKind::DualPipe ? microbatches / 2 : microbatches;
}

/// All stages work without a gap once data has come down to them.
Timeline bounded(const SplitLanes& lanes) {
  Timeline timeline;
  timeline.end.assign(static_cast<size_t>(lanes.stages), 0);
  const auto times = static_cast<double>(ofDirection(lanes.kind, lanes.microbatches));
  double down = 0;
  for (int64_t s = 0; s < lanes.stages; ++s) {
    double both = 0;
    for (int64_t u = s; u < lanes.stages * lanes.chunks; u += lanes.stages)
      both += lanes.forward[u] + lanes.backward[u] + lanes.weight[u];
    timeline.end[s] = down + times * both;
    timeline.busy.push_back(times * both);
    timeline.start.push_back(down);
    down += lanes.forward[s] + lanes.forwardLatency;
  }
  timeline.exact = false;
  timeline.looked = lanes.stages * lanes.chunks;
  return timeline;
}

}  // namespace

SplitLanes splitLanesOf(ScheduleKind kind, const Pipeline& pipeline) {
  SplitLanes lanes;
  lanes.kind = kind;
  lanes.stages = pipeline.stages;
  lanes.chunks = pipeline.chunks;
  lanes.microbatches = pipeline.microbatches;
  lanes.forward = pipeline.forward;
  lanes.backward = pipeline.backward;
  lanes.weight = pipeline.weight;
  lanes.forwardKernels = pipeline.forwardKernels;
  lanes.backwardKernels = pipeline.backwardKernels;
  const double blocking = pipeline.blocking;
  const int64_t p = lanes.stages;
  for (int64_t chunk = 0; chunk < lanes.chunks; ++chunk) {
    const bool down = chunk == 0;  // data moves to later stages
    for (int64_t s = 0; s < p; ++s) {
      const int64_t u = chunk * p + s;
      if (s != (down ? p - 1 : 0)) {
        lanes.forward[u] += blocking * pipeline.activations.send;
        lanes.backward[u] += pipeline.gradients.receive;
      }
      if (s != (down ? 0 : p - 1)) {
        lanes.forward[u] += pipeline.activations.receive;
        lanes.backward[u] += blocking * pipeline.gradients.send;
      }
    }
  }
  lanes.forwardLatency = (1 - blocking) * pipeline.activations.send;
  lanes.backwardLatency = (1 - blocking) * pipeline.gradients.send;
  return lanes;
}

Timeline runSplit(const SplitLanes& lanes) {
  // Filling, draining, and a steady state between them that is long enough to have settled.
  const int64_t few = 8 * lanes.stages + 8;
  const int64_t more = 2 * lanes.stages;
  const double passes = 3.0 * static_cast<double>(std::min(lanes.microbatches, few + more)) *
                        static_cast<double>(lanes.stages * lanes.chunks);
  if (passes > kMostPasses) return bounded(lanes);
  if (lanes.microbatches <= few + more) return placePasses(lanes);
  SplitLanes shorter = lanes;
  shorter.microbatches = few + lanes.microbatches % 2;
  const Timeline then = placePasses(shorter);
  shorter.microbatches += more;
  Timeline timeline = placePasses(shorter);
  const double periods =
      static_cast<double>(lanes.microbatches - shorter.microbatches) / static_cast<double>(more);
  timeline.looked += then.looked;
  double fastest = INFINITY, slowest = 0;
  for (size_t s = 0; s < timeline.end.size(); ++s) {
    const double rate = timeline.end[s] - then.end[s];
    fastest = std::min(fastest, rate);
    slowest = std::max(slowest, rate);
    timeline.end[s] += periods * rate;
    timeline.busy[s] += periods * (timeline.busy[s] - then.busy[s]);
  }
  // Stages that move on together do so for ever.
  timeline.exact = slowest - fastest <= 1e-9 * slowest;
  return timeline;
}

InFlight mostInFlight(ScheduleKind kind, int64_t stages, int64_t stage, int64_t microbatches,
                      const std::vector<double>& kept, const std::vector<double>& waiting) {
  const size_t chunks = kept.size();
  // No stage has more than two pipelines full of micro-batches in flight.
  const int64_t enough = std::min(microbatches, 4 * stages + microbatches % 2);
  InFlight now{std::vector<int64_t>(chunks, 0), std::vector<int64_t>(chunks, 0)};
  if (3.0 * static_cast<double>(enough * stages) * static_cast<double>(chunks) > kMostPasses) {
    now.whole.assign(chunks, std::min(microbatches, stages + 1));
    return now;
  }
  SplitLanes lanes;
  lanes.kind = kind;
  lanes.stages = stages;
  lanes.chunks = static_cast<int64_t>(chunks);
  lanes.microbatches = enough;
  const auto pieces = static_cast<size_t>(stages) * chunks;
  lanes.forward = lanes.backward = lanes.weight = lanes.forwardKernels =
      std::vector<double>(pieces, 1);
  lanes.backwardKernels = std::vector<double>(pieces, 2);
  std::vector<SplitPass> placed;
  placePasses(lanes, &placed);
  InFlight most = now;
  double bytes = 0, mostBytes = 0;
  for (const SplitPass& pass : placed) {
    if (pass.stage != stage) continue;
    const auto chunk = static_cast<size_t>(pass.chunk);
    const int64_t begun = pass.work == Work::Forward ? 1 : pass.work == Work::Weight ? 0 : -1;
    const int64_t split = pass.work == Work::Backward ? 1 : pass.work == Work::Weight ? -1 : 0;
    now.whole[chunk] += begun;
    now.waiting[chunk] += split;
    bytes += static_cast<double>(begun) * kept[chunk] + static_cast<double>(split) * waiting[chunk];
    if (bytes <= mostBytes) continue;
    mostBytes = bytes;
    most = now;
  }
  return most;
}

}  // namespace sysdl::schedule
