// Runs the programs of kernels and collectives and reads their outputs.
#include "eval/price.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sysdl {
namespace {

using What = EvaluationError::What;

/// What binds a kernel, and by which margin.
void bind(KernelResult& result, const NameTable& names) {
  double longest = result.computeTime, next = 0;
  std::optional<Name> level;
  for (const LevelResult& use : result.levels) {
    next = std::max(next, std::min(use.time, longest));
    if (use.time <= longest) continue;
    longest = use.time;
    level = use.level;
  }
  const bool launch = result.time - longest > longest;
  if (launch) {
    result.bound = "launch";
    result.margin = longest > 0 ? (result.time - longest) / longest : 0;
  } else {
    result.bound = level ? std::string(names.text(*level)) : result.engine;
    result.margin = next > 0 ? longest / next : 0;
  }
}

KernelResult resultOf(const KernelCost& cost, std::span<const Word> outputs,
                      const NameTable& names) {
  KernelResult result;
  result.work = outputs[cost.work].real;
  result.matrixWork = outputs[cost.matrixWork].real;
  result.traffic = outputs[cost.traffic].real;
  result.time = outputs[cost.time].real;
  result.computeTime = outputs[cost.computeTime].real;
  result.engine = names.text(cost.engine);
  for (const LevelCost& use : cost.levels) {
    result.levels.push_back({use.level, outputs[use.bytes].real, outputs[use.time].real});
  }
  bind(result, names);
  return result;
}

const Operation& operationOf(const Model& model, const KernelNode& node) {
  return model.parts[node.part].operations[node.operation];
}

/// Kernels sorted so that those which one run of a program prices come together.
std::vector<uint32_t> byProgram(const Model& model, const Graph& graph) {
  std::vector<uint32_t> order(graph.kernels.size());
  for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  auto key = [&](uint32_t k) {
    const KernelNode& node = graph.kernels[k];
    return uint64_t{operationOf(model, node).program} << 32 | node.sizes;
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const uint64_t keyA = key(a), keyB = key(b);
    return keyA != keyB ? keyA < keyB : a < b;
  });
  return order;
}

}  // namespace

std::vector<KernelResult> priceKernels(const Model& model, const Graph& graph,
                                       const NameTable& names, Scratch& scratch,
                                       std::optional<EvaluationError>& error) {
  std::vector<KernelResult> results(graph.kernels.size());
  std::vector<Word> inputs, outputs;
  uint32_t program = kNone, sizes = kNone;  // of `outputs`
  bool extrapolated = false;                // by the last run
  for (uint32_t k : byProgram(model, graph)) {
    const KernelNode& node = graph.kernels[k];
    const Operation& operation = operationOf(model, node);
    results[k].node = k;
    if (operation.program == kNone) continue;
    if (operation.program != program || node.sizes != sizes) {
      program = operation.program;
      sizes = node.sizes;
      inputs.clear();
      for (int64_t size : graph.localSizes[sizes]) inputs.push_back(wordOf(size));
      outputs.resize(model.programs[program].outputs.size());
      if (auto fault = run(model.programs[program], inputs, outputs, scratch)) {
        error = {What::Kernel, k, *fault};
        return results;
      }
      extrapolated = scratch.extrapolated;
    }
    results[k] = resultOf(operation.kernels[node.kernel], outputs, names);
    results[k].node = k;
    results[k].extrapolated = extrapolated;
  }
  return results;
}

KernelResult priceOptimizer(const OptimizerModel& optimizer, double parameters,
                            const NameTable& names, Scratch& scratch,
                            std::optional<EvaluationError>& error) {
  KernelResult result;
  if (parameters > 0 && !optimizer.program.outputs.empty()) {
    // Shares of a parameter come from even division; what is left is rounding.
    const double whole = std::round(std::min(parameters, 0x1p62));
    const std::array<Word, 1> inputs = {wordOf(static_cast<int64_t>(whole))};
    std::vector<Word> outputs(optimizer.program.outputs.size());
    if (auto fault = run(optimizer.program, inputs, outputs, scratch)) {
      error = {What::Optimizer, kNone, *fault};
    } else {
      result = resultOf(optimizer.cost, outputs, names);
      result.extrapolated = scratch.extrapolated;
    }
  }
  result.node = kNone;
  return result;
}

