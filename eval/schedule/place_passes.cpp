// Places the passes of split schedules one by one.
//
// ZB-H1 and ZB-V are lists by priority, as the authors' own scheduler makes them [Qi et al. 2023, arXiv:2401.10241,
// section 3.1]: a stage that is free takes a backward pass for inputs if its data is there, else a forward pass if what it
// keeps stays within bounds, else a backward pass for weights. DualPipe has a fixed order [DeepSeek-AI 2025,
// github.com/deepseek-ai/DualPipe, eight steps].
#include <algorithm>
#include <cmath>
#include <queue>

#include "eval/schedule/split.h"

namespace sysdl::schedule {
namespace {

constexpr double kNever = INFINITY;

/// When the data of passes is there, by virtual stage and micro-batch; infinite until the pass that makes it is
/// placed.
class Data {
public:
  Data(const SplitLanes& lanes, int64_t microbatches)
      : lanes_(lanes), microbatches_(microbatches),
        forward_(static_cast<size_t>(lanes.stages * lanes.chunks * microbatches), kNever),
        backward_(forward_.size(), kNever) {}

  double forwardReady(int64_t stage, int64_t chunk, int64_t m) const {
    const int64_t p = lanes_.stages;
    const int64_t before = chunk == 0 ? stage - 1 : stage + 1;
    if (before >= 0 && before < p) return forward_[at(before, chunk, m)] + lanes_.forwardLatency;
    if (chunk == 0 || lanes_.kind == ScheduleKind::DualPipe) return 0;
    return forward_[at(stage, 0, m)];  // the turn of the V
  }

  double backwardReady(int64_t stage, int64_t chunk, int64_t m) const {
    const int64_t p = lanes_.stages;
    const double own = forward_[at(stage, chunk, m)];
    const int64_t after = chunk == 0 ? stage + 1 : stage - 1;
    if (after >= 0 && after < p)
      return std::max(own, backward_[at(after, chunk, m)] + lanes_.backwardLatency);
    const bool turns = lanes_.kind == ScheduleKind::ZeroBubbleV && chunk == 0;
    return turns ? std::max(own, backward_[at(stage, 1, m)]) : own;
  }

  void done(const SplitPass& pass) {
    if (pass.work == Work::Forward)
      forward_[at(pass.stage, pass.chunk, pass.microbatch)] = pass.end;
    if (pass.work == Work::Backward || pass.work == Work::Whole)
      backward_[at(pass.stage, pass.chunk, pass.microbatch)] = pass.end;
  }

private:
  size_t at(int64_t stage, int64_t chunk, int64_t m) const {
    return static_cast<size_t>((chunk * lanes_.stages + stage) * microbatches_ + m);
  }

  const SplitLanes& lanes_;
  int64_t microbatches_;
  std::vector<double> forward_, backward_;
};

double durationOf(const SplitLanes& lanes, int64_t stage, int64_t chunk, Work work) {
  const auto u = static_cast<size_t>(chunk * lanes.stages + stage);
  switch (work) {
  case Work::Forward: return lanes.forward[u];
  case Work::Backward: return lanes.backward[u];
  case Work::Weight: return lanes.weight[u];
  case Work::Whole: return lanes.backward[u] + lanes.weight[u];
  }
  return 0;
}

/// What a list of priorities leaves open.
struct Policy {
  /// A pass for weights does not start where another pass is known to come within this share of its time.
  double patience = 0;
  /// Passes for weights come before forward passes until so many micro-batches are left: what waits then fills the
  /// drain.
  int64_t deferred = INT64_MAX;
};

/// ZB-H1 and ZB-V.
class Greedy {
public:
  Greedy(const SplitLanes& lanes, const Policy& policy, std::vector<SplitPass>* passes)
      : lanes_(lanes), policy_(policy), passes_(passes), data_(lanes, lanes.microbatches),
        stages_(static_cast<size_t>(lanes.stages)) {}

