// Rows of passes, one a stage, each looked at once; periods are found and skipped between rows.
//
// Row n holds the n-th pass of every stage. Data that a pass needs is made in an earlier row, or in
// the same row by the stage before it (forward) or after it (backward). From row warmUp(0) on until
// stage 0 drains, every stage alternates, and what a row needs was made at most two rows earlier:
// the last two rows are the whole state.
#include "eval/schedule/timeline.h"

#include <algorithm>
#include <cmath>

namespace sysdl::schedule {
namespace {

constexpr int64_t kLive = 2;        // rows that later rows of the steady state read
constexpr double kSame = 1e-13;     // relative to the time so far: differences that are rounding
constexpr int64_t kLongest = 16;    // periods of periods that are looked for, if interleaved
constexpr int64_t kPatience = 100;  // periods until the tail is extrapolated, exact or not

struct Pass {
  bool forward = true;
  int64_t number = 0;
};

/// Where the data of a pass comes from; row -1 where the stage's own lane has it.
struct Source {
  int64_t row = -1, stage = 0;
  double latency = 0;
};

class Simulator {
public:
  Simulator(const Lanes& lanes, const std::vector<Order>& orders)
      : lanes_(lanes), orders_(orders), stages_(lanes.stages), passes_(orders[0].passes),
        round_(lanes.stages * lanes.chunks), period_(lanes.chunks == 1 ? 2 : 2 * round_),
        tried_(std::max(orders[0].warmUp, kLive)) {
    for (int64_t s = 1; s < stages_; ++s) {
      aligned_ = aligned_ && orders[s - 1].warmUp == orders[s].warmUp + 2;
    }
    aligned_ = aligned_ && stages_ > 1;
    const int64_t rows = std::min(2 * passes_, 2 * orders[0].warmUp + 4 * period_);
    ends_.reserve(rows * stages_);
    chunks_.reserve(rows);
  }

  Timeline run() {
    while (row_ < 2 * passes_) {
      lookAtRow();
      if (row_ > tried_ && (row_ - orders_[0].warmUp) % period_ == 0) skip();
    }
    Timeline timeline;
    timeline.end.assign(ends_.end() - stages_, ends_.end());
    timeline.looked = row_ * stages_;
    timeline.exact = exact_;
    return timeline;
  }

private:
  double& end(int64_t row, int64_t stage) { return ends_[row * stages_ + stage]; }

  Pass passAt(int64_t row, int64_t stage) const {
    const int64_t warmUp = orders_[stage].warmUp;
    if (row < warmUp) return {true, row};
    if (row >= 2 * passes_ - warmUp) return {false, row - passes_};
    return {(row - warmUp) % 2 == 0,
            (row - warmUp) % 2 == 0 ? warmUp + (row - warmUp) / 2 : (row - warmUp) / 2};
  }
  int64_t rowOfForward(int64_t stage, int64_t number) const {
    const int64_t warmUp = orders_[stage].warmUp;
    return number < warmUp ? number : 2 * number - warmUp;
  }
  int64_t rowOfBackward(int64_t stage, int64_t number) const {
    const int64_t warmUp = orders_[stage].warmUp;
    return number < passes_ - warmUp ? warmUp + 2 * number + 1 : passes_ + number;
  }
  int64_t chunkOf(Pass pass) const {
    const int64_t chunk = chunks_[pass.number];
    return pass.forward ? chunk : lanes_.chunks - 1 - chunk;
  }

  Source sourceOf(Pass pass, int64_t stage, int64_t chunk) const {
    if (pass.forward) {
      if (stage > 0)
        return {rowOfForward(stage - 1, pass.number), stage - 1, lanes_.forwardLatency};
      if (chunk == 0) return {};
      return {rowOfForward(stages_ - 1, pass.number - stages_), stages_ - 1, lanes_.forwardLatency};
    }
    if (stage + 1 < stages_)
      return {rowOfBackward(stage + 1, pass.number), stage + 1, lanes_.backwardLatency};
    if (chunk + 1 == lanes_.chunks) return {};
    return {rowOfBackward(0, pass.number - stages_), 0, lanes_.backwardLatency};
  }
  double durationOf(Pass pass, int64_t stage, int64_t chunk) const {
    const auto& durations = pass.forward ? lanes_.forward : lanes_.backward;
    return durations[chunk * stages_ + stage];
  }