std::optional<EvaluationError> CollectivePricer::runAlgorithms(uint32_t index, double bytes,
                                                               CollectivePrice& best) {
  const CollectiveNode& node = graph_.collectives[index];
  inputs_.assign(1, wordOf(bytes));
  for (int64_t ranks : node.group.ranksOnLevel) inputs_.push_back(wordOf(ranks));
  bool found = false;
  for (const CollectiveModel& model : machine_.collectives) {
    if (model.kind != node.kind) continue;
    for (const CollectiveModel::Algorithm& algorithm : model.algorithms) {
      std::array<Word, 3> outputs{};  // time, wire bytes, applies
      outputs[2] = wordOf(int64_t{1});
      if (auto fault = run(algorithm.program, inputs_, outputs, scratch_)) {
        return EvaluationError{What::Collective, index, *fault};
      }
      if (!outputs[2].integer) continue;
      if (found && outputs[0].real >= best.time) continue;
      found = true;
      best = {outputs[0].real, outputs[1].real, algorithm.name, scratch_.extrapolated};
    }
  }
  if (!found) return EvaluationError{What::NoAlgorithm, index, {}};
  return std::nullopt;
}

CollectivePrice CollectivePricer::price(uint32_t index, double bytes,
                                        std::optional<EvaluationError>& error) {
  const CollectiveNode& node = graph_.collectives[index];
  if (error || node.group.ranks <= 1) return {};
  for (const Known& known : known_) {
    const CollectiveNode& other = graph_.collectives[known.index];
    if (known.bytes == bytes && other.kind == node.kind &&
        other.group.ranksOnLevel == node.group.ranksOnLevel) {
      return known.price;
    }
  }
  CollectivePrice best;
  error = runAlgorithms(index, bytes, best);
  known_.push_back({index, bytes, best});
  return best;
}

CollectivePrice CollectivePricer::priceShare(uint32_t index, double bucketBytes,
                                             std::optional<EvaluationError>& error) {
  const double bytes = graph_.collectives[index].bytes;
  CollectivePrice share = price(index, bucketBytes, error);
  if (bucketBytes > 0 && bytes != bucketBytes) {
    share.time *= bytes / bucketBytes;
    share.wireBytes *= bytes / bucketBytes;
  }
  return share;
}

const Messages::Message* Messages::find(const CollectiveNode& node) const {
  for (const Message& message : messages_) {
    const CollectiveNode& other = graph_.collectives[message.index];
    if (node.bucket == other.bucket && node.kind == other.kind &&
        node.group.axes == other.group.axes &&
        node.group.ranksOnLevel == other.group.ranksOnLevel) {
      return &message;
    }
  }
  return nullptr;
}

void Messages::add(uint32_t index, double count) {
  const CollectiveNode& node = graph_.collectives[index];
  if (node.bucket == 0) return;
  if (const Message* message = find(node)) {
    messages_[message - messages_.data()].bytes += count * node.bytes;
  } else {
    messages_.push_back({index, count * node.bytes});
  }
}

double Messages::bytesWith(uint32_t index) const {
  const CollectiveNode& node = graph_.collectives[index];
  const Message* message = node.bucket == 0 ? nullptr : find(node);
  return message ? message->bytes : node.bytes;
}

std::vector<CollectivePrice> priceCollectives(const Graph& graph, CollectivePricer& pricer,
                                              std::optional<EvaluationError>& error) {
  std::vector<CollectivePrice> prices(graph.collectives.size());
  for (const auto* list : {&graph.boundary, &graph.boundaryBackward, &graph.tied}) {
    for (uint32_t index : *list) {
      prices[index] = pricer.price(index, graph.collectives[index].bytes, error);
    }
  }
  for (const PartGraph& part : graph.parts) {
    for (const auto* issues : {&part.forward, &part.recompute, &part.backward}) {
      Messages messages(graph);
      for (const Issue& issue : *issues) {
        if (issue.collective) messages.add(issue.index, 1);
      }
      for (const Issue& issue : *issues) {
        if (!issue.collective) continue;
        const double bytes = messages.bytesWith(issue.index);
        prices[issue.index] = pricer.priceShare(issue.index, bytes, error);
      }
    }
  }
  return prices;
}

}  // namespace sysdl
