// The wave of passes that moves through a pipeline: which passes a step has, what each reads.
//
// Between two steps the pipeline's state is, for each stage, when its lane is free and when its
// latest forward and its latest backward pass were done: later passes read nothing else.
#pragma once

#include <algorithm>
#include <cstdint>

#include "eval/schedule/order.h"
#include "eval/schedule/pipeline.h"

namespace sysdl::schedule {

class Wave {
public:
  Wave(const Lanes& lanes, const Order& order) : lanes_(lanes), order_(order) {}

  /// Times of a state: lanes by stage, latest forward passes, latest backward passes, and two that
  /// hold for a step what goes around the corner from one end of the pipeline to the other.
  int64_t times() const { return 3 * order_.stages + 2; }

  static constexpr int64_t kNoSource = -1;

  /// Takes a step in place, with `passes` passes of a stage in all. In order, calls
  ///   visit.copy(to, from)                                    for indices of times, and
  ///   visit.pass(stage, target, source, latency, duration)    where the pass starts when lane
  ///     `stage` is free and time `source` (if any) is `latency` ago, and its end is the new time
  ///     of `target` and of the lane.
  template <class Visit>
  void walk(int64_t step, int64_t passes, Visit&& visit) const {
    visit.copy(3 * order_.stages, 2 * order_.stages - 1);
    visit.copy(3 * order_.stages + 1, 2 * order_.stages);
    forward(step, passes, visit);
    if (order_.staggered) {
      backwardStaggered(step - order_.lag - (order_.stages - 1), passes, visit);
    } else if (step >= order_.lag && step - order_.lag < passes) {
      backward(visit);
    }
  }

private:
  int64_t chunkStart(int64_t chunk) const { return chunk * order_.stages; }
  /// Passes from this one to the last of its chunk.
  int64_t left(int64_t pass) const { return order_.stages - pass % order_.stages; }

  /// Stage s has pass step - s. From the last stage to the first: each reads what the one before it
  /// had before this step.
  template <class Visit>
  void forward(int64_t step, int64_t passes, Visit&& visit) const {
    const int64_t times = order_.stages;  // where those of forward passes begin
    const int64_t corner = 3 * order_.stages;
    const int64_t low = std::max<int64_t>(0, step - passes + 1);
    int64_t s = std::min(order_.stages - 1, step);
    while (s >= std::max<int64_t>(low, 1)) {
      const double* duration = &lanes_.forward[chunkStart(order_.chunkOfForward(step - s))];
      const int64_t stop = std::max({low, int64_t{1}, s - left(step - s) + 1});
      for (; s >= stop; --s) {
        visit.pass(s, times + s, times + s - 1, lanes_.forwardLatency, duration[s]);
      }
    }
    if (s != 0 || low != 0) return;
    const int64_t chunk = order_.chunkOfForward(step);
    visit.pass(0, times, chunk > 0 ? corner : kNoSource, lanes_.forwardLatency,
               lanes_.forward[chunkStart(chunk)]);
  }

  /// All stages have the same pass, one chunk: each reads what the one after it has in this step.
  template <class Visit>
  void backward(Visit&& visit) const {
    const int64_t times = 2 * order_.stages;
    const int64_t last = order_.stages - 1;
    visit.pass(last, times + last, kNoSource, 0, lanes_.backward[last]);
    for (int64_t s = last - 1; s >= 0; --s) {
      visit.pass(s, times + s, times + s + 1, lanes_.backwardLatency, lanes_.backward[s]);
    }
  }

  /// Stage s has pass first + s: each reads what the one after it had before this step.
  template <class Visit>
  void backwardStaggered(int64_t first, int64_t passes, Visit&& visit) const {
    const int64_t times = 2 * order_.stages;
    const int64_t corner = 3 * order_.stages + 1;
    const int64_t last = order_.stages - 1;
    const int64_t high = std::min(last, passes - 1 - first);
    int64_t s = std::max<int64_t>(0, -first);
    while (s <= std::min(high, last - 1)) {
      const double* duration = &lanes_.backward[chunkStart(order_.chunkOfBackward(first + s))];
      const int64_t stop = std::min({high, last - 1, s + left(first + s) - 1});
      for (; s <= stop; ++s) {
        visit.pass(s, times + s, times + s + 1, lanes_.backwardLatency, duration[s]);
      }
    }
    if (s != last || high != last) return;
    const int64_t chunk = order_.chunkOfBackward(first + last);
    visit.pass(last, times + last, chunk + 1 < order_.chunks ? corner : kNoSource,
               lanes_.backwardLatency, lanes_.backward[chunkStart(chunk) + last]);
  }

  const Lanes& lanes_;
  const Order& order_;
};

}  // namespace sysdl::schedule