  Timeline run() {
    Timeline timeline;
    for (int64_t s = 0; s < lanes_.stages; ++s) wake(0, s);
    while (!events_.empty()) {
      const auto [time, stage] = events_.top();
      events_.pop();
      if (stages_[static_cast<size_t>(stage)].free <= time) decide(stage, time);
    }
    for (const Stage& stage : stages_) {
      timeline.start.push_back(stage.first);
      timeline.end.push_back(stage.free);
      timeline.busy.push_back(stage.busy);
    }
    timeline.looked = looked_;
    return timeline;
  }

private:
  struct Stage {
    double free = 0, busy = 0;
    double first = kNever;
    int64_t forward[2] = {0, 0}, backward[2] = {0, 0}, weight[2] = {0, 0};  // passes done, by chunk
  };

  void wake(double time, int64_t stage) { events_.push({time, stage}); }

  /// Whether what a stage keeps leaves room for another forward pass.
  bool hasRoom(const Stage& stage, int64_t s, int64_t chunk) const {
    const int64_t p = lanes_.stages;
    if (lanes_.kind == ScheduleKind::ZeroBubbleH1) {
      return stage.forward[0] - stage.backward[0] < p - s && stage.forward[0] - stage.weight[0] < p;
    }
    // Of two half chunks for each stage, one is left for the second chunk, which no wait of the first may block.
    const int64_t kept = stage.forward[0] + stage.forward[1] - stage.weight[0] - stage.weight[1];
    if (chunk == 1) return kept < 2 * p;
    return kept <= 2 * p - 2 && stage.forward[0] - stage.forward[1] < 2 * (p - s) - 1;
  }

  void decide(int64_t s, double now) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const int64_t m = lanes_.microbatches;
    double next = kNever;  // the first pass that is known to come
    for (int64_t chunk = lanes_.chunks - 1; chunk >= 0; --chunk) {
      if (stage.backward[chunk] >= m) continue;
      const double ready = data_.backwardReady(s, chunk, stage.backward[chunk]);
      if (ready <= now) return place(s, chunk, Work::Backward, now);
      next = std::min(next, ready);
    }
    if (m - stage.forward[lanes_.chunks - 1] > policy_.deferred && placeWeight(s, now)) return;
    for (int64_t chunk = lanes_.chunks - 1; chunk >= 0; --chunk) {
      if (stage.forward[chunk] >= m || !hasRoom(stage, s, chunk)) continue;
      const double ready = data_.forwardReady(s, chunk, stage.forward[chunk]);
      if (ready <= now) return place(s, chunk, Work::Forward, now);
      next = std::min(next, ready);
    }
    const double weight = durationOf(lanes_, s, 0, Work::Weight);
    if (next - now >= policy_.patience * weight && placeWeight(s, now)) return;
    if (next < kNever) wake(next, s);
  }

  bool placeWeight(int64_t s, double now) {
    const Stage& stage = stages_[static_cast<size_t>(s)];
    for (int64_t chunk = lanes_.chunks - 1; chunk >= 0; --chunk) {
      if (stage.weight[chunk] >= stage.backward[chunk]) continue;
      place(s, chunk, Work::Weight, now);
      return true;
    }
    return false;
  }

  void place(int64_t s, int64_t chunk, Work work, double now) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    int64_t* counts = work == Work::Forward    ? stage.forward
                      : work == Work::Backward ? stage.backward
                                               : stage.weight;
    const SplitPass pass{s,    chunk, counts[chunk]++,
                         work, now,   now + durationOf(lanes_, s, chunk, work)};
    data_.done(pass);
    stage.first = std::min(stage.first, now);
    stage.free = pass.end;
    stage.busy += pass.end - now;
    ++looked_;
    if (passes_) passes_->push_back(pass);
    wake(pass.end, s);
    const double latency = work == Work::Forward ? lanes_.forwardLatency : lanes_.backwardLatency;
    if (work == Work::Weight) return;
    const int64_t to = (work == Work::Forward) == (chunk == 0) ? s + 1 : s - 1;
    if (to >= 0 && to < lanes_.stages) wake(pass.end + latency, to);
  }

