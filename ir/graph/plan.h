// A plan as lowering sees it: device mesh, placement rules, pipeline, what is kept for backward; and
// the network's levels that the mesh lies on.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/formula/program.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

using MeshAxisId = uint32_t;

/// One axis of the device mesh; the mesh lists them innermost first (fastest network first).
struct MeshAxis {
  Name name;  // "tp"
  int64_t degree = 1;
  Span span;
};

/// `shard AXIS over M [where residual]`: a later rule for the same pair replaces an earlier one.
struct ShardRule {
  AxisId axis = kNone;
  std::vector<MeshAxisId> over;
  bool residualOnly = false;
  Span span;
};

enum class Stored : uint8_t { Weights, Gradients, OptimizerState };

/// `store WHAT over M`: storage divided over mesh axes (ZeRO-1, -2, -3).
struct StoreRule {
  Stored what = Stored::OptimizerState;
  std::vector<MeshAxisId> over;
  Span span;
};

enum class Recompute : uint8_t { None, Selective, Full };
enum class ScheduleKind : uint8_t {
  GPipe,
  OneForwardOneBackward,
  Interleaved,
  ZeroBubbleH1,
  ZeroBubbleV,
  DualPipe,
};

/// Whether backward passes for inputs and for weights are passes of their own.
constexpr bool splitsBackward(ScheduleKind kind) {
  return kind == ScheduleKind::ZeroBubbleH1 || kind == ScheduleKind::ZeroBubbleV ||
         kind == ScheduleKind::DualPipe;
}

/// The piece of the model, of as many as stages times chunks (DualPipe: as stages, each twice), that is
/// chunk `chunk` of a stage.
constexpr int64_t pieceOf(ScheduleKind kind, int64_t stages, int64_t stage, int64_t chunk) {
  if (chunk == 0) return stage;
  if (kind == ScheduleKind::ZeroBubbleV) return 2 * stages - 1 - stage;
  if (kind == ScheduleKind::DualPipe) return stages - 1 - stage;
  return chunk * stages + stage;
}

struct Schedule {
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  int64_t chunks = 1;  // model chunks a stage (virtual pipeline degree)
  /// Fraction of a point-to-point transfer in which its sender does nothing else: 1 as in
  /// Megatron-LM, 0 where sends run beside the passes that follow.
  double sendBlocking = 1;
  /// Stages step their optimizer without waiting for each other, and begin the next step in turn.
  bool postValidation = false;
};

/// One level of the network, inside out.
struct NetworkLevel {
  Name name;         // "node"
  int64_t size = 1;  // members of the next inner level that one group of this level joins
};

/// The optimizer's step on `parameters` (the program's one Int input) parameters of one device.
struct OptimizerModel {
  Program program;  // outputs by KernelCost
  KernelCost cost;
  double stateBytes = 0;     // optimizer state, bytes a parameter (master weights included)
  double gradientBytes = 0;  // main gradients, bytes a parameter
};

enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  PointToPoint,
};

std::string_view nameOf(CollectiveKind kind);  // "all_reduce"

/// How long a collective takes: its algorithms, of which the fastest is used (ties: the first).
/// A program's inputs: bytes (Real), then for each level inside out the ranks of the group on it
/// (Int). Outputs: time (s, Real), wire bytes that one rank sends (Real), and where it does not run
/// on every group, whether it does (Bool).
struct CollectiveModel {
  struct Algorithm {
    Name name;  // "ring_all_reduce"
    Program program;
  };
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::vector<Algorithm> algorithms;
};

struct Plan {
  std::vector<MeshAxis> mesh;  // the axes of all views, each once
  /// How the same devices are numbered for different parts of a model (dense layers, experts): the axes of
  /// each view, innermost first. Products of neighbouring degrees nest. None: one view of all axes.
  std::vector<std::vector<MeshAxisId>> views;
  std::vector<ShardRule> shards;
  std::vector<StoreRule> stores;
  MeshAxisId stages = kNone;  // the pipeline's mesh axis
  MeshAxisId data = kNone;    // the mesh axis that the batch lies on, for reports
  Schedule schedule;
  Recompute recompute = Recompute::None;
  /// Gradients of activations move, and dropped inputs are gathered again, beside the kernels that do
  /// not wait for them; otherwise each collective is waited for where it is issued.
  bool overlapBackward = false;
  /// Gradients are reduced behind the last micro-batch's backward passes, and updated weights gathered behind
  /// the next step's first forward passes.
  bool overlapGradients = false, overlapWeights = false;
  bool keepGathered = false;  // keep gathered inputs for backward instead of gathering again
  /// The embedding and the head count as a layer each where layers are divided over stages.
  bool endsAsLayers = false;
  std::vector<int64_t> stageLayers;  // layers of each piece of the model; none: equal pieces
  bool scatterGather = false;  // a replicated boundary tensor is sent in slices, then gathered
  int64_t microbatches = 1;    // per data-parallel rank and step
};

struct Machine {
  std::vector<NetworkLevel> levels;  // inside out
  std::vector<CollectiveModel> collectives;
  int64_t devices = 0;        // that the design takes; 0 where it does not say
  double memoryCapacity = 0;  // bytes a device
  /// Share of a device that a collective takes from the kernels beside it.
  double contention = 0;
  /// Seconds in which the host issues one kernel or collective; devices wait where it takes longer than
  /// what it issues.
  double kernelIssue = 0, collectiveIssue = 0;
  double rankIssue = 0;  // the same for each rank of a collective
};

}  // namespace sysdl
