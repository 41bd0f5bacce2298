// Expands an evaluated step into events.
#include "eval/step_events.h"

#include <algorithm>
#include <tuple>

namespace sysdl {
namespace {

using schedule::Pass;
using schedule::Work;
using What = StepEvent::What;

constexpr uint32_t trackOf(StepTrack track) { return static_cast<uint32_t>(track); }

/// The kernels and collectives of one occurrence of a part in each pass, from the start of that pass.
struct PlacedPart {
  std::vector<PlacedIssue> forward, backward, weight;
  double forwardSpan = 0, backwardSpan = 0, weightSpan = 0;
};

class Maker {
public:
  Maker(const Model& model, const Graph& graph, const Plan& plan, const Machine& machine,
        const EvaluatedStep& step, int64_t mostDetails)
      : model_(model), graph_(graph), plan_(plan), machine_(machine), step_(step),
        left_(mostDetails) {}

  StepEvents run(int64_t mostPasses) {
    schedule::Passes listed = schedule::listPasses(plan_.schedule, step_.pipeline, mostPasses);
    made_.passes = std::move(listed.passes);
    std::ranges::stable_sort(made_.passes, {}, &Pass::stage);
    made_.microbatches = listed.microbatches;
    made_.all = listed.all;
    indexStages();
    placeParts();
    for (size_t i = 0; i < made_.passes.size(); ++i) addPass(static_cast<int64_t>(i));
    addEnds(listed);
    for (const StepEvent& event : made_.events) made_.end = std::max(made_.end, event.end);
    std::ranges::stable_sort(
        made_.events, {}, [](const StepEvent& e) { return std::tuple(e.stage, e.track, e.start); });
    return std::move(made_);
  }

private:
  int64_t stages() const { return step_.pipeline.stages; }
  int64_t chunks() const { return step_.pipeline.chunks; }

  uint32_t levelTrack(uint32_t collective) const {
    return trackOf(StepTrack::FirstLevel) + graph_.collectives[collective].group.outermost;
  }

  /// Where on the model's list of layers each piece begins.
  void indexStages() {
    const auto count = static_cast<size_t>(stages());
    classOf_.assign(count, nullptr);
    phaseOf_.assign(count, nullptr);
    for (size_t c = 0; c < graph_.stages.size(); ++c) {
      const StageClass& stage = graph_.stages[c];
      for (int64_t s = stage.first; s < stage.first + stage.stages; ++s) {
        classOf_[s] = &stage;
        phaseOf_[s] = &step_.priced.optimizerPhase[c];
      }
    }
    std::vector<int64_t> size(count * static_cast<size_t>(chunks()), 0);
    for (int64_t s = 0; s < stages(); ++s) {
      for (int64_t chunk = 0; chunk < chunks(); ++chunk) {
        int64_t parts = 0;
        for (int64_t n : classOf_[s]->chunks[chunk].count) parts += n;
        size[pieceOf(plan_.schedule.kind, stages(), s, chunk)] = parts;
      }
    }
    begin_.assign(size.size(), 0);
    for (size_t piece = 1; piece < size.size(); ++piece)
      begin_[piece] = begin_[piece - 1] + size[piece - 1];
  }

  /// What a chunk of a stage holds, in the model's order.
  std::vector<PartRun> runsIn(int64_t stage, int64_t chunk) const {
    int64_t skip = begin_[pieceOf(plan_.schedule.kind, stages(), stage, chunk)];
    std::vector<int64_t> left = classOf_[stage]->chunks[chunk].count;
    std::vector<PartRun> runs;
    auto take = [&](uint32_t part, int64_t count) {
      count = std::min(count, left[part]);
      if (count > 0) runs.push_back({part, count});
      left[part] -= count;
    };
    for (const PartRun& run : runsOf(model_)) {
      const int64_t skipped = std::min(skip, run.count);
      skip -= skipped;
      take(run.part, run.count - skipped);
    }
    for (uint32_t part = 0; part < left.size(); ++part) take(part, left[part]);
    return runs;
  }