  void lookAt(int64_t stage, Pass pass) {
    const int64_t chunk = chunkOf(pass);
    double start = row_ > 0 ? end(row_ - 1, stage) : 0;
    const Source source = sourceOf(pass, stage, chunk);
    if (source.row >= 0) start = std::max(start, end(source.row, source.stage) + source.latency);
    end(row_, stage) = start + durationOf(pass, stage, chunk);
  }

  void lookAtRow() {
    ends_.resize(ends_.size() + stages_);
    chunks_.push_back(static_cast<int32_t>(row_ % round_ / stages_));
    const int64_t warmUp = orders_[0].warmUp;
    if (aligned_ && row_ >= warmUp + kLive && row_ < 2 * passes_ - warmUp) {
      (row_ - warmUp) % 2 == 0 ? lookAtForwardRow() : lookAtBackwardRow();
    } else {
      for (int64_t s = 0; s < stages_; ++s) {
        if (Pass pass = passAt(row_, s); pass.forward) lookAt(s, pass);
      }
      for (int64_t s = stages_ - 1; s >= 0; --s) {
        if (Pass pass = passAt(row_, s); !pass.forward) lookAt(s, pass);
      }
    }
    ++row_;
  }

  // Where stages warm up with two passes less than the one before (interleaved), a row of the
  // steady state has all passes in one direction, their data all made two rows earlier, and at most
  // two chunks, one on the first stages and one on the rest.

  void lookAtForwardRow() {
    const int64_t first = (row_ + orders_[0].warmUp) / 2;  // stage s has pass first - s
    const int64_t head = std::min(first % stages_ + 1, stages_);
    double* now = &end(row_, 0);
    const double* own = now - stages_;
    const double* data = own - stages_;
    auto stretch = [&](int64_t from, int64_t to) {
      const double* duration = &lanes_.forward[chunks_[first - from] * stages_];
      for (int64_t s = from; s < to; ++s) {
        now[s] = std::max(own[s], data[s - 1] + lanes_.forwardLatency) + duration[s];
      }
    };
    lookAt(0, {true, first});
    stretch(1, head);
    if (head < stages_) stretch(head, stages_);
  }

  void lookAtBackwardRow() {
    const int64_t first = (row_ - orders_[0].warmUp) / 2;  // stage s has pass first + s
    const int64_t head = stages_ - first % stages_;
    double* now = &end(row_, 0);
    const double* own = now - stages_;
    const double* data = own - stages_;
    auto stretch = [&](int64_t from, int64_t to) {
      const int64_t chunk = lanes_.chunks - 1 - chunks_[first + from];
      const double* duration = &lanes_.backward[chunk * stages_];
      for (int64_t s = from; s < to; ++s) {
        now[s] = std::max(own[s], data[s + 1] + lanes_.backwardLatency) + duration[s];
      }
    };
    lookAt(stages_ - 1, {false, first + stages_ - 1});
    stretch(0, std::min(head, stages_ - 1));
    if (head < stages_ - 1) stretch(head, stages_ - 1);
  }

  double rate(int64_t row, int64_t stage, int64_t rows) {
    return end(row, stage) - end(row - rows, stage);
  }

