// The family of orders that pipeline schedules use: warm up, alternate, drain.
//
// In step r, stage s does forward pass r - s, and then backward pass r - lag (where backward passes
// are staggered: r - lag - (stages - 1 - s)), as far as there are such passes. So a stage begins
// with forward passes only, `warmUp` of them, then has one forward and one backward pass in turn,
// and then the backward passes that are left. Data that a pass needs is made one step earlier, by
// the stage before it (forward) or after it (backward; in the same step if not staggered), also
// around the corner from the last stage to the next chunk on the first. GPipe, 1F1B and
// interleaved 1F1B differ in `lag` and `staggered` only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/graph/plan.h"

namespace sysdl::schedule {

/// Forward passes take `stages` micro-batches through chunk 0, the same ones through chunk 1, and so
/// on, then the next `stages` micro-batches; backward passes take the chunks from last to first.
struct Order {
  int64_t stages = 1, chunks = 1;
  int64_t passes = 0;  // forward passes of a stage in a step, and backward passes: m * chunks
  int64_t lag = 0;
  bool staggered = false;

  int64_t backwardDelay(int64_t stage) const { return lag + (staggered ? stages - 1 - stage : 0); }
  /// Forward passes before the first that a backward pass follows at once.
  int64_t warmUp(int64_t stage) const { return std::min(passes, backwardDelay(stage) - stage); }

  int64_t chunkOfForward(int64_t pass) const { return pass / stages % chunks; }
  int64_t chunkOfBackward(int64_t pass) const { return chunks - 1 - chunkOfForward(pass); }

  /// How many of the first `count` forward passes are of a chunk; of the backward passes, those of
  /// chunk `chunks - 1 - chunk`.
  int64_t ofChunk(int64_t count, int64_t chunk) const {
    const int64_t round = stages * chunks;
    const int64_t rest = count % round - chunk * stages;
    return count / round * stages + std::clamp<int64_t>(rest, 0, stages);
  }
};

/// So many micro-batches that sums of passes stay within 64 bits; more are treated as this many.
inline int64_t boundedMicrobatches(int64_t microbatches, int64_t stages, int64_t chunks) {
  return std::min(microbatches, INT64_MAX / 8 / (stages * chunks));
}

/// The order that a schedule takes. Interleaving needs a multiple of `stages` micro-batches, as in
/// Megatron-LM (the frontend checks it); any other number is rounded up to the next multiple.
Order orderOf(const Schedule& schedule, int64_t stages, int64_t microbatches);

}  // namespace sysdl::schedule
