// A small model made by hand for tests and benchmarks of eval/: embedding, equal layers, head, with
// kernels and collectives whose prices are simple numbers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "eval/evaluate.h"

namespace sysdl::fixture {

/// Writes programs of a few instructions.
class ProgramWriter {
public:
  explicit ProgramWriter(std::vector<Number> inputs) {
    program_.inputCount = static_cast<uint32_t>(inputs.size());
    program_.inputTypes = std::move(inputs);
  }
  uint32_t constant(double value) {
    program_.constants.push_back(wordOf(value));
    return program_.inputCount + static_cast<uint32_t>(program_.constants.size()) - 1;
  }
  /// All constants come before the first instruction.
  uint32_t add(Opcode op, uint32_t a, uint32_t b = 0) {
    const uint32_t result = program_.registerCount();
    program_.code.push_back({op, result, a, b, 0});
    program_.spans.push_back({Loc{1}, Loc{2}});
    return result;
  }
  void output(uint32_t value) {
    program_.outputs.push_back(value);
    program_.outputTypes.push_back(Number::Real);
  }
  Program take() { return std::move(program_); }

private:
  Program program_;
};

/// A kernel's numbers for a size of 1; all grow with the size.
struct KernelNumbers {
  double work = 0, matrixWork = 0, traffic = 0, time = 0, computeTime = 0, memoryTime = 0;
};

inline Program kernelProgram(const std::vector<KernelNumbers>& kernels) {
  ProgramWriter writer({Number::Int});
  std::vector<uint32_t> constants;
  for (const KernelNumbers& k : kernels) {
    for (double value : {k.work, k.matrixWork, k.traffic, k.time, k.computeTime, k.memoryTime}) {
      constants.push_back(writer.constant(value));
    }
  }
  const uint32_t size = writer.add(Opcode::IntToReal, 0);
  for (uint32_t constant : constants) {
    writer.output(writer.add(Opcode::MultiplyF, constant, size));
  }
  return writer.take();
}

/// time = latency + bytes / bandwidth; wire bytes = bytes.
inline Program collectiveProgram(size_t levels, double latency, double bandwidth) {
  std::vector<Number> inputs(levels + 1, Number::Int);
  inputs[0] = Number::Real;
  ProgramWriter writer(inputs);
  const uint32_t fixed = writer.constant(latency);
  const uint32_t rate = writer.constant(bandwidth);
  writer.output(writer.add(Opcode::AddF, fixed, writer.add(Opcode::DivideF, 0, rate)));
  writer.output(0);
  return writer.take();
}

inline KernelCost costAt(uint32_t kernel, bool backward, Name engine, Name level) {
  KernelCost cost;
  cost.backward = backward;
  cost.work = 6 * kernel;
  cost.matrixWork = 6 * kernel + 1;
  cost.traffic = 6 * kernel + 2;
  cost.time = 6 * kernel + 3;
  cost.computeTime = 6 * kernel + 4;
  cost.levels = {{level, 6 * kernel + 2, 6 * kernel + 5}};
  cost.engine = engine;
  return cost;
}

struct Options {
  int64_t stages = 1, chunks = 1, microbatches = 1, layers = 8;
  int64_t tp = 2, dp = 4;
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  bool recompute = false;
  double forward = 1, backward = 2;  // s, kernels of a layer; matrix FLOP are 10 times as many
  double ends = 0;                   // s, of embedding and head, forward; twice that backward
  double layerBytes = 0;             // all-reduced over tp, forward and backward, 1 byte/s
  double gatherBytes = 0;            // gathered beside backward kernels
  double borderBytes = 0, gradientBytes = 0, weightBytes = 0;
  bool bucket = true;  // of gradients
  bool tied = false;   // embedding and head
  int operations = 1;  // of a layer; times are divided among them
};

/// Mesh axes of the fixture.
inline constexpr MeshAxisId kTp = 0, kDp = 1, kPp = 2;

struct Case {
  NameTable names;
  Model model;
  Plan plan;
  Machine machine;
  OptimizerModel optimizer;
  Graph graph;
  Scratch scratch;