  const SplitLanes& lanes_;
  Policy policy_;
  std::vector<SplitPass>* passes_;
  Data data_;
  std::vector<Stage> stages_;
  using Event = std::pair<double, int64_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int64_t looked_ = 0;
};

/// DualPipe. Directions are chunks; each stage's `near` one enters at the end of the pipeline that is closer to it.
class Dual {
public:
  Dual(const SplitLanes& lanes, std::vector<SplitPass>* passes)
      : lanes_(lanes), passes_(passes), data_(lanes, lanes.microbatches / 2),
        order_(static_cast<size_t>(lanes.stages)), stages_(order_.size()) {
    for (int64_t s = 0; s < lanes.stages; ++s) listOrder(s);
  }

  Timeline run() {
    // Stages move on in turns as far as they can; each pass waits for those before it only.
    bool moved = true;
    while (moved) {
      moved = false;
      for (int64_t s = 0; s < lanes_.stages; ++s) {
        while (advance(s)) moved = true;
      }
    }
    Timeline timeline;
    for (const Stage& stage : stages_) {
      timeline.start.push_back(stage.first);
      timeline.end.push_back(stage.free);
      timeline.busy.push_back(stage.busy);
    }
    timeline.looked = looked_;
    return timeline;
  }

private:
  /// One or two passes that run together.
  struct Turn {
    Work work = Work::Forward;
    int64_t chunk = 0;
    bool paired = false;  // a forward pass of `chunk` with a whole backward pass of the other
  };

  struct Stage {
    size_t turn = 0;
    double free = 0, busy = 0, first = kNever;
    int64_t forward[2] = {0, 0}, backward[2] = {0, 0};
    std::vector<std::pair<int64_t, int64_t>>
        waiting;         // chunk and micro-batch of passes for weights
    size_t weights = 0;  // of those, done
  };

  void listOrder(int64_t s) {
    std::vector<Turn>& order = order_[static_cast<size_t>(s)];
    const int64_t p = lanes_.stages, half = p / 2, each = lanes_.microbatches / 2;
    const int64_t r = std::min(s, p - 1 - s);  // from the nearer end
    const int64_t near = s < half ? 0 : 1, far = 1 - near;
    auto add = [&](int64_t times, std::initializer_list<Turn> turns) {
      for (int64_t i = 0; i < times; ++i) order.insert(order.end(), turns);
    };
    const Turn forwardNear{Work::Forward, near, false}, forwardFar{Work::Forward, far, false};
    add(2 * (half - r - 1), {forwardNear});
    add(r + 1, {forwardNear, forwardFar});
    add(half - r - 1, {{Work::Backward, far, false}, {Work::Weight, 0, false}, forwardFar});
    add(each - p + r + 1, {{Work::Forward, near, true}, {Work::Forward, far, true}});
    add(half - r - 1, {{Work::Whole, far, false}, {Work::Forward, far, true}});
    // From half of the way on, weights wait, and fill what would be bubbles.
    for (int64_t i = 0; i < r + 1; ++i) {
      const bool later = i > (r + 1) / 2, at = i == (r + 1) / 2;
      const bool splitFar = later || (at && r % 2 == 1), splitNear = later || at;
      order.push_back({splitFar ? Work::Backward : Work::Whole, far, false});
      order.push_back({splitNear ? Work::Backward : Work::Whole, near, false});
    }
    add(half - r - 1, {{Work::Weight, 0, false}, {Work::Backward, near, false}});
    int64_t weights = 0, split = 0;
    for (const Turn& turn : order) {
      if (turn.work == Work::Weight) ++weights;
      if (turn.work == Work::Backward) ++split;
    }
    add(split - weights, {{Work::Weight, 0, false}});
  }

