// A pipeline to be scheduled, and what a schedule finds: the nouns that all schedules share.
//
// What point-to-point costs. Megatron-LM (2021/22) sends and receives between the stages blocking:
// forward, then one exchange "send forward, receive backward" with the next stage, backward, then
// one with the stage before. Here a send keeps its sender for `send` seconds after the pass that
// made the data (a fraction `blocking` of it, 1 unless the plan says else), and the receiver waits
// until the data is there. In the steady state of 1F1B both ends of an exchange start it together,
// so this is the exchange exactly; while the pipeline fills, a sender does not also wait for its
// receiver to post, which NCCL's buffers allow for all but the largest messages.
#pragma once

#include <cstdint>
#include <vector>

namespace sysdl::schedule {

/// What one micro-batch costs at a stage border in one direction, seconds.
struct Border {
  double send = 0;     // from the sender's last byte computed to the receiver's first byte used
  double receive = 0;  // then, on the receiver alone (a gather of slices)
};

/// A pipeline of `stages` devices, each with `chunks` chunks of the model. Virtual stage
/// `chunk * stages + stage` follows the one before it; data enters at 0.
struct Pipeline {
  int64_t stages = 1;
  int64_t chunks = 1;
  int64_t microbatches = 1;
  /// By virtual stage: seconds that one micro-batch keeps its device, kernels and exposed
  /// collectives. `backward` includes recompute.
  std::vector<double> forward, backward;
  /// Where backward passes are split: of `backward`'s device time, the passes for weights, which `backward` does not
  /// count then.
  std::vector<double> weight;
  /// Of forward, and of backward with weight, what kernels alone take.
  std::vector<double> forwardKernels, backwardKernels;
  Border activations, gradients;
  double blocking = 1;  // fraction of `send` in which the sender does nothing else
};

/// When the stages are done. Seconds from the start of the step's first forward pass.
struct Timeline {
  std::vector<double> end;    // by stage: its last backward pass is over, its send included
  std::vector<double> start;  // by stage: its first pass begins; empty where no schedule asks
  std::vector<double> busy;   // by stage: of these, how long it computes, sends and gathers
  double makespan = 0;        // the largest end
  int64_t critical = 0;       // the busiest stage (the first of equal ones)
  double bubble = 0;          // makespan less the busiest stage's time
  /// Passes that were looked at one by one, or stages where a closed form was used: what the
  /// answer cost. Does not grow with the number of micro-batches.
  int64_t looked = 0;
  bool exact = true;  // false: no period was found within bounds, and the tail is extrapolated
};

/// A pipeline seen by the devices' lanes: sends and gathers count with the pass that they follow or
/// precede, and what is left of a transfer is latency between passes.
struct Lanes {
  int64_t stages = 1, chunks = 1, microbatches = 1;
  std::vector<double> forward, backward;  // by virtual stage
  double forwardLatency = 0, backwardLatency = 0;
};

Lanes lanesOf(const Pipeline& pipeline);

/// Fills in makespan, critical and bubble from `end` and `busy`.
void sum(Timeline& timeline);
/// The same, and `busy` before.
void finish(const Lanes& lanes, Timeline& timeline);

}  // namespace sysdl::schedule