  Evaluation evaluate() {
    return sysdl::evaluate(model, plan, machine, optimizer, graph, names, scratch);
  }
  /// The results; a test fails by std::bad_variant_access where there is an error instead.
  StepResults results() { return std::get<StepResults>(evaluate()); }
};

/// Builds a case. Latency of every collective is 0.125 s plus a second a byte.
class CaseBuilder {
public:
  CaseBuilder(const Options& options, Case& made) : options_(options), made_(made) {}

  void build() {
    engine_ = made_.names.intern("tensor");
    level_ = made_.names.intern("hbm");
    addMachine();
    addPlan();
    made_.graph.localSizes = {{1}};
    addPart(options_.ends, 2 * options_.ends, 1, 0);
    for (int o = 0; o < options_.operations; ++o) {
      addPart(options_.forward / options_.operations, options_.backward / options_.operations,
              options_.layers, o);
    }
    addPart(options_.ends, 2 * options_.ends, 1, 0);
    addBorders();
    addStages();
    made_.graph.devices = options_.tp * options_.dp * options_.stages;
  }

private:
  void addMachine() {
    made_.machine.levels = {{made_.names.intern("node"), 8}, {made_.names.intern("rail"), 64}};
    for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                CollectiveKind::ReduceScatter, CollectiveKind::PointToPoint}) {
      made_.machine.collectives.push_back(
          {kind, {{made_.names.intern("ring"), collectiveProgram(2, 0.125, 1)}}});
    }
    made_.optimizer.program = kernelProgram({{1, 0, 14, 0.001, 0, 0.001}});
    made_.optimizer.cost = costAt(0, false, engine_, level_);
  }

  void addPlan() {
    Plan& plan = made_.plan;
    plan.mesh = {{made_.names.intern("tp"), options_.tp, {}},
                 {made_.names.intern("dp"), options_.dp, {}},
                 {made_.names.intern("pp"), options_.stages, {}}};
    plan.stages = kPp;
    plan.data = kDp;
    plan.schedule.kind = options_.schedule;
    plan.schedule.chunks = options_.chunks;
    plan.microbatches = options_.microbatches;
  }

  Group groupOf(MeshAxisId axis, int64_t ranks) const {
    Group group;
    group.axes = {axis};
    group.ranks = ranks;
    group.ranksOnLevel =
        axis == kTp ? std::vector<int64_t>{ranks, 1} : std::vector<int64_t>{1, ranks};
    return group;
  }

  uint32_t addCollective(CollectiveKind kind, Phase phase, Group group, double bytes) {
    CollectiveNode node;
    node.part = static_cast<uint32_t>(made_.model.parts.size()) - 1;
    node.kind = kind;
    node.phase = phase;
    node.group = std::move(group);
    node.bytes = bytes;
    made_.graph.collectives.push_back(std::move(node));
    return static_cast<uint32_t>(made_.graph.collectives.size()) - 1;
  }

  void addKernel(std::vector<Issue>& issues, Phase phase, uint32_t kernel) {
    KernelNode node;
    node.part = static_cast<uint32_t>(made_.model.parts.size()) - 1;
    node.kernel = kernel;
    node.phase = phase;
    issues.push_back({false, static_cast<uint32_t>(made_.graph.kernels.size())});
    made_.graph.kernels.push_back(node);
  }

  void addPart(double forward, double backward, int64_t repeat, int number) {
    Part part;
    part.name = made_.names.intern("part" + std::to_string(made_.model.parts.size()));
    part.repeat = repeat;
    Operation operation;
    operation.name = made_.names.intern("operation" + std::to_string(number));
    operation.program = static_cast<uint32_t>(made_.model.programs.size());
    operation.kernels = {costAt(0, false, engine_, level_), costAt(1, true, engine_, level_)};
    made_.model.programs.push_back(
        kernelProgram({{20 * forward, 10 * forward, forward, forward, forward, 0},
                       {20 * backward, 10 * backward, backward, backward, 0, backward}}));
    part.operations.push_back(operation);
    if (options_.tied && repeat == 1) {
      Tensor tied;
      tied.parameter = true;
      tied.tiedTo = made_.names.intern("word");
      part.tensors.push_back(tied);
    }
    made_.model.parts.push_back(part);
    addPartGraph(repeat);
  }

  void addPartGraph(int64_t repeat) {
    PartGraph graph;
    const Group tp = groupOf(kTp, options_.tp);
    addKernel(graph.forward, Phase::Forward, 0);
    if (options_.layerBytes > 0 && repeat > 1) {
      graph.forward.push_back({true, addCollective(CollectiveKind::AllReduce, Phase::Forward, tp,
                                                   options_.layerBytes)});
    }
    if (options_.recompute && repeat > 1) addKernel(graph.recompute, Phase::Recompute, 0);
    if (options_.gatherBytes > 0 && repeat > 1) {
      const uint32_t gather =
          addCollective(CollectiveKind::AllGather, Phase::Backward, tp, options_.gatherBytes);
      made_.graph.collectives[gather].overlappable = true;
      graph.backward.push_back({true, gather});
    }
    addKernel(graph.backward, Phase::Backward, 1);
    if (options_.layerBytes > 0 && repeat > 1) {
      graph.backward.push_back({true, addCollective(CollectiveKind::AllReduce, Phase::Backward, tp,
                                                    options_.layerBytes)});
    }
    addStorage(graph);
    made_.graph.parts.push_back(graph);
  }

  void addStorage(PartGraph& graph) {
    const Group dp = groupOf(kDp, options_.dp);
    if (options_.gradientBytes > 0) {
      const uint32_t reduce = addCollective(CollectiveKind::ReduceScatter, Phase::Optimizer, dp,
                                            options_.gradientBytes);
      if (options_.bucket) made_.graph.collectives[reduce].bucket = 1;
      graph.optimizer.push_back({true, reduce});
    }
    if (options_.weightBytes > 0) {
      const uint32_t gather =
          addCollective(CollectiveKind::AllGather, Phase::Optimizer, dp, options_.weightBytes);
      if (options_.bucket) made_.graph.collectives[gather].bucket = 2;
      graph.optimizer.push_back({true, gather});
    }
    graph.keptBytes = 8;
    graph.transientBytes = 3;
    graph.parameters = 100;
    graph.weightBytes = 200;
    graph.gradientBytes = 400;
    graph.optimizedParameters = 25;
    graph.optimizerBytes = 300;
    graph.globalParameters = 200;
  }

  void addBorders() {
    if (options_.borderBytes > 0 && options_.stages > 1) {
      const Group pair = groupOf(kPp, 2);
      made_.graph.boundary = {
          addCollective(CollectiveKind::PointToPoint, Phase::Forward, pair, options_.borderBytes)};
      made_.graph.boundaryBackward = {
          addCollective(CollectiveKind::PointToPoint, Phase::Backward, pair, options_.borderBytes)};
    }
    if (options_.tied && options_.stages > 1) {
      made_.graph.tied = {
          addCollective(CollectiveKind::AllReduce, Phase::Optimizer, groupOf(kPp, 2), 5)};
    }
  }

  void addStages() {
    const int64_t pieces = options_.stages * options_.chunks;
    for (int64_t stage = 0; stage < options_.stages; ++stage) {
      StageClass held;
      held.first = stage;
      for (int64_t chunk = 0; chunk < options_.chunks; ++chunk) {
        const int64_t piece = chunk * options_.stages + stage;
        Chunk counts;
        counts.count.assign(made_.model.parts.size(), options_.layers / pieces);
        counts.count.front() = piece == 0 ? 1 : 0;
        counts.count.back() = piece == pieces - 1 ? 1 : 0;
        held.chunks.push_back(counts);
      }
      auto& stages = made_.graph.stages;
      auto same = [](const Chunk& a, const Chunk& b) { return a.count == b.count; };
      if (!stages.empty() &&
          std::equal(held.chunks.begin(), held.chunks.end(), stages.back().chunks.begin(), same)) {
        ++stages.back().stages;
      } else {
        stages.push_back(held);
      }
    }
  }

  const Options& options_;
  Case& made_;
  Name engine_, level_;
};

inline void build(const Options& options, Case& made) { CaseBuilder(options, made).build(); }

}  // namespace sysdl::fixture
