// The pipeline of a graph, and the end of its step.
#include "eval/step.h"

#include <algorithm>

namespace sysdl {
namespace {

double borderTime(const Graph& graph, const Priced& priced, const std::vector<uint32_t>& border,
                  bool sends) {
  double time = 0;
  for (uint32_t index : border) {
    const bool send = graph.collectives[index].kind == CollectiveKind::PointToPoint;
    if (send == sends) time += priced.collectives[index].time;
  }
  return time;
}

schedule::Border borderOf(const Graph& graph, const Priced& priced,
                          const std::vector<uint32_t>& border) {
  return {borderTime(graph, priced, border, true), borderTime(graph, priced, border, false)};
}

/// Whether a part has a parameter tied to one of the part of node `index`.
bool isTied(const Model& model, uint32_t part, uint32_t other) {
  if (part == other) return true;
  for (const Tensor& tensor : model.parts[part].tensors) {
    if (!tensor.tiedTo) continue;
    for (const Tensor& beside : model.parts[other].tensors) {
      if (beside.tiedTo == tensor.tiedTo) return true;
    }
  }
  return false;
}

}  // namespace

bool isForWeights(const Model& model, const Graph& graph, const Issue& issue) {
  if (issue.collective) return false;
  const KernelNode& node = graph.kernels[issue.index];
  return model.parts[node.part].operations[node.operation].kernels[node.kernel].deferrable;
}

std::vector<Issue> withoutWeights(const Model& model, const Graph& graph,
                                  const std::vector<Issue>& issues) {
  std::vector<Issue> result;
  for (const Issue& issue : issues) {
    if (!isForWeights(model, graph, issue)) result.push_back(issue);
  }
  return result;
}

int64_t stageCount(const Graph& graph) {
  return graph.stages.empty() ? 0 : graph.stages.back().first + graph.stages.back().stages;
}

schedule::Pipeline pipelineOf(const Graph& graph, const Plan& plan, const Priced& priced) {
  schedule::Pipeline pipeline;
  pipeline.stages = stageCount(graph);
  pipeline.chunks = static_cast<int64_t>(graph.stages.front().chunks.size());
  pipeline.microbatches = plan.microbatches;
  pipeline.blocking = plan.schedule.sendBlocking;
  pipeline.activations = borderOf(graph, priced, graph.boundary);
  pipeline.gradients = borderOf(graph, priced, graph.boundaryBackward);
  const auto passes = static_cast<size_t>(pipeline.stages * pipeline.chunks);
  pipeline.forward.assign(passes, 0);
  for (auto* times :
       {&pipeline.backward, &pipeline.weight, &pipeline.forwardKernels, &pipeline.backwardKernels})
    times->assign(passes, 0);
  for (const StageClass& stageClass : graph.stages) {
    for (size_t chunk = 0; chunk < stageClass.chunks.size(); ++chunk) {
      double forward = 0, backward = 0, weight = 0, forwardKernels = 0, backwardKernels = 0;
      for (size_t part = 0; part < priced.parts.size(); ++part) {
        const auto count = static_cast<double>(stageClass.chunks[chunk].count[part]);
        const Priced::Part& times = priced.parts[part];
        forward += count * times.forward.span;
        backward += count * (times.recompute.span + times.backward.span);
        weight += count * times.weight;
        forwardKernels += count * times.forward.kernels;
        backwardKernels +=
            count * (times.recompute.kernels + times.backward.kernels + times.weight);
      }
      const auto first =
          chunk * static_cast<size_t>(pipeline.stages) + static_cast<size_t>(stageClass.first);
      std::fill_n(pipeline.forward.begin() + first, stageClass.stages, forward);
      std::fill_n(pipeline.backward.begin() + first, stageClass.stages, backward);
      std::fill_n(pipeline.weight.begin() + first, stageClass.stages, weight);
      std::fill_n(pipeline.forwardKernels.begin() + first, stageClass.stages, forwardKernels);
      std::fill_n(pipeline.backwardKernels.begin() + first, stageClass.stages, backwardKernels);
    }
  }
  return pipeline;
}

bool holdsTied(const Model& model, const Graph& graph, const StageClass& stage, uint32_t node) {
  for (const Chunk& chunk : stage.chunks) {
    for (uint32_t part = 0; part < chunk.count.size(); ++part) {
      if (chunk.count[part] > 0 && isTied(model, part, graph.collectives[node].part)) return true;
    }
  }
  return false;
}

StepEnd stepEndOf(const Model& model, const Graph& graph, const Priced& priced,
                  const schedule::Timeline& timeline, std::vector<StageEnd>* stages) {
  if (stages) stages->assign(timeline.end.size(), {});
  // Gradients are reduced, tied ones summed as soon as all stages that hold them are there.
  std::vector<double> ready = timeline.end;
  std::vector<double> busy = timeline.busy;
  auto eachStage = [&](auto&& function) {
    for (uint32_t c = 0; c < graph.stages.size(); ++c) {
      const int64_t first = graph.stages[c].first;
      for (int64_t s = first; s < first + graph.stages[c].stages; ++s) function(c, s);
    }
  };
  eachStage([&](uint32_t c, int64_t s) {
    const OptimizerPhase& phase = priced.optimizerPhase[c];
    ready[s] += phase.reductions * phase.reductionsExposed;
    busy[s] += phase.reductions * phase.reductionsExposed;
    if (stages) (*stages)[s].passes = timeline.end[s];
    if (stages) (*stages)[s].reduced = ready[s];
  });
  for (uint32_t node : graph.tied) {
    std::vector<int64_t> members;
    for (const StageClass& held : graph.stages) {
      if (!holdsTied(model, graph, held, node)) continue;
      for (int64_t s = held.first; s < held.first + held.stages; ++s) members.push_back(s);
    }
    double start = 0;
    for (int64_t s : members) start = std::max(start, ready[s]);
    const double time = priced.collectives[node].time;
    for (int64_t s : members) {
      ready[s] = start + time;
      busy[s] += time;
      if (stages) (*stages)[s].tied.push_back({node, start, start + time});
    }
  }
  StepEnd result;
  result.busy = -1;
  eachStage([&](uint32_t c, int64_t s) {
    const OptimizerPhase& phase = priced.optimizerPhase[c];
    const double rest = phase.kernel.time + phase.gathers * phase.gathersExposed;
    result.end = std::max(result.end, ready[s] + rest);
    if (stages) {
      (*stages)[s].ready = ready[s];
      (*stages)[s].stepped = ready[s] + phase.kernel.time;
      (*stages)[s].end = ready[s] + rest;
    }
    if (busy[s] + rest > result.busy) {
      result.busy = busy[s] + rest;
      result.busiest = {c, s};
      result.passes = timeline.busy[static_cast<size_t>(s)];
    }
  });
  return result;
}

}  // namespace sysdl
