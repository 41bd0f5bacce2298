// Gathers a stage's once-a-step collectives into messages and prices them.
#include "eval/optimizer_phase.h"

namespace sysdl {
std::vector<double> occurrencesOf(const StageClass& stage, size_t parts) {
  std::vector<double> result(parts, 0);
  for (const Chunk& chunk : stage.chunks) {
    for (size_t part = 0; part < parts; ++part) {
      result[part] += static_cast<double>(chunk.count[part]);
    }
  }
  return result;
}

OptimizerPhase optimizerPhaseOf(const StageClass& stage, const Graph& graph,
                                const OptimizerModel& optimizer, const NameTable& names,
                                CollectivePricer& pricer, Scratch& scratch,
                                std::optional<EvaluationError>& error) {
  OptimizerPhase phase;
  Messages messages(graph);
  double parameters = 0;
  const std::vector<double> occurrences = occurrencesOf(stage, graph.parts.size());
  for (size_t part = 0; part < graph.parts.size(); ++part) {
    if (occurrences[part] <= 0) continue;
    parameters += occurrences[part] * graph.parts[part].optimizedParameters;
    for (const Issue& issue : graph.parts[part].optimizer) {
      if (!issue.collective) continue;
      phase.collectives.push_back({issue.index, occurrences[part], {}});
      messages.add(issue.index, occurrences[part]);
    }
  }
  for (StepCollective& collective : phase.collectives) {
    const double bytes = messages.bytesWith(collective.node);
    collective.price = pricer.priceShare(collective.node, bytes, error);
    const bool gathers = graph.collectives[collective.node].kind == CollectiveKind::AllGather;
    (gathers ? phase.gathers : phase.reductions) += collective.count * collective.price.time;
    phase.wireBytes += collective.count * collective.price.wireBytes;
  }
  phase.kernel = priceOptimizer(optimizer, parameters, names, scratch, error);
  return phase;
}

}  // namespace sysdl
