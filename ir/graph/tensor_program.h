// A model as a program over named axes: what the frontend makes of blocks, before any placement.
//
// A model is a list of parts (embedding, a repeated layer, head); a part is a list of operations
// over tensors. Sizes are global: an axis has one size everywhere, the batch axis counts the
// sequences of one micro-batch on all data-parallel ranks together. Nothing here knows of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/formula/program.h"
#include "ir/support/name.h"
#include "ir/support/source_map.h"

namespace sysdl {

using AxisId = uint32_t;
using TensorId = uint32_t;  // within its part
inline constexpr uint32_t kNone = UINT32_MAX;

struct Axis {
  Name name;
  int64_t size = 1;
  /// The axis whose groups this one's indices fall in (`heads` lie in `kv_heads`), or kNone.
  AxisId groupedBy = kNone;
  Span span;  // where the size comes from
  /// Of `size`, what is no padding: only that counts as parameters of the model. 0: all of it.
  int64_t unpadded = 0;
};

struct Tensor {
  Name name;
  std::vector<AxisId> axes;
  double elementBytes = 0;          // as an activation or a weight
  double gradientElementBytes = 0;  // of its gradient, as communicated
  bool parameter = false;
  bool residual = false;  // a part's input or output, or a sum of such
  /// Tied parameters of different parts share a name here (the embedding and the head); else absent.
  Name tiedTo;
  Span span;
};

enum class OperationKind : uint8_t {
  Contract,  // activation @ weight: linear; inputs = {x, w}
  Add,       // sum of inputs of the same axes: linear
  Apply,     // an operator's call
};

/// A memory level that a kernel uses: indices into the outputs of its program.
struct LevelCost {
  Name level;          // "hbm", "l2"
  uint32_t bytes = 0;  // that cross it (Real)
  uint32_t time = 0;   // the level's part of the roofline, seconds (Real)
};

/// What one kernel of an operation costs: indices into the outputs of the operation's program.
struct KernelCost {
  Name name;  // "qk", "softmax"; absent where the operation has one kernel in this phase
  bool backward = false;
  /// Nothing waits for its result before the optimizer (a weight's gradient): it may run while a
  /// gradient that others wait for is on the network.
  bool deferrable = false;
  uint32_t work = 0;         // FLOP (Real)
  uint32_t matrixWork = 0;   // FLOP on the tensor engine, as papers count model FLOPs (Real)
  uint32_t traffic = 0;      // bytes moved to and from HBM (Real)
  uint32_t time = 0;         // seconds on one device (Real)
  uint32_t computeTime = 0;  // the engine's part of the roofline (Real)
  std::vector<LevelCost> levels;
  Name engine;              // "tensor", "vector"
  uint32_t source = kNone;  // what the frontend knows it by, for explanations
};

/// A tensor or an internal buffer that backward needs.
struct SavedBuffer {
  Name name;
  uint32_t bytes = 0;  // index into the program's outputs (Real)
};

/// Elements along one axis are those of others, regrouped: slots of experts hold tokens of batch and seq. It
/// lies as they do, together.
struct Fold {
  AxisId whole = kNone;
  std::vector<AxisId> parts;
};

/// An input of which every rank needs all along an axis (keys and values along seq).
struct WholeAlong {
  TensorId tensor = kNone;
  AxisId axis = kNone;
};

struct Operation {
  Name name;  // "attention.w_q", "norm_1": unique within the part
  OperationKind kind = OperationKind::Apply;
  std::vector<TensorId> inputs;
  TensorId output = kNone;
  /// Linear in each activation, so that Partial values pass through: forward where it has one
  /// activation and no parameter (or is a Contract), backward always. A bias is linear so.
  bool linear = false;
  /// Axes over whose whole extent the operation computes a statistic (a norm's hidden axis, a
  /// vocabulary's softmax). Sharded, each rank's `statistics` fp32 values a row are all-reduced;
  /// where `statistics` is 0 the axis must be whole and is gathered first.
  std::vector<AxisId> reduces;
  double statistics = 0;
  double backwardStatistics = 0;
  Fold fold;                             // none where its `whole` is kNone
  std::vector<WholeAlong> whole;         // gathered before it, their gradients scattered after
  std::vector<TensorId> saves;           // inputs or the output, kept for backward
  std::vector<SavedBuffer> buffers;      // internal values kept for backward
  bool recomputedWhenSelective = false;  // its forward runs again, and its buffers are not kept
  /// Local sizes that the program takes as inputs (all Int), in order.
  std::vector<AxisId> sizes;
  /// Index into Model::programs; kNone where the operation costs nothing (an Add fused elsewhere).
  uint32_t program = kNone;
  std::vector<KernelCost> kernels;
  Span span;
};

struct Part {
  Name name;
  int64_t repeat = 1;  // occurrences in the whole model
  bool layer = false;  // counts as a layer though it occurs once
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;  // in dependency order
  TensorId input = kNone;             // kNone for the first part
  TensorId output = kNone;            // kNone for the last part (a loss)
  Span span;
};

/// Occurrences of a part that follow one another.
struct PartRun {
  uint32_t part = 0;
  int64_t count = 1;
};

struct Model {
  std::vector<Axis> axes;
  std::vector<Part> parts;
  /// The order in which parts occur; empty: each once, with all its occurrences.
  std::vector<PartRun> runs;
  std::vector<Program> programs;
  AxisId batch = kNone;
};

/// Layers are what pipelines divide and full recompute runs again; other parts (an embedding, a head) are not.
inline bool isLayer(const Part& part) { return part.layer || part.repeat > 1; }

inline std::vector<PartRun> runsOf(const Model& model) {
  if (!model.runs.empty()) return model.runs;
  std::vector<PartRun> runs;
  for (uint32_t part = 0; part < model.parts.size(); ++part) {
    runs.push_back({part, model.parts[part].repeat});
  }
  return runs;
}

}  // namespace sysdl
