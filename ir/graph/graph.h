// The graph of kernels and collectives of one training step, as seen by one device of each stage.
//
// Cost is independent of equal layers, micro-batches and devices: a part's nodes are listed once
// with the part, each stage chunk says how often it holds the part, and groups are geometry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/plan.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

enum class Phase : uint8_t { Forward, Recompute, Backward, Optimizer };

std::string_view nameOf(Phase phase);

/// The ranks of a communication group on each network level, inside out; their product is its size.
struct Group {
  std::vector<MeshAxisId> axes;  // the mesh axes that span it
  int64_t ranks = 1;
  std::vector<int64_t> ranksOnLevel;  // parallel to Machine::levels
  uint32_t outermost = 0;             // the outermost level with more than one rank
};

/// One kernel of an operation on one device, for one micro-batch.
struct KernelNode {
  uint32_t part = 0;
  uint32_t operation = 0;  // in the part
  uint32_t kernel = 0;     // in the operation's kernels
  Phase phase = Phase::Forward;
  uint32_t sizes = 0;  // index into Graph::localSizes
  double copies = 1;   // ranks that all do this same work
};

/// One collective of one device. Per micro-batch, but in Phase::Optimizer once a step.
struct CollectiveNode {
  Name name;  // the tensor moved: "attention.w_o"
  uint32_t part = 0;
  CollectiveKind kind = CollectiveKind::AllReduce;
  Phase phase = Phase::Forward;
  Group group;
  double bytes = 0;  // full vector of one rank: all-reduce and reduce-scatter input, gather output
  /// Runs beside kernels that do not wait for it (a re-gather in backward), so that only the part
  /// that they do not cover is exposed.
  bool overlappable = false;
  /// Collectives of one bucket are sent as one message (gradients in one buffer); 0 = alone.
  /// In Phase::Optimizer parts share buckets: a device sends what all its occurrences put there.
  uint32_t bucket = 0;
  std::string why;  // "Partial(tp) -> Sharded(seq over tp)": the placement change that it makes
};

/// Kernels and collectives in the order in which a device issues them.
struct Issue {
  bool collective = false;
  uint32_t index = 0;  // into Graph::kernels or Graph::collectives
  /// Of a kernel: the last overlappable collective (in Graph::collectives) whose result it reads.
  uint32_t waitsFor = kNone;
};

struct PartGraph {
  std::vector<Issue> forward, recompute, backward;  // one occurrence, one micro-batch
  std::vector<Issue> optimizer;  // gradient reductions, weight gathers of an occurrence, a step
  /// Bytes on one device for one micro-batch and one occurrence.
  double keptBytes = 0;  // activations kept from forward to backward
  /// Of a split backward, what the pass for weights still needs after the one for inputs.
  double waitingBytes = 0;
  /// Values alive while its own backward runs, beyond the kept ones: what recompute made again, and
  /// weights that are stored in shards but used whole.
  double transientBytes = 0;
  /// Bytes on one device for one occurrence.
  double parameters = 0;  // number held for computing; a tied one counts in its stage's first part
  double weightBytes = 0, gradientBytes = 0, optimizerBytes = 0;
  double optimizedParameters = 0;  // number that this device's optimizer steps
  /// Over the whole model (all ranks), one occurrence; a tied one counts in the model's first part.
  double globalParameters = 0;
};

/// One model chunk of one stage: how many occurrences of each part (parallel to Model::parts).
struct Chunk {
  std::vector<int64_t> count;
};

/// Stages with equal chunks share a class, so that cost follows the number of classes.
struct StageClass {
  std::vector<Chunk> chunks;
  int64_t first = 0;  // the first stage of the class
  int64_t stages = 1;
};

struct Graph {
  std::vector<KernelNode> kernels;
  std::vector<std::vector<int64_t>> localSizes;
  std::vector<CollectiveNode> collectives;
  std::vector<PartGraph> parts;    // parallel to Model::parts
  std::vector<StageClass> stages;  // in stage order, covering 0..pp-1 without a gap
  std::vector<uint32_t> boundary;  // collectives at a stage border, one micro-batch, forward
  std::vector<uint32_t> boundaryBackward;
  std::vector<uint32_t> tied;  // once a step: gradient all-reduce of tied parameters
  int64_t devices = 1;
  int64_t dataRanks = 1;  // ranks that hold different sequences
};

}  // namespace sysdl
