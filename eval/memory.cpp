// Memory: sums over parts, and a walk along the order of passes for what is in flight.
#include "eval/memory.h"

#include <algorithm>

#include "eval/schedule/schedule.h"
#include "eval/schedule/split.h"

namespace sysdl {
namespace {

/// What one chunk keeps from forward to backward for a micro-batch, and what its backward pass adds.
struct ChunkMemory {
  double kept = 0;
  double waiting = 0;  // of a split backward, between its two passes
  /// At the worst moment of a backward pass: kept bytes freed by then, and workspace.
  double freed = 0, workspace = 0;
};

ChunkMemory memoryOfChunk(const Graph& graph, const Chunk& chunk) {
  ChunkMemory memory;
  double freed = 0;
  double worst = 0;
  for (size_t part = chunk.count.size(); part-- > 0;) {
    if (chunk.count[part] <= 0) continue;
    const PartGraph& held = graph.parts[part];
    // Of a part's occurrences, the first in backward comes when least is freed.
    if (held.transientBytes - freed > worst) {
      worst = held.transientBytes - freed;
      memory.freed = freed;
      memory.workspace = held.transientBytes;
    }
    freed += static_cast<double>(chunk.count[part]) * held.keptBytes;
    memory.waiting += static_cast<double>(chunk.count[part]) * held.waitingBytes;
  }
  memory.kept = freed;
  return memory;
}

/// Bytes in flight just as backward pass `done` begins, and the workspace of its worst moment.
struct Moment {
  double activations = 0, workspace = 0;
};

Moment momentOf(const schedule::Order& order, int64_t warmUp,
                const std::vector<ChunkMemory>& chunks, int64_t done) {
  const int64_t forward = std::min(warmUp + 1 + done, order.passes);
  Moment moment;
  for (int64_t chunk = 0; chunk < order.chunks; ++chunk) {
    const int64_t inFlight =
        order.ofChunk(forward, chunk) - order.ofChunk(done, order.chunks - 1 - chunk);
    moment.activations += static_cast<double>(inFlight) * chunks[chunk].kept;
  }
  const ChunkMemory& running = chunks[order.chunkOfBackward(done)];
  moment.activations -= running.freed;
  moment.workspace = running.workspace;
  return moment;
}

/// The fullest moment. A round later no chunk has more in flight, so the first round of backward
/// passes has it; between passes where the chunk changes, forward or backward, bytes change
/// evenly, so only the passes around these are looked at.
Moment fullestMoment(const schedule::Order& order, int64_t stage,
                     const std::vector<ChunkMemory>& chunks) {
  const int64_t warmUp = order.warmUp(stage);
  Moment fullest = momentOf(order, warmUp, chunks, 0);
  auto look = [&](int64_t done) {
    if (done < 0 || done >= std::min(order.stages * order.chunks, order.passes)) return;
    const Moment moment = momentOf(order, warmUp, chunks, done);
    if (moment.activations + moment.workspace > fullest.activations + fullest.workspace) {
      fullest = moment;
    }
  };
  if (order.chunks == 1) return fullest;
  const int64_t untilNext = order.stages - (warmUp + 1) % order.stages;  // forward's chunk
  for (int64_t block = 0; block < order.chunks; ++block) {
    const int64_t first = block * order.stages;
    for (int64_t done :
         {first, first + order.stages - 1, first + untilNext - 1, first + untilNext}) {
      look(done);
    }
  }
  look(order.passes - warmUp - 1);
  look(order.passes - warmUp);
  return fullest;
}

/// Where backward passes are split, the inputs of products and the gradients of their outputs stay until the
/// passes for weights have run.
Moment splitMoment(const std::vector<ChunkMemory>& chunks, const Plan& plan, int64_t stages,
                   int64_t stage) {
  std::vector<double> kept, waiting;
  for (const ChunkMemory& chunk : chunks) {
    kept.push_back(chunk.kept);
    waiting.push_back(chunk.waiting);
  }
  const schedule::InFlight inFlight =
      schedule::mostInFlight(plan.schedule.kind, stages, stage, plan.microbatches, kept, waiting);
  Moment moment;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    moment.activations += static_cast<double>(inFlight.whole[chunk]) * kept[chunk] +
                          static_cast<double>(inFlight.waiting[chunk]) * waiting[chunk];
    moment.workspace = std::max(moment.workspace, chunks[chunk].workspace);
  }
  return moment;
}

}  // namespace

StepMemory memoryOfStage(const Graph& graph, const Plan& plan, const StageClass& stageClass,
                         int64_t stages, int64_t stage) {
  StepMemory memory;
  memory.peakStage = stage;
  std::vector<ChunkMemory> chunks;
  for (const Chunk& chunk : stageClass.chunks) {
    chunks.push_back(memoryOfChunk(graph, chunk));
    for (size_t part = 0; part < chunk.count.size(); ++part) {
      const auto count = static_cast<double>(chunk.count[part]);
      memory.weights += count * graph.parts[part].weightBytes;
      memory.gradients += count * graph.parts[part].gradientBytes;
      memory.optimizer += count * graph.parts[part].optimizerBytes;
    }
  }
  Moment fullest;
  if (splitsBackward(plan.schedule.kind)) {
    fullest = splitMoment(chunks, plan, stages, stage);
  } else {
    const schedule::Order order = schedule::orderOf(plan.schedule, stages, plan.microbatches);
    fullest = fullestMoment(order, stage, chunks);
  }
  memory.activations = fullest.activations;
  memory.workspace = fullest.workspace;
  memory.peak =
      memory.weights + memory.gradients + memory.optimizer + memory.activations + memory.workspace;
  return memory;
}

StepMemory memoryOf(const Graph& graph, const Plan& plan, int64_t stages) {
  StepMemory most;
  for (const StageClass& stageClass : graph.stages) {
    StepMemory memory = memoryOfStage(graph, plan, stageClass, stages, stageClass.first);
    if (stageClass.first == 0 || memory.peak > most.peak) most = memory;
  }
  return most;
}

}  // namespace sysdl
