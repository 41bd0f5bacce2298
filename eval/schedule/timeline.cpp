// Takes steps of the wave of passes; between steps, periods are found and skipped.
//
// While all stages have a forward and a backward pass in each step, the state moves on by the same
// max-plus map each period.
#include "eval/schedule/timeline.h"

#include <cmath>
#include <vector>

#include "eval/schedule/wave.h"

namespace sysdl::schedule {
namespace {

using Times = std::vector<double>;

constexpr double kSame = 1e-13;      // relative to the time so far: differences that are rounding
constexpr int64_t kLongest = 16;     // periods that may make up one that repeats, at least
constexpr int64_t kPatience = 100;   // periods until the rest is extrapolated, exact or not
constexpr double kMostPasses = 1e8;  // of a period, or of filling; beyond, only bounded from below

/// Moves one state.
struct Mover {
  double* times;

  void copy(int64_t to, int64_t from) { times[to] = times[from]; }
  void pass(int64_t lane, int64_t target, int64_t source, double latency, double duration) {
    double start = times[lane];
    if (source != Wave::kNoSource) start = std::max(start, times[source] + latency);
    times[lane] = times[target] = start + duration;
  }
};

/// Moves a state, and beside it the state some periods later, to find how long the stages can go on
/// moving apart at the rates that they have.
struct Comparer {
  double *old, *now;
  double tolerance;
  /// How often what `old` does can be repeated before a constraint with slack binds.
  double repeats = INFINITY;

  void copy(int64_t to, int64_t from) {
    old[to] = old[from];
    now[to] = now[from];
  }

  void pass(int64_t lane, int64_t target, int64_t source, double latency, double duration) {
    double startOld = old[lane], startNow = now[lane];
    if (source != Wave::kNoSource) {
      startOld = std::max(startOld, old[source] + latency);
      startNow = std::max(startNow, now[source] + latency);
    }
    const double rate = startNow - startOld;
    bool bound = constrain(old[lane], now[lane], startOld, rate);
    if (source != Wave::kNoSource) {
      bound |= constrain(old[source] + latency, now[source] + latency, startOld, rate);
    }
    if (!bound) repeats = 0;
    old[lane] = old[target] = startOld + duration;
    now[lane] = now[target] = startNow + duration;
  }

private:
  /// Returns whether the constraint binds and goes on to bind.
  bool constrain(double then, double after, double startOld, double rate) {
    const double approach = after - then - rate;
    if (approach > tolerance) repeats = std::min(repeats, (startOld - then) / approach);
    return startOld - then <= tolerance && std::abs(approach) <= tolerance;
  }
};

class Simulator {
public:
  Simulator(const Lanes& lanes, const Order& order)
      : order_(order), wave_(lanes, order), passes_(order.passes),
        period_(order.chunks == 1 ? 1 : order.stages * order.chunks),
        steady_(order.backwardDelay(0)), times_(static_cast<size_t>(wave_.times())) {}

  Timeline run() {
    for (; step_ < passes_ + order_.backwardDelay(0); ++step_) {
      if (step_ >= steady_ && step_ < passes_ && (step_ - steady_) % period_ == 0) skip();
      wave_.walk(step_, passes_, Mover{times_.data()});
      looked_ += 2 * order_.stages;
    }
    Timeline timeline;
    timeline.end.assign(times_.begin(), times_.begin() + order_.stages);
    timeline.looked = looked_;
    timeline.exact = exact_;
    return timeline;
  }

private:
  /// The state so many periods ago.
  const Times& past(int64_t periods) const { return history_[history_.size() - 1 - periods]; }

