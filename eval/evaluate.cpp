// The pass as a whole: price, overlap, schedule, compose.
#include "eval/evaluate.h"

#include <utility>

#include "eval/evaluated_step.h"
#include "eval/memory.h"
#include "eval/schedule/schedule.h"

namespace sysdl {
namespace {

/// Hides once-a-step collectives behind passes of one micro-batch, as the plan says: what they take beyond
/// those is exposed, and what the passes beside them lose to them.
void coverOptimizerPhase(const StageClass& stage, const Plan& plan, const Machine& machine,
                         Priced& priced) {
  OptimizerPhase& phase = priced.optimizerPhase.back();
  double forward = 0, backward = 0;
  const std::vector<double> occurrences = occurrencesOf(stage, priced.parts.size());
  for (size_t part = 0; part < priced.parts.size(); ++part) {
    forward += occurrences[part] * priced.parts[part].forward.span;
    backward += occurrences[part] * priced.parts[part].backward.span;
  }
  auto exposed = [&](double time, double cover) {
    if (time <= 0) return 1.0;
    const double covered = std::min(time, cover);
    return (time - covered + machine.contention * covered) / time;
  };
  if (plan.overlapGradients) phase.reductionsExposed = exposed(phase.reductions, backward);
  if (plan.overlapWeights) phase.gathersExposed = exposed(phase.gathers, forward);
}

std::optional<EvaluationError> priceAll(const Model& model, const Plan& plan,
                                        const Machine& machine, const OptimizerModel& optimizer,
                                        const Graph& graph, const NameTable& names,
                                        Scratch& scratch, Priced& priced) {
  std::optional<EvaluationError> error;
  priced.kernels = priceKernels(model, graph, names, scratch, error);
  if (error) return error;
  CollectivePricer pricer(machine, graph, scratch);
  priced.collectives = priceCollectives(graph, pricer, error);
  if (error) return error;
  priced.exposed.assign(graph.collectives.size(), 0);
  auto phase = [&](const std::vector<Issue>& issues) {
    return overlap(issues, graph, machine, priced.kernels, priced.collectives, priced.exposed);
  };
  for (const PartGraph& part : graph.parts) {
    Priced::Part times;
    times.forward = phase(part.forward);
    times.recompute = phase(part.recompute);
    if (splitsBackward(plan.schedule.kind)) {
      times.backward = phase(withoutWeights(model, graph, part.backward));
      for (const Issue& issue : part.backward) {
        if (isForWeights(model, graph, issue)) times.weight += priced.kernels[issue.index].time;
      }
    } else {
      times.backward = phase(part.backward);
    }
    priced.parts.push_back(times);
  }
  for (const StageClass& stage : graph.stages) {
    priced.optimizerPhase.push_back(
        optimizerPhaseOf(stage, graph, optimizer, names, pricer, scratch, error));
    coverOptimizerPhase(stage, plan, machine, priced);
  }
  return error;
}

}  // namespace

EvaluatedStep::Result evaluateStep(const Model& model, const Plan& plan, const Machine& machine,
                                   const OptimizerModel& optimizer, const Graph& graph,
                                   const NameTable& names, Scratch& scratch) {
  EvaluatedStep step;
  if (auto error = priceAll(model, plan, machine, optimizer, graph, names, scratch, step.priced)) {
    return *error;
  }
  step.pipeline = pipelineOf(graph, plan, step.priced);
  step.timeline = schedule::run(plan.schedule, step.pipeline);
  const StepEnd end = stepEndOf(model, graph, step.priced, step.timeline);
  breakDown(model, graph, plan, step.priced, end, step.results);
  step.results.time.exact = step.timeline.exact;
  step.results.memory = memoryOf(graph, plan, step.pipeline.stages);
  addTotals(model, graph, plan, step.priced, step.results);
  return step;
}

Evaluation evaluate(const Model& model, const Plan& plan, const Machine& machine,
                    const OptimizerModel& optimizer, const Graph& graph, const NameTable& names,
                    Scratch& scratch) {
  auto evaluated = evaluateStep(model, plan, machine, optimizer, graph, names, scratch);
  if (const auto* error = std::get_if<EvaluationError>(&evaluated)) return *error;
  return std::move(std::get<EvaluatedStep>(evaluated).results);
}

}  // namespace sysdl