  void placeParts() {
    std::vector<double> exposed(graph_.collectives.size(), 0);
    for (size_t i = 0; i < graph_.parts.size(); ++i) {
      const PartGraph& part = graph_.parts[i];
      const Priced::Part& times = step_.priced.parts[i];
      PlacedPart placed;
      auto phase = [&](const std::vector<Issue>& issues, std::vector<PlacedIssue>& into,
                       double after) {
        const size_t first = into.size();
        overlap(issues, graph_, machine_, step_.priced.kernels, step_.priced.collectives, exposed,
                &into);
        for (size_t k = first; k < into.size(); ++k) {
          into[k].start += after;
          into[k].end += after;
        }
      };
      phase(part.forward, placed.forward, 0);
      phase(part.recompute, placed.backward, 0);
      if (splitsBackward(plan_.schedule.kind)) {
        phase(withoutWeights(model_, graph_, part.backward), placed.backward, times.recompute.span);
        for (const Issue& issue : part.backward) {
          if (!isForWeights(model_, graph_, issue)) continue;
          const double end = placed.weightSpan + step_.priced.kernels[issue.index].time;
          placed.weight.push_back({false, issue.index, placed.weightSpan, end});
          placed.weightSpan = end;
        }
      } else {
        phase(part.backward, placed.backward, times.recompute.span);
      }
      placed.forwardSpan = times.forward.span;
      placed.backwardSpan = times.recompute.span + times.backward.span;
      parts_.push_back(std::move(placed));
    }
  }

  StepEvent& add(What what, int64_t stage, uint32_t track, double start, double end,
                 int64_t pass = -1) {
    StepEvent event;
    event.what = what;
    event.stage = stage;
    event.track = track;
    event.start = start;
    event.end = end;
    event.pass = pass;
    return made_.events.emplace_back(event);
  }

  void addPass(int64_t index) {
    const Pass pass = made_.passes[index];
    const ScheduleKind kind = plan_.schedule.kind;
    const bool before = schedule::receivesForward(kind, stages(), pass.stage, pass.chunk);
    const bool after = schedule::sendsForward(kind, stages(), chunks(), pass.stage, pass.chunk);
    const bool forward = pass.work == Work::Forward, weight = pass.work == Work::Weight;
    const bool receives = !weight && (forward ? before : after);
    const bool sends = !weight && (forward ? after : before);
    const schedule::Border& border =
        forward ? step_.pipeline.activations : step_.pipeline.gradients;
    const double blocked = sends ? step_.pipeline.blocking * border.send : 0;
    // Of passes that run together, communication lies behind the other's kernels.
    const double computed = pass.paired ? pass.end : pass.end - blocked;
    add(What::Pass, pass.stage, trackOf(StepTrack::Passes), pass.start, computed, index);
    if (sends && border.send > 0) {
      const StepTrack track = forward ? StepTrack::SendActivations : StepTrack::SendGradients;
      StepEvent& send = add(What::Send, pass.stage, trackOf(track), pass.end - blocked,
                            pass.end - blocked + border.send, index);
      const std::vector<uint32_t>& nodes = forward ? graph_.boundary : graph_.boundaryBackward;
      for (uint32_t node : nodes) {
        if (graph_.collectives[node].kind == CollectiveKind::PointToPoint) send.node = node;
      }
    }
    if (isFirst(pass) && !pass.paired && made_.detailed) addInside(pass, index, receives);
  }

  /// Whether a pass is of the first micro-batch that the chunk sees.
  bool isFirst(const Pass& pass) const {
    const bool second = plan_.schedule.kind == ScheduleKind::DualPipe && pass.chunk == 1;
    return pass.microbatch == (second ? plan_.microbatches / 2 : 0);
  }

  /// Kernels and collectives of a pass.
  void addInside(const Pass& pass, int64_t index, bool receives) {
    const bool inputs = pass.work == Work::Backward || pass.work == Work::Whole;
    const bool weights = pass.work == Work::Weight || pass.work == Work::Whole;
    std::vector<PartRun> runs = runsIn(pass.stage, pass.chunk);
    if (pass.work != Work::Forward) std::ranges::reverse(runs);
    int64_t needed = 0;
    for (const PartRun& run : runs) {
      const PlacedPart& part = parts_[run.part];
      const size_t issues = (pass.work == Work::Forward ? part.forward.size() : 0) +
                            (inputs ? part.backward.size() : 0) +
                            (weights ? part.weight.size() : 0);
      // So that the product stays within 64 bits.
      needed += std::min(run.count, kMostDetails + left_) * static_cast<int64_t>(issues);
    }
    if (needed > left_) {
      made_.detailed = false;
      return;
    }
    double time = pass.start;
    if (receives) {
      for (uint32_t node : pass.work == Work::Forward ? graph_.boundary : graph_.boundaryBackward) {
        if (graph_.collectives[node].kind == CollectiveKind::PointToPoint) continue;
        const double took = step_.priced.collectives[node].time;
        add(What::Collective, pass.stage, levelTrack(node), time, time + took, index).node = node;
        time += took;
      }
    }
    auto each = [&](std::vector<PlacedIssue> PlacedPart::* issues, double PlacedPart::* span) {
      for (const PartRun& run : runs) {
        for (int64_t i = 0; i < run.count; ++i) {
          addIssues(parts_[run.part].*issues, pass.stage, time, index);
          time += parts_[run.part].*span;
        }
      }
    };
    if (pass.work == Work::Forward) each(&PlacedPart::forward, &PlacedPart::forwardSpan);
    if (inputs) each(&PlacedPart::backward, &PlacedPart::backwardSpan);
    if (weights) each(&PlacedPart::weight, &PlacedPart::weightSpan);
  }