  /// Called between periods: skips what can be.
  void skip() {
    history_.push_back(times_);
    const int64_t room = (passes_ - step_) / period_;
    const auto known = static_cast<int64_t>(history_.size()) - 1;
    tolerance_ = kSame * *std::max_element(times_.begin(), times_.end());
    const int64_t longest = std::min({room, known, std::max(order_.stages, kLongest)});
    for (int64_t q = 1; q <= longest; ++q) {
      if (repeats(q)) return jump(q, room / q);
    }
    for (int64_t q = 1; q <= std::min(known / 2, longest); ++q) {
      const int64_t times = drifts(q) ? std::min(room / q, driftsFor(q)) : 0;
      if (times > 0) return jump(q, times);
    }
    if (++waited_ < kPatience + order_.stages || known < 2 || room < known) return;
    exact_ = false;
    jump(known / 2, room / (known / 2));
  }

  /// True where the whole state moved by the same time in the last `periods` periods: from here on
  /// it always will.
  bool repeats(int64_t periods) const {
    const Times &now = past(0), &then = past(periods);
    const double all = now[0] - then[0];
    for (size_t i = 1; i < now.size(); ++i) {
      if (std::abs(now[i] - then[i] - all) > tolerance_) return false;
    }
    return true;
  }

  /// True where each time moved by as much in the last `periods` periods as in those before.
  bool drifts(int64_t periods) const {
    const Times &now = past(0), &then = past(periods), &before = past(2 * periods);
    for (size_t i = 0; i < now.size(); ++i) {
      if (std::abs(now[i] - 2 * then[i] + before[i]) > tolerance_) return false;
    }
    return true;
  }

  /// How often the last `periods` periods can be repeated by stages that drift apart.
  int64_t driftsFor(int64_t periods) {
    Times old = past(periods), now = times_;
    Comparer comparer{old.data(), now.data(), tolerance_};
    for (int64_t step = step_ - periods * period_; step < step_; ++step) {
      wave_.walk(step, passes_, comparer);
      looked_ += 4 * order_.stages;
    }
    return static_cast<int64_t>(std::min(comparer.repeats, 0x1p62));
  }

  /// Moves the state on by `times` times its change over the last `periods` periods.
  void jump(int64_t periods, int64_t times) {
    const Times& then = past(periods);
    for (size_t i = 0; i < times_.size(); ++i) {
      times_[i] += static_cast<double>(times) * (times_[i] - then[i]);
    }
    passes_ -= times * periods * period_;
    history_.assign(1, times_);
  }

  const Order& order_;
  Wave wave_;
  int64_t passes_;  // less what was skipped
  int64_t period_;  // steps after which each chunk has had as many micro-batches
  int64_t steady_;  // the first step in which all stages have both passes
  int64_t step_ = 0;
  int64_t looked_ = 0, waited_ = 0;
  double tolerance_ = 0;
  bool exact_ = true;
  Times times_;                 // the state
  std::vector<Times> history_;  // of the steady state, a period apart, since the last skip
};

}  // namespace

std::vector<double> leastEnds(const Lanes& lanes) {
  const auto stages = static_cast<size_t>(lanes.stages);
  std::vector<double> ends(stages, 0);
  for (size_t u = 0; u < lanes.forward.size(); ++u) {
    ends[u % stages] += lanes.forward[u] + lanes.backward[u];
  }
  double down = 0;  // of the first micro-batch, before the stage's first pass
  for (size_t s = 0; s < stages; ++s) {
    ends[s] = down + static_cast<double>(lanes.microbatches) * ends[s];
    down += lanes.forward[s] + lanes.forwardLatency;
  }
  for (size_t s = stages - 1; s-- > 0;) {
    ends[s] = std::max(ends[s], ends[s + 1] + lanes.backwardLatency + lanes.backward[s]);
  }
  return ends;
}

Timeline runTimeline(const Lanes& lanes, const Order& order) {
  const auto stages = static_cast<double>(order.stages);
  if (stages * stages * static_cast<double>(order.chunks) <= kMostPasses) {
    return Simulator(lanes, order).run();
  }
  Timeline timeline;
  timeline.end = leastEnds(lanes);
  timeline.looked = order.stages * order.chunks;
  timeline.exact = false;
  return timeline;
}

}  // namespace sysdl::schedule
