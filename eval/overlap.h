// An in-order schedule of what one phase of one part issues, on two lanes: compute and network.
#pragma once

#include <vector>

#include "eval/price.h"
#include "ir/graph/graph.h"

namespace sysdl {

/// Seconds of one occurrence of a phase of a part, for one micro-batch.
struct PhaseTime {
  double span = 0;     // kernels and what is exposed of collectives
  double kernels = 0;  // of these, kernels
  double host = 0;     // of these, waiting for the host
};

/// When a kernel or collective runs, in seconds from the start of its phase.
struct PlacedIssue {
  bool collective = false;
  uint32_t index = 0;  // into Graph::kernels or Graph::collectives
  double start = 0, end = 0;
};

/// Runs issues in order. A kernel runs when the one before it is done. A collective that is not
/// overlappable is waited for: it runs alone, after all that was issued before it. An overlappable
/// one starts when it is issued and the network is free, beside the kernels that follow, and is
/// waited for by the first kernel that reads it (`Issue::waitsFor`), at the latest at the end of the
/// phase. Kernels beside a transfer lose `contention` of the time that they cover (channels of the
/// collective library occupy cores). Writes what each collective
/// adds to the span into `exposed`, by node: span is kernels plus these.
/// Appends what ran when to `placed`, if given; kernels beside a transfer are shown at their full pace, and what they lose to
/// it as a gap where it is waited for.
/// The host issues as fast as the machine says; where that takes longer than all of it, the device waits.
PhaseTime overlap(const std::vector<Issue>& issues, const Graph& graph, const Machine& machine,
                  const std::vector<KernelResult>& kernels,
                  const std::vector<CollectivePrice>& collectives, std::vector<double>& exposed,
                  std::vector<PlacedIssue>* placed = nullptr);

}  // namespace sysdl
