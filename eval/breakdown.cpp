// Where the time of the busiest stage goes, and sums over all devices.
#include <algorithm>

#include "eval/step.h"

namespace sysdl {
namespace {

/// Passes of each chunk a step: of two directions, each has half of the micro-batches.
double passesOf(const Plan& plan) {
  const auto microbatches = static_cast<double>(plan.microbatches);
  return plan.schedule.kind == ScheduleKind::DualPipe ? microbatches / 2 : microbatches;
}

/// How often a stage takes part in border collectives for one micro-batch: with chunks before and
/// after its own, it sends and receives at each.
struct Crossings {
  double before = 0, after = 0;  // borders towards the first and towards the last chunk
};

Crossings crossingsOf(ScheduleKind kind, int64_t stages, int64_t chunks, int64_t stage) {
  Crossings result;
  if (kind == ScheduleKind::ZeroBubbleV || kind == ScheduleKind::DualPipe) {
    // Each chunk goes the other way; at the turn of a V nothing is sent.
    result.before = result.after = (stage > 0 ? 1 : 0) + (stage < stages - 1 ? 1 : 0);
    return result;
  }
  result.before = static_cast<double>(stage == 0 ? chunks - 1 : chunks);
  result.after = static_cast<double>(stage == stages - 1 ? chunks - 1 : chunks);
  return result;
}

class BreakDown {
public:
  BreakDown(const Model& model, const Graph& graph, const Plan& plan, const Priced& priced,
            const StepEnd& end, StepResults& results)
      : model_(model), graph_(graph), plan_(plan), priced_(priced), end_(end), results_(results),
        stage_(graph.stages[end.busiest.stageClass]),
        phase_(priced.optimizerPhase[end.busiest.stageClass]), microbatches_(passesOf(plan)) {}

  void run() {
    addKernels();
    addCollectives();
    addBorders();
    addOnceAStep();
    addTimes();
  }

private:
  void addKernels() {
    const std::vector<double> occurrences = occurrencesOf(stage_, graph_.parts.size());
    results_.kernels = priced_.kernels;
    for (KernelResult& kernel : results_.kernels) {
      kernel.count = occurrences[graph_.kernels[kernel.node].part] * microbatches_;
    }
  }

  void addCollectives() {
    const std::vector<double> occurrences = occurrencesOf(stage_, graph_.parts.size());
    results_.collectives.resize(graph_.collectives.size());
    for (uint32_t c = 0; c < graph_.collectives.size(); ++c) {
      const CollectiveNode& node = graph_.collectives[c];
      set(c, priced_.collectives[c], priced_.exposed[c]);
      const double times = node.phase == Phase::Optimizer ? 0 : microbatches_;
      results_.collectives[c].count = occurrences[node.part] * times;
    }
  }

  void set(uint32_t index, const CollectivePrice& price, double exposed) {
    CollectiveResult& result = results_.collectives[index];
    result.node = index;
    result.bytes = graph_.collectives[index].bytes;
    result.wireBytes = price.wireBytes;
    result.time = price.time;
    result.exposed = exposed;
    result.algorithm = price.algorithm;
    result.extrapolated = price.extrapolated;
  }

  void addBorder(const std::vector<uint32_t>& border, double sends, double receives) {
    for (uint32_t index : border) {
      CollectiveResult& result = results_.collectives[index];
      const bool send = graph_.collectives[index].kind == CollectiveKind::PointToPoint;
      result.count = (send ? sends : receives) * microbatches_;
      result.exposed = result.time * (send ? plan_.schedule.sendBlocking : 1);
    }
  }

  void addBorders() {
    const Crossings crossings =
        crossingsOf(plan_.schedule.kind, stageCount(graph_),
                    static_cast<int64_t>(stage_.chunks.size()), end_.busiest.stage);
    addBorder(graph_.boundary, crossings.after, crossings.before);
    addBorder(graph_.boundaryBackward, crossings.before, crossings.after);
  }

  double exposedOf(const OptimizerPhase& phase, const StepCollective& collective) const {
    const bool gathers = graph_.collectives[collective.node].kind == CollectiveKind::AllGather;
    return collective.price.time * (gathers ? phase.gathersExposed : phase.reductionsExposed);
  }

  /// Collectives of Phase::Optimizer: those of other classes show what they cost there.
  void addOnceAStep() {
    for (const OptimizerPhase& phase : priced_.optimizerPhase) {
      for (const StepCollective& collective : phase.collectives) {
        set(collective.node, collective.price, exposedOf(phase, collective));
      }
    }
    for (const StepCollective& collective : phase_.collectives) {
      set(collective.node, collective.price, exposedOf(phase_, collective));
      results_.collectives[collective.node].count = collective.count;
    }
    for (uint32_t index : graph_.tied) {
      results_.collectives[index].exposed = results_.collectives[index].time;
      results_.collectives[index].count = holdsTied(model_, graph_, stage_, index) ? 1 : 0;
    }
    results_.optimizer = phase_.kernel;
    results_.optimizer.count = 1;
  }

