// The family of orders that pipeline schedules use: warm up, alternate, drain.
//
// A stage does `warmUp` forward passes, then one forward and one backward in turn, then the backward
// passes that are left. GPipe, 1F1B and interleaved 1F1B differ in `warmUp` only. Forward passes
// take `stages` micro-batches through chunk 0, the same ones through chunk 1, and so on, then the
// next `stages` micro-batches; backward passes take the chunks from the last to the first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/graph/plan.h"

namespace sysdl::schedule {

struct Order {
  int64_t warmUp = 0;  // at most `passes`
  int64_t passes = 0;  // forward passes a step: micro-batches times chunks, as many backward
  int64_t stages = 1, chunks = 1;

  int64_t chunkOfForward(int64_t pass) const { return pass % (stages * chunks) / stages; }
  int64_t chunkOfBackward(int64_t pass) const { return chunks - 1 - chunkOfForward(pass); }

  /// How many of the first `count` forward passes are of a chunk; of the backward passes, those of
  /// chunk `chunks - 1 - chunk`.
  int64_t ofChunk(int64_t count, int64_t chunk) const {
    const int64_t round = stages * chunks;
    const int64_t rest = count % round - chunk * stages;
    return count / round * stages + std::clamp<int64_t>(rest, 0, stages);
  }
};

/// The order on one stage. Interleaving needs a multiple of `stages` micro-batches, as in
/// Megatron-LM (the frontend checks it); any other number is rounded up to the next multiple.
Order orderOf(const Schedule& schedule, int64_t stages, int64_t microbatches, int64_t stage);

}  // namespace sysdl::schedule
