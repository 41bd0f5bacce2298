// 1F1B (PipeDream-Flush): stage s of p warms up with p - 1 - s forward passes, then one forward and
// one backward in turn [Narayanan et al. 2021, section 2.2.1].
//
// Number the turns so that forward pass i of stage s is turn i - warmUp(s) and backward pass j turn
// j. Then a step down the pipeline and the step from a backward pass to the next forward pass take
// one turn each, and all other steps none. Every path from the first pass to the last thus makes
// the same number of forward and of backward passes, m + p - 1 of each, unless it takes steps
// between two forward passes of the warm-up or two backward passes of the drain, which skip one.
// Where no single pass takes longer than the forward and backward pass of any stage together, such
// a step cannot pay, and the longest path goes down to the last stage, up to the slowest, stays
// there, goes down again at the end, and up. With equal stages that is (m + p - 1)(f + b).
#include "eval/schedule/schedule.h"
#include "eval/schedule/timeline.h"

#include <algorithm>

namespace sysdl::schedule {
namespace {

bool closedFormHolds(const Lanes& lanes) {
  if (lanes.forwardLatency > 0 || lanes.backwardLatency > 0) return false;
  double longest = 0;
  double shortest = lanes.forward[0] + lanes.backward[0];
  for (size_t s = 0; s < lanes.forward.size(); ++s) {
    longest = std::max({longest, lanes.forward[s], lanes.backward[s]});
    shortest = std::min(shortest, lanes.forward[s] + lanes.backward[s]);
  }
  return longest <= shortest;
}

Timeline closedForm(const Lanes& lanes) {
  const int64_t p = lanes.stages;
  double down = 0;
  for (double forward : lanes.forward) down += forward;
  // The longest stay: at stage j, after the turns that lead from the last stage up to j and back.
  // Stages from p - m only have turns in which to stay.
  double stay = 0;
  double below = 0;  // both passes of the stages after j
  for (int64_t j = p - 1; j >= std::max<int64_t>(0, p - lanes.microbatches); --j) {
    const double both = lanes.forward[j] + lanes.backward[j];
    const int64_t turns = lanes.microbatches - 1 - (p - 1 - j);
    stay = std::max(stay, below + static_cast<double>(turns) * both);
    below += both;
  }
  Timeline timeline;
  timeline.end.assign(static_cast<size_t>(p), 0);
  double end = down + stay;
  for (int64_t s = p - 1; s >= 0; --s) {
    end += lanes.backward[s];
    timeline.end[s] = end;
  }
  timeline.looked = 3 * p;
  return timeline;
}

}  // namespace

Order orderOneForwardOneBackward(int64_t stages, int64_t microbatches) {
  Order order{stages, 1, boundedMicrobatches(microbatches, stages, 1)};
  order.lag = stages - 1;
  return order;
}

Timeline runOneForwardOneBackward(const Lanes& lanes) {
  if (closedFormHolds(lanes)) return closedForm(lanes);
  return runTimeline(lanes, orderOneForwardOneBackward(lanes.stages, lanes.microbatches));
}

}  // namespace sysdl::schedule
