// The two-lane list schedule.
#include "eval/overlap.h"

#include <algorithm>

namespace sysdl {
namespace {

struct Transfer {
  uint32_t node;
  double start, end;
};

/// The network's lane: transfers that run beside kernels, one after the other.
class Network {
public:
  void send(uint32_t node, double issued, double time) {
    const double start = transfers_.empty() ? issued : std::max(issued, transfers_.back().end);
    transfers_.push_back({node, start, start + time});
  }

  /// Waits for all transfers from `now` on; returns when they are done, and what each delayed.
  double drain(double now, std::vector<double>& exposed) {
    double end = now;
    for (const Transfer& transfer : transfers_) {
      if (transfer.end <= now) continue;
      exposed[transfer.node] += transfer.end - std::max(transfer.start, now);
      end = transfer.end;
    }
    transfers_.clear();
    return end;
  }

private:
  std::vector<Transfer> transfers_;  // since the last wait
};

}  // namespace

PhaseTime overlap(const std::vector<Issue>& issues, const Graph& graph,
                  const std::vector<KernelResult>& kernels,
                  const std::vector<CollectivePrice>& collectives, std::vector<double>& exposed) {
  PhaseTime phase;
  Network network;
  for (const Issue& issue : issues) {
    if (!issue.collective) {
      phase.span += kernels[issue.index].time;
      phase.kernels += kernels[issue.index].time;
      continue;
    }
    const double time = collectives[issue.index].time;
    if (graph.collectives[issue.index].overlappable) {
      network.send(issue.index, phase.span, time);
    } else {
      phase.span = network.drain(phase.span, exposed) + time;
      exposed[issue.index] += time;
    }
  }
  phase.span = network.drain(phase.span, exposed);
  return phase;
}

}  // namespace sysdl
