// What the steps of lowering share: inputs, layout, the graph that grows, and each part placed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/lower/placement.h"
#include "ir/graph/graph.h"
#include "ir/support/diagnostic.h"

namespace sysdl::lowering {

/// A tensor in one placement. Version 0 is what its producer made; each other one was moved from
/// an earlier one, once for each target.
struct Version {
  Placement placement;
  uint32_t source = 0;    // the version that it was made from
  bool gathered = false;  // larger than its source
};

struct PlacedTensor {
  std::vector<Version> versions;
  uint32_t resolved = 0;  // the version without Partial from which others are made
  bool external = false;  // data from outside the model (tokens): at hand everywhere, no gradient
};

/// A version that an operation has to wait for.
struct Move {
  TensorId tensor = 0;
  uint32_t version = 0;
};

struct PlacedOperation {
  std::vector<FactorSet> sharding;  // by AxisId: how the work is divided
  FactorSet used = 0;               // all factors of `sharding`
  FactorSet passed = 0;             // factors over which Partial inputs pass through
  std::vector<uint32_t> versions;   // of each input (0 for parameters)
  std::vector<Move> moves;          // made just before the operation
  uint32_t sizes = 0;               // index into Graph::localSizes
};

/// A parameter: how each rank holds it, and over which factors its gradient is a sum.
struct PlacedParameter {
  TensorId tensor = 0;
  Placement held;
  FactorSet gradientPartial = 0;
  double elements = 0;  // that one rank holds for computing
  bool tied = false;    // an earlier part has it under the same tied name
  bool shared = false;  // ... and the same stage holds both, so they are one
};

struct PlacedPart {
  uint32_t id = 0;                          // of the part in the model
  std::vector<PlacedTensor> tensors;        // parallel to Part::tensors
  std::vector<PlacedOperation> operations;  // parallel to Part::operations
  std::vector<Move> movesAtEnd;             // the output to the border's placement
  std::vector<PlacedParameter> parameters;  // in tensor order
  std::optional<Placement> border;          // of the output, where there is one
};

struct Context {
  const Model& model;
  const Plan& plan;
  const Machine& machine;
  const OptimizerModel& optimizer;
  const NameTable& names;
  Diagnostics& diagnostics;
  Mesh mesh;
  Rules rules;
  Graph graph;
  FactorSet placed = 0;  // factors that place something
  FactorSet data = 0;    // factors that the batch lies on
  /// Divisions that were reported already.
  std::vector<std::pair<AxisId, FactorSet>> reported;
  /// Buckets by what they carry: kind, group, phase, part (kNone where parts share one).
  std::map<std::tuple<CollectiveKind, FactorSet, Phase, uint32_t>, uint32_t> buckets;

  const Part& part(const PlacedPart& placedPart) const { return model.parts[placedPart.id]; }
  double elements(const Tensor& tensor, const Placement& placement) const {
    return localElements(model, mesh, tensor, placement);
  }
};

/// The local size of an axis on some factors; reports E0516 once where it does not divide.
int64_t localSize(Context& context, AxisId axis, FactorSet factors);

/// The placement that rules give a tensor by itself: where parts meet, and where data comes in.
Placement placementByRules(Context& context, const Tensor& tensor);

/// How an operation that is divided by `sharding` (by AxisId) takes an input.
Placement placementOfInput(const Part& part, const Operation& operation, TensorId id,
                           const std::vector<FactorSet>& sharding);

/// Decides how each operation of a part is divided and which moves its inputs need.
PlacedPart placePart(Context& context, uint32_t part);

/// Issues a part's forward pass, and again what recompute repeats. Weights stored in shards are
/// gathered first.
void emitForward(Context& context, const PlacedPart& placed);
void emitRecompute(Context& context, const PlacedPart& placed);

/// Derives a part's backward pass operation by operation, and finds over which factors each
/// parameter's gradient is Partial.
void emitBackward(Context& context, PlacedPart& placed);

/// True where a part keeps its input only and runs forward again: full recompute, repeated parts.
bool recomputesWhole(const Context& context, const Part& part);
/// What a device keeps for backward (activations), by recompute mode.
void addActivations(Context& context, const PlacedPart& placed);

/// Weights, gradients and optimizer state of a device, and the collectives that reduce gradients
/// and gather updated weights. Needs backward (which gradients are Partial) and ties.
void addStorage(Context& context, const PlacedPart& placed);
/// Gathers the weights of a part that are stored in shards, before their use in `phase`.
void emitWeightGathers(Context& context, const PlacedPart& placed, Phase phase,
                       std::vector<Issue>& issues);

/// Cuts the parts into stages and chunks (Graph::stages); reports E0515.
void cutStages(Context& context);
/// The sends at stage borders (Graph::boundary, boundaryBackward).
void emitBorders(Context& context, const std::vector<PlacedPart>& placed);
/// Marks parameters that an earlier part has under the same tied name, and reduces their gradients
/// where they lie on different stages (Graph::tied). Needs the stages.
void shareTied(Context& context, std::vector<PlacedPart>& placed);

/// Appends a collective and its issue. `bytes` is as in CollectiveNode.
CollectiveNode& emitCollective(Context& context, std::vector<Issue>& issues, CollectiveNode node,
                               FactorSet group);
/// Appends the collectives from one placement of a tensor to another.
struct MoveStyle {
  Phase phase = Phase::Forward;
  double elementBytes = 0;
  bool overlappable = false;
  bool gathersOnly = false;
  std::string_view remark;  // appended to why
};
void emitSteps(Context& context, uint32_t part, const Tensor& tensor, const Placement& from,
               const Placement& to, const MoveStyle& style, std::vector<Issue>& issues);
/// Appends an operation's kernels of one direction.
void emitKernels(Context& context, const PlacedPart& placed, uint32_t operation, Phase phase,
                 std::vector<Issue>& issues);
/// Appends the all-reduce of an operation's statistics, where the axis that they span is sharded.
void emitStatistics(Context& context, const PlacedPart& placed, uint32_t operation, Phase phase,
                    std::vector<Issue>& issues);
/// The bucket (from 1) of collectives with one kind, group, phase and part.
uint32_t bucketOf(Context& context, CollectiveKind kind, FactorSet group, Phase phase,
                  uint32_t part);

}  // namespace sysdl::lowering
