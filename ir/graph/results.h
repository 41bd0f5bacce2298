// What evaluation finds: primitive results in SI base units. Formulas in std derive all others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "llvm/ADT/SmallVector.h"

namespace sysdl {

/// What one occurrence of a kernel moves through a memory level.
struct LevelResult {
  Name level;
  double bytes = 0, time = 0;  // s, the level's part of the roofline
};

struct KernelResult {
  uint32_t node = 0;  // into Graph::kernels; kNone for the optimizer's step
  double count = 0;   // occurrences a step on a device of the busiest stage
  double work = 0, matrixWork = 0, traffic = 0, time = 0;  // of one occurrence
  double computeTime = 0;                                  // the engine's part of the roofline
  llvm::SmallVector<LevelResult, 4> levels;
  std::string engine;  // "tensor"; empty where nothing was priced
  std::string bound;   // "tensor", "vector", a level as "hbm", or "launch"
  /// How many times as long as the next longest of engine and levels the binding one takes; of
  /// "launch", what is on top of the roofline over the roofline. 0: there is nothing next.
  double margin = 0;
  bool extrapolated = false;  // a curve was read outside the range in which it is known
};

struct CollectiveResult {
  uint32_t node = 0;  // into Graph::collectives
  double count = 0;
  double bytes = 0, wireBytes = 0, time = 0, exposed = 0;  // of one occurrence
  Name algorithm;
  bool extrapolated = false;
};

struct MeshAxisTime {
  MeshAxisId axis = 0;
  double exposed = 0;  // seconds a step on the critical path
};

/// Times are of the critical path (the busiest stage and the bubble around it); they sum to step.
struct StepTime {
  double step = 0;
  double forward = 0, backward = 0, recompute = 0;  // kernels
  double bubble = 0, optimizer = 0;
  double host = 0;                    // waiting for the host to issue kernels
  std::vector<MeshAxisTime> exposed;  // each mesh axis, in mesh order
  int64_t busiestStage = 0;           // whose times these are
  /// False where the pipeline found no period within bounds (thousands of stages, or ones that
  /// differ in many tiny ways), so that the bubble is an estimate.
  bool exact = true;
};

/// Bytes on one device of the stage that peaks.
struct StepMemory {
  double peak = 0;
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, workspace = 0;
  int64_t peakStage = 0;
};

struct StepResults {
  StepTime time;
  StepMemory memory;
  double modelFlops = 0;     // matrix FLOP a step, all devices, forward and backward
  double hardwareFlops = 0;  // with recompute, and what several ranks all do
  double parameters = 0;     // of the model, tied ones once
  double hbmBytes = 0;       // moved a step, all devices
  double wireBytes = 0;      // sent a step, all devices
  std::vector<KernelResult> kernels;
  KernelResult optimizer;  // the optimizer's step on the busiest stage; node is kNone
  std::vector<CollectiveResult> collectives;
};

}  // namespace sysdl
