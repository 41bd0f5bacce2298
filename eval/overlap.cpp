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
  Network(double contention, std::vector<double>& exposed, std::vector<PlacedIssue>* placed)
      : contention_(contention), exposed_(exposed), placed_(placed) {}

  void send(uint32_t node, double issued, double time) {
    const double start = transfers_.empty() ? issued : std::max(issued, transfers_.back().end);
    transfers_.push_back({node, start, start + time});
  }

  /// Waits from `now` on until transfer `last` is done (all of them where it is kNone); returns when
  /// that is, and notes what each transfer delayed: the part that no kernel covered, and what the
  /// kernels beside it lost to it.
  double wait(double now, uint32_t last) {
    if (last != kNone && std::none_of(transfers_.begin(), transfers_.end(),
                                      [&](const Transfer& t) { return t.node == last; })) {
      return now;
    }
    size_t done = 0;
    double lost = 0;
    while (done < transfers_.size()) {
      const Transfer& transfer = transfers_[done++];
      const double late = std::max(0.0, transfer.end - std::max(transfer.start, now));
      const double covered = transfer.end - transfer.start - late;
      if (placed_) placed_->push_back({true, transfer.node, transfer.start, transfer.end});
      exposed_[transfer.node] += late + contention_ * covered;
      lost += contention_ * covered;
      now = std::max(now, transfer.end);
      if (transfer.node == last) break;
    }
    transfers_.erase(transfers_.begin(), transfers_.begin() + static_cast<std::ptrdiff_t>(done));
    // The kernels slowed down before; what they lost is charged here, and later transfers move on.
    for (Transfer& transfer : transfers_) {
      transfer.start += lost;
      transfer.end += lost;
    }
    return now + lost;
  }

private:
  double contention_;
  std::vector<double>& exposed_;
  std::vector<PlacedIssue>* placed_;
  std::vector<Transfer> transfers_;  // since the last wait
};

}  // namespace

PhaseTime overlap(const std::vector<Issue>& issues, const Graph& graph, const Machine& machine,
                  const std::vector<KernelResult>& kernels,
                  const std::vector<CollectivePrice>& collectives, std::vector<double>& exposed,
                  std::vector<PlacedIssue>* placed) {
  PhaseTime phase;
  Network network(machine.contention, exposed, placed);
  auto place = [&](const Issue& issue, double time) {
    if (placed) placed->push_back({issue.collective, issue.index, phase.span - time, phase.span});
  };
  double issued = 0;
  for (const Issue& issue : issues) {
    issued += machine.kernelIssue;
    if (issue.collective) {
      const auto ranks = static_cast<double>(graph.collectives[issue.index].group.ranks);
      issued += machine.collectiveIssue + machine.rankIssue * ranks - machine.kernelIssue;
    }
    if (!issue.collective) {
      if (issue.waitsFor != kNone) phase.span = network.wait(phase.span, issue.waitsFor);
      phase.span += kernels[issue.index].time;
      phase.kernels += kernels[issue.index].time;
      place(issue, kernels[issue.index].time);
      continue;
    }
    const double time = collectives[issue.index].time;
    if (graph.collectives[issue.index].overlappable) {
      network.send(issue.index, phase.span, time);
    } else {
      phase.span = network.wait(phase.span, kNone) + time;
      exposed[issue.index] += time;
      place(issue, time);
    }
  }
  phase.span = network.wait(phase.span, kNone);
  phase.host = std::max(0.0, issued - phase.span);
  phase.span += phase.host;
  return phase;
}

}  // namespace sysdl