  void addIssues(const std::vector<PlacedIssue>& issues, int64_t stage, double from, int64_t pass) {
    for (const PlacedIssue& issue : issues) {
      const uint32_t track =
          issue.collective ? levelTrack(issue.index) : trackOf(StepTrack::Kernels);
      add(issue.collective ? What::Collective : What::Kernel, stage, track, from + issue.start,
          from + issue.end, pass)
          .node = issue.index;
      --left_;
    }
  }

  /// What stages do after their passes.
  void addEnds(const schedule::Passes& listed) {
    schedule::Timeline timeline = step_.timeline;
    std::vector<double> from(timeline.end.size(), 0);
    if (plan_.schedule.postValidation) from = listed.all ? listed.start : timeline.start;
    for (size_t s = 0; listed.all && s < timeline.end.size(); ++s)
      timeline.end[s] = listed.end[s] - from[s];
    std::vector<StageEnd> ends;
    stepEndOf(model_, graph_, step_.priced, timeline, &ends);
    for (int64_t s = 0; s < stages(); ++s) addEnd(s, ends[s], from[s]);
  }

  void addEnd(int64_t stage, const StageEnd& end, double from) {
    const OptimizerPhase& phase = *phaseOf_[stage];
    const uint32_t passes = trackOf(StepTrack::Passes);
    auto all = [&](What what, double start, double stop, double time, bool gathers, double share) {
      if (stop > start) add(what, stage, passes, from + start, from + stop).time = time;
      for (const StepCollective& item : phase.collectives) {
        const bool gather = graph_.collectives[item.node].kind == CollectiveKind::AllGather;
        const double took = item.count * item.price.time;
        if (gather != gathers || took * share <= 0) continue;
        if (left_ <= 0) {
          made_.detailed = false;
          continue;
        }
        --left_;
        StepEvent& event = add(What::Collective, stage, levelTrack(item.node), from + start,
                               from + start + took * share);
        event.node = item.node;
        event.count = item.count;
        event.time = took;
        start += took * share;
      }
    };
    all(What::Reductions, end.passes, end.reduced, phase.reductions, false,
        phase.reductionsExposed);
    for (const StageEnd::Tied& tied : end.tied) {
      add(What::Tied, stage, passes, from + tied.start, from + tied.end).node = tied.node;
      StepEvent& event =
          add(What::Collective, stage, levelTrack(tied.node), from + tied.start, from + tied.end);
      event.node = tied.node;
    }
    if (end.stepped > end.ready)
      add(What::Optimizer, stage, passes, from + end.ready, from + end.stepped);
    all(What::Gathers, end.stepped, end.end, phase.gathers, true, phase.gathersExposed);
  }

  const Model& model_;
  const Graph& graph_;
  const Plan& plan_;
  const Machine& machine_;
  const EvaluatedStep& step_;
  int64_t left_;                                // details that may still be added
  std::vector<const StageClass*> classOf_;      // by stage
  std::vector<const OptimizerPhase*> phaseOf_;  // by stage
  std::vector<int64_t> begin_;  // by piece of the model: occurrences of parts before it
  std::vector<PlacedPart> parts_;
  StepEvents made_;
};

}  // namespace

StepEvents eventsOf(const Model& model, const Graph& graph, const Plan& plan,
                    const Machine& machine, const EvaluatedStep& step, int64_t mostPasses,
                    int64_t mostDetails) {
  return Maker(model, graph, plan, machine, step, mostDetails).run(mostPasses);
}

}  // namespace sysdl