  /// Called between periods: skips what can be.
  void skip() {
    const int64_t room = (2 * passes_ - orders_[0].warmUp - row_) / period_;
    const int64_t known = (row_ - tried_) / period_;
    tolerance_ = kSame * end(row_ - 1, 0);
    const int64_t longest = lanes_.chunks == 1 ? std::max(stages_, kLongest) : kLongest;
    for (int64_t q = 1; q <= std::min({known, room, longest}); ++q) {
      if (repeats(q * period_)) return jump(q * period_, room / q);
    }
    for (int64_t q = 1; q <= std::min({known / 2, room, longest}); ++q) {
      const int64_t times = std::min(room / q, driftsFor(q * period_));
      if (times > 0) return jump(q * period_, times);
    }
    if (known >= kPatience + stages_ && room > 0) {
      exact_ = false;
      jump(known / 2 * period_, room / (known / 2));
    }
  }

  /// True where the state moved by the same time on all stages since `rows` rows ago: from here on
  /// it always will.
  bool repeats(int64_t rows) {
    const double all = rate(row_ - 1, 0, rows);
    for (int64_t live = 1; live <= kLive; ++live) {
      for (int64_t s = 0; s < stages_; ++s) {
        if (std::abs(rate(row_ - live, s, rows) - all) > tolerance_) return false;
      }
    }
    return true;
  }

  /// How many times the last `rows` rows will repeat with stages that move apart at steady rates,
  /// until a constraint with slack becomes binding; 0 where rates are not steady.
  int64_t driftsFor(int64_t rows) {
    for (int64_t live = 1; live <= kLive; ++live) {
      for (int64_t s = 0; s < stages_; ++s) {
        const double change = rate(row_ - live, s, rows) - rate(row_ - live - rows, s, rows);
        if (std::abs(change) > tolerance_) return 0;
      }
    }
    double times = INFINITY;
    for (int64_t row = row_ - rows; row < row_ && times >= 1; ++row) {
      for (int64_t s = 0; s < stages_; ++s) times = std::min(times, holdsFor(row, s, rows));
    }
    return times >= 1 ? static_cast<int64_t>(std::min(times, 9e18)) : 0;
  }

  /// The same for one pass.
  double holdsFor(int64_t row, int64_t stage, int64_t rows) {
    const Pass pass = passAt(row, stage);
    const int64_t chunk = chunkOf(pass);
    const double start = end(row, stage) - durationOf(pass, stage, chunk);
    const double own = rate(row, stage, rows);
    double times = INFINITY;
    bool bound = false;
    auto constrain = [&](double slack, double speed) {
      if (speed - own > tolerance_) times = std::min(times, slack / (speed - own));
      if (slack <= tolerance_ && std::abs(speed - own) <= tolerance_) bound = true;
    };
    constrain(start - end(row - 1, stage), rate(row - 1, stage, rows));
    if (const Source source = sourceOf(pass, stage, chunk); source.row >= 0) {
      constrain(start - end(source.row, source.stage) - source.latency,
                rate(source.row, source.stage, rows));
    }
    return bound ? times : 0;
  }

  /// Moves the state on by `times` times its change over the last `rows` rows.
  void jump(int64_t rows, int64_t times) {
    if (times <= 0) return;
    for (int64_t live = 1; live <= kLive; ++live) {
      for (int64_t s = 0; s < stages_; ++s) {
        end(row_ - live, s) += static_cast<double>(times) * rate(row_ - live, s, rows);
      }
    }
    passes_ -= rows / 2 * times;
    tried_ = row_;
  }

  const Lanes& lanes_;
  const std::vector<Order>& orders_;
  int64_t stages_, passes_;
  int64_t round_;   // passes in which each chunk takes `stages` micro-batches
  int64_t period_;  // rows
  int64_t tried_;   // the rows from here on form one unbroken history
  int64_t row_ = 0;
  double tolerance_ = 0;
  bool exact_ = true;
  bool aligned_ = true;          // each stage warms up with two passes less than the one before
  std::vector<double> ends_;     // by row, then stage
  std::vector<int32_t> chunks_;  // of forward passes, by number: as many as rows
};

}  // namespace

Timeline runTimeline(const Lanes& lanes, const std::vector<Order>& orders) {
  return Simulator(lanes, orders).run();
}

}  // namespace sysdl::schedule
