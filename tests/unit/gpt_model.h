// A GPT as a tensor program built in C++, with Megatron's plan, for tests of what comes after it.
//
// The layer is that of Korthikanti et al. 2022 (arXiv:2205.05198), section 3: biases, dropout with
// one-byte masks, GeLU, unfused attention that keeps 5 bytes for each score.
#pragma once

#include <optional>
#include <string_view>

#include "ir/graph/graph.h"
#include "ir/support/diagnostic.h"
#include "ir/support/name.h"

namespace sysdl::test {

struct GptSizes {
  int64_t batch = 4;  // sequences of a micro-batch, on all data-parallel ranks together
  int64_t seq = 64;
  int64_t hidden = 128;
  int64_t heads = 8;
  int64_t kvHeads = 0;  // 0: as many as heads
  int64_t vocab = 512;
  int64_t layers = 4;
  bool tied = true;       // the head's weight is the embedding's
  bool positions = true;  // a learned table of positions
};

struct GptPlan {
  int64_t tp = 1, dp = 1, pp = 1;
  bool sp = false;
  int64_t chunks = 1;
  int zero = 0;
  Recompute recompute = Recompute::None;
};

/// Everything that lowering takes, with the names that it needs.
struct Design {
  Design(const GptSizes& sizes, const GptPlan& plan);

  std::optional<Graph> lowered();
  /// Lowers, and fails the test where that reports an error.
  Graph graph();
  AxisId axis(std::string_view name) const;
  const Part& part(std::string_view name) const;

  NameTable names;
  Model model;
  Plan plan;
  Machine machine;  // nodes of 8 in a cluster large enough for the plan
  OptimizerModel optimizer;
  Diagnostics diagnostics;
};

/// Collectives of one kind over exactly one mesh axis in a list of issues.
int64_t countCollectives(const Graph& graph, const std::vector<Issue>& issues, CollectiveKind kind,
                         MeshAxisId axis);
int64_t countCollectives(const Graph& graph, const std::vector<Issue>& issues);

inline constexpr MeshAxisId kTp = 0, kDp = 1, kPp = 2;
inline constexpr uint32_t kEmbedding = 0, kLayer = 1, kHead = 2;

}  // namespace sysdl::test
