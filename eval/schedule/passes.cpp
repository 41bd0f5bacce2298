// Walks the wave of passes step by step, or places split passes, and writes down each.
#include "eval/schedule/passes.h"

#include <algorithm>

#include "eval/schedule/schedule.h"
#include "eval/schedule/wave.h"

namespace sysdl::schedule {
namespace {

constexpr int64_t kMostWalked = 100'000'000;  // passes of the wave, listed or not
constexpr int64_t kMostPlaced = 400'000;  // passes of split schedules, which are placed by search

/// Micro-batches whose passes fit into a list.
int64_t fitting(int64_t most, int64_t passesOfEach, int64_t microbatches) {
  return std::clamp<int64_t>(most / std::max<int64_t>(passesOfEach, 1), 1, microbatches);
}

/// Writes down the passes of a wave.
class Recorder {
public:
  Recorder(const Lanes& lanes, const Order& order, int64_t microbatches, Passes& made)
      : order_(order), microbatches_(microbatches), made_(made),
        times_(static_cast<size_t>(Wave(lanes, order).times())),
        forward_(static_cast<size_t>(order.stages)), backward_(forward_.size()) {}

  void copy(int64_t to, int64_t from) { times_[to] = times_[from]; }

  void pass(int64_t stage, int64_t target, int64_t source, double latency, double duration) {
    double start = times_[stage];
    if (source != Wave::kNoSource) start = std::max(start, times_[source] + latency);
    times_[stage] = times_[target] = start + duration;
    // The wave brings a stage's passes of one direction in turn.
    const bool forward = target < 2 * order_.stages;
    const int64_t number = forward ? forward_[stage]++ : backward_[stage]++;
    const int64_t round = order_.stages * order_.chunks;
    const int64_t microbatch = number / round * order_.stages + number % order_.stages;
    if (microbatch >= microbatches_) return;
    const int64_t chunk = forward ? order_.chunkOfForward(number) : order_.chunkOfBackward(number);
    made_.passes.push_back({stage, chunk, microbatch, forward ? Work::Forward : Work::Whole, false,
                            start, times_[stage]});
  }

  std::vector<double> ends() const { return {times_.begin(), times_.begin() + order_.stages}; }

private:
  const Order& order_;
  int64_t microbatches_;
  Passes& made_;
  std::vector<double> times_;
  std::vector<int64_t> forward_, backward_;  // by stage: passes so far
};

/// Keeps the micro-batches that have all of their passes.
void keepWhole(Passes& made, int64_t passesOfEach) {
  std::vector<int64_t> count(static_cast<size_t>(made.microbatches), 0);
  for (const Pass& pass : made.passes) ++count[pass.microbatch];
  auto partial = std::ranges::find_if(count, [&](int64_t n) { return n < passesOfEach; });
  made.microbatches = partial - count.begin();
  std::erase_if(made.passes, [&](const Pass& p) { return p.microbatch >= made.microbatches; });
}

Passes listSplit(const Schedule& schedule, const Pipeline& pipeline, int64_t most) {
  SplitLanes lanes = splitLanesOf(schedule.kind, pipeline);
  lanes.inTurn = schedule.postValidation;
  const bool dual = schedule.kind == ScheduleKind::DualPipe;
  const int64_t directions = dual ? 2 : 1;
  const int64_t passesOfEach = 3 * lanes.stages * lanes.chunks / directions;
  const int64_t ofDirection = lanes.microbatches / directions;
  Passes made;
  made.microbatches = fitting(most, passesOfEach, lanes.microbatches) / directions * directions;
  made.microbatches = std::min(std::max(made.microbatches, directions), lanes.microbatches);
  made.all = made.microbatches == lanes.microbatches;
  // Beyond, as the step would begin if it had fewer micro-batches. The rest of a division by two stays.
  const int64_t placeable =
      std::max(fitting(std::max(most, kMostPlaced), passesOfEach, lanes.microbatches) / 2 * 2,
               4 * lanes.stages) +
      lanes.microbatches % 2;
  lanes.microbatches = std::min(lanes.microbatches, placeable);
  std::vector<SplitPass> placed;
  const Timeline timeline = placePasses(lanes, &placed);
  if (made.all) {
    made.start = timeline.start;
    made.end = timeline.end;
  }
  const int64_t shown = made.microbatches / directions;
  std::vector<const SplitPass*> before(static_cast<size_t>(lanes.stages), nullptr);
  std::vector<size_t> at(before.size(), 0);  // where that is listed
  for (const SplitPass& pass : placed) {
    const SplitPass* last = std::exchange(before[pass.stage], &pass);
    const bool paired =
        dual && last && last->start == pass.start && last->end == pass.end && pass.end > pass.start;
    const bool lastShown = last && last->microbatch < shown;
    if (paired && lastShown) made.passes[at[pass.stage]].paired = true;
    if (pass.microbatch >= shown) continue;
    at[pass.stage] = made.passes.size();
    const int64_t number = pass.microbatch + (dual ? pass.chunk * ofDirection : 0);
    made.passes.push_back(
        {pass.stage, pass.chunk, number, pass.work, paired, pass.start, pass.end});
  }
  return made;
}

}  // namespace

Passes listPasses(const Lanes& lanes, const Order& order, int64_t most) {
  const int64_t all = order.passes / order.chunks;  // interleaved: a multiple of the stages
  const int64_t passesOfEach = 2 * order.stages * order.chunks;
  Passes made;
  made.microbatches = fitting(most, passesOfEach, all);
  made.all = made.microbatches == all;
  const auto wanted = static_cast<size_t>(made.microbatches * passesOfEach);
  const Wave wave(lanes, order);
  Recorder recorder(lanes, order, made.microbatches, made);
  const int64_t steps = order.passes + order.backwardDelay(0);
  const int64_t walkable = kMostWalked / (2 * order.stages);
  for (int64_t step = 0; step < std::min(steps, walkable); ++step) {
    if (made.passes.size() == wanted) break;
    wave.walk(step, order.passes, recorder);
  }
  if (made.passes.size() < wanted) {
    made.all = false;
    keepWhole(made, passesOfEach);
  }
  if (made.all) {
    made.start.assign(static_cast<size_t>(order.stages), 0);
    made.end = recorder.ends();
    std::vector<bool> seen(made.start.size(), false);
    for (const Pass& pass : made.passes) {
      if (!seen[pass.stage]) made.start[pass.stage] = pass.start;
      seen[pass.stage] = true;
    }
  }
  return made;
}

Passes listPasses(const Schedule& schedule, const Pipeline& pipeline, int64_t most) {
  if (splitsBackward(schedule.kind)) return listSplit(schedule, pipeline, most);
  return listPasses(lanesOf(pipeline), orderOf(schedule, pipeline.stages, pipeline.microbatches),
                    most);
}

bool receivesForward(ScheduleKind kind, int64_t stages, int64_t stage, int64_t chunk) {
  if (!splitsBackward(kind)) return stage > 0 || chunk > 0;
  return stage != (chunk == 0 ? 0 : stages - 1);
}

bool sendsForward(ScheduleKind kind, int64_t stages, int64_t chunks, int64_t stage, int64_t chunk) {
  if (!splitsBackward(kind)) return stage < stages - 1 || chunk < chunks - 1;
  return stage != (chunk == 0 ? stages - 1 : 0);
}

}  // namespace sysdl::schedule