  void addTimes() {
    StepTime& time = results_.time;
    for (const KernelResult& kernel : results_.kernels) {
      const double total = kernel.count * kernel.time;
      switch (graph_.kernels[kernel.node].phase) {
      case Phase::Forward: time.forward += total; break;
      case Phase::Recompute: time.recompute += total; break;
      case Phase::Backward: time.backward += total; break;
      case Phase::Optimizer: time.optimizer += total; break;
      }
    }
    time.optimizer += phase_.kernel.time;
    const std::vector<double> occurrences = occurrencesOf(stage_, graph_.parts.size());
    for (size_t part = 0; part < priced_.parts.size(); ++part) {
      const Priced::Part& p = priced_.parts[part];
      time.host +=
          occurrences[part] * microbatches_ * (p.forward.host + p.recompute.host + p.backward.host);
    }
    hide();
    for (MeshAxisId axis = 0; axis < plan_.mesh.size(); ++axis) time.exposed.push_back({axis, 0});
    for (const CollectiveResult& collective : results_.collectives) {
      // A group over several axes counts with its outermost, where it is slowest.
      const auto& axes = graph_.collectives[collective.node].group.axes;
      if (!axes.empty()) time.exposed[axes.back()].exposed += collective.count * collective.exposed;
    }
    // What is left of the step is waiting; less than rounding is none.
    time.busiestStage = end_.busiest.stage;
    const double bubble = end_.end - sumOf(time);
    if (bubble > 1e-12 * end_.end) time.bubble = bubble;
    time.step = sumOf(time);
  }

  /// Where passes of two directions hide each other's communication, collectives are exposed for as much as the
  /// busiest stage is at work beyond its kernels.
  void hide() {
    if (plan_.schedule.kind != ScheduleKind::DualPipe) return;
    double exposed = 0;
    auto inPasses = [&](const CollectiveResult& c) {
      return graph_.collectives[c.node].phase != Phase::Optimizer;
    };
    for (const CollectiveResult& c : results_.collectives) {
      if (inPasses(c)) exposed += c.count * c.exposed;
    }
    const StepTime& time = results_.time;
    const double kernels = time.forward + time.recompute + time.backward;
    if (exposed <= 0) return;
    const double share = std::clamp((end_.passes - kernels) / exposed, 0.0, 1.0);
    for (CollectiveResult& c : results_.collectives) {
      if (inPasses(c)) c.exposed *= share;
    }
  }

  const Model& model_;
  const Graph& graph_;
  const Plan& plan_;
  const Priced& priced_;
  const StepEnd& end_;
  StepResults& results_;
  const StageClass& stage_;
  const OptimizerPhase& phase_;
  double microbatches_;
};

}  // namespace

double sumOf(const StepTime& time) {
  double sum =
      time.forward + time.backward + time.recompute + time.bubble + time.optimizer + time.host;
  for (const MeshAxisTime& axis : time.exposed) sum += axis.exposed;
  return sum;
}

void breakDown(const Model& model, const Graph& graph, const Plan& plan, const Priced& priced,
               const StepEnd& end, StepResults& results) {
  BreakDown(model, graph, plan, priced, end, results).run();
}

void addTotals(const Model& model, const Graph& graph, const Plan& plan, const Priced& priced,
               StepResults& results) {
  const auto stages = static_cast<double>(stageCount(graph));
  const double devices = static_cast<double>(graph.devices) / stages;  // of one stage
  const double microbatches = passesOf(plan);
  std::vector<double> passes(graph.parts.size(), 0);  // occurrences on all stages, a step
  for (uint32_t c = 0; c < graph.stages.size(); ++c) {
    const StageClass& stage = graph.stages[c];
    const auto count = static_cast<double>(stage.stages);
    const std::vector<double> occurrences = occurrencesOf(stage, graph.parts.size());
    for (size_t part = 0; part < passes.size(); ++part) {
      passes[part] += count * occurrences[part] * microbatches;
    }
    const OptimizerPhase& phase = priced.optimizerPhase[c];
    results.hbmBytes += devices * count * phase.kernel.traffic;
    results.wireBytes += devices * count * phase.wireBytes;
    for (uint32_t node : graph.tied) {
      if (!holdsTied(model, graph, stage, node)) continue;
      results.wireBytes += devices * count * priced.collectives[node].wireBytes;
    }
  }
  for (const KernelResult& kernel : priced.kernels) {
    const KernelNode& node = graph.kernels[kernel.node];
    const double times = devices * passes[node.part];
    results.hardwareFlops += times * kernel.matrixWork;
    if (node.phase != Phase::Recompute)
      results.modelFlops += times * kernel.matrixWork / node.copies;
    results.hbmBytes += times * kernel.traffic;
  }
  for (size_t part = 0; part < passes.size(); ++part) {
    const PartGraph& graphPart = graph.parts[part];
    for (const auto* issues : {&graphPart.forward, &graphPart.recompute, &graphPart.backward}) {
      for (const Issue& issue : *issues) {
        if (!issue.collective) continue;
        results.wireBytes += devices * passes[part] * priced.collectives[issue.index].wireBytes;
      }
    }
    results.parameters +=
        static_cast<double>(model.parts[part].repeat) * graphPart.globalParameters;
  }
  const auto chunks = static_cast<double>(graph.stages.front().chunks.size());
  const bool folded = plan.schedule.kind == ScheduleKind::ZeroBubbleV ||
                      plan.schedule.kind == ScheduleKind::DualPipe;
  const double borders = folded ? chunks * (stages - 1) : stages * chunks - 1;
  for (const auto* border : {&graph.boundary, &graph.boundaryBackward}) {
    for (uint32_t node : *border) {
      results.wireBytes += devices * borders * microbatches * priced.collectives[node].wireBytes;
    }
  }
}

}  // namespace sysdl