  /// Places the next turn of a stage if its data is known to come.
  bool advance(int64_t s) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const std::vector<Turn>& order = order_[static_cast<size_t>(s)];
    if (stage.turn == order.size()) return false;
    const Turn& turn = order[stage.turn];
    if (turn.work == Work::Weight) {
      const auto [chunk, m] = stage.waiting[stage.weights++];
      put(stage, {s, chunk, m, Work::Weight, stage.free, 0},
          durationOf(lanes_, s, chunk, Work::Weight));
      ++stage.turn;
      return true;
    }
    const bool forward = turn.work == Work::Forward;
    const int64_t other = 1 - turn.chunk;
    double ready = forward ? data_.forwardReady(s, turn.chunk, stage.forward[turn.chunk])
                           : data_.backwardReady(s, turn.chunk, stage.backward[turn.chunk]);
    if (turn.paired) ready = std::max(ready, data_.backwardReady(s, other, stage.backward[other]));
    if (ready == kNever) return false;
    const double start = std::max(ready, stage.free);
    double duration = durationOf(lanes_, s, turn.chunk, turn.work);
    if (turn.paired) duration = together(s, turn.chunk, other);
    if (forward) {
      put(stage, {s, turn.chunk, stage.forward[turn.chunk]++, Work::Forward, start, 0}, duration);
      if (turn.paired)
        put(stage, {s, other, stage.backward[other]++, Work::Whole, start, 0}, duration);
    } else {
      const int64_t m = stage.backward[turn.chunk]++;
      put(stage, {s, turn.chunk, m, turn.work, start, 0}, duration);
      if (turn.work == Work::Backward) stage.waiting.emplace_back(turn.chunk, m);
    }
    ++stage.turn;
    return true;
  }

  /// Kernels of both one after the other, and their communication beside them.
  double together(int64_t s, int64_t forward, int64_t backward) const {
    const auto f = static_cast<size_t>(forward * lanes_.stages + s);
    const auto b = static_cast<size_t>(backward * lanes_.stages + s);
    const double all = lanes_.forward[f] + lanes_.backward[b] + lanes_.weight[b];
    const double kernels = lanes_.forwardKernels[f] + lanes_.backwardKernels[b];
    return std::max(kernels, all - kernels);
  }

  void put(Stage& stage, SplitPass pass, double duration) {
    pass.end = pass.start + duration;
    data_.done(pass);
    stage.busy += pass.end - std::max(pass.start, stage.free);
    stage.first = std::min(stage.first, pass.start);
    stage.free = pass.end;
    ++looked_;
    if (passes_) passes_->push_back(pass);
  }

  const SplitLanes& lanes_;
  std::vector<SplitPass>* passes_;
  Data data_;
  std::vector<std::vector<Turn>> order_;
  std::vector<Stage> stages_;
  int64_t looked_ = 0;
};

}  // namespace

Timeline placePasses(const SplitLanes& lanes, std::vector<SplitPass>* passes) {
  if (lanes.kind == ScheduleKind::DualPipe) return Dual(lanes, passes).run();
  // The authors search over what their scheduler may do; so does this.
  const int64_t p = lanes.stages;
  const Policy policies[] = {{0, INT64_MAX}, {0.5, INT64_MAX}, {0, p - 1}, {0.5, p - 1},
                             {0, p},         {0.5, p},         {0, 2 * p}, {0.5, 2 * p}};
  double best = kNever;
  Policy chosen;
  Timeline result;
  for (const Policy& policy : policies) {
    Timeline timeline = Greedy(lanes, policy, nullptr).run();
    double end = 0;
    for (size_t s = 0; s < timeline.end.size(); ++s)
      end = std::max(end, timeline.end[s] - (lanes.inTurn ? timeline.start[s] : 0));
    if (end >= best) continue;
    best = end;
    chosen = policy;
    result = std::move(timeline);
  }
  if (passes) Greedy(lanes, chosen, passes).run();
  return result;
}

}  // namespace sysdl::schedule
