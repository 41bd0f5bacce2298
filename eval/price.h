// What single kernels and collectives cost: the programs of the standard library, each run once for
// each distinct set of arguments.
#pragma once

#include <optional>
#include <vector>

#include "eval/evaluate.h"

namespace sysdl {

/// One occurrence of a collective on one device.
struct CollectivePrice {
  double time = 0;       // s
  double wireBytes = 0;  // that one rank sends
  Name algorithm;
  bool extrapolated = false;
};

/// Work, traffic, time and bound of each node of Graph::kernels; count is left at 0. Bound is "hbm"
/// or the engine's name, whichever part of the roofline is longer, or "launch" where what is on top
/// of the longer part is longer still. Sets `error` and stops at the first fault.
std::vector<KernelResult> priceKernels(const Model& model, const Graph& graph,
                                       const NameTable& names, Scratch& scratch,
                                       std::optional<EvaluationError>& error);

/// The optimizer's step on `parameters` parameters of one device; node is kNone.
KernelResult priceOptimizer(const OptimizerModel& optimizer, double parameters,
                            const NameTable& names, Scratch& scratch,
                            std::optional<EvaluationError>& error);

/// Prices messages, and remembers what it priced.
class CollectivePricer {
public:
  CollectivePricer(const Machine& machine, const Graph& graph, Scratch& scratch)
      : machine_(machine), graph_(graph), scratch_(scratch) {}

  /// A collective like node `index` but of `bytes` bytes: the fastest algorithm, the first of
  /// equally fast ones. Nothing where the group has one rank.
  CollectivePrice price(uint32_t index, double bytes, std::optional<EvaluationError>& error);

  /// The share of node `index` in one message of all nodes of its bucket, `bucketBytes` long.
  CollectivePrice priceShare(uint32_t index, double bucketBytes,
                             std::optional<EvaluationError>& error);

private:
  struct Known {
    uint32_t index;  // a node of the same kind and group geometry
    double bytes;
    CollectivePrice price;
  };
  std::optional<EvaluationError> runAlgorithms(uint32_t index, double bytes, CollectivePrice& best);

  const Machine& machine_;
  const Graph& graph_;
  Scratch& scratch_;
  std::vector<Known> known_;
  std::vector<Word> inputs_;
};

/// The messages that a list of collectives makes: those of one bucket, kind and group go out as one.
class Messages {
public:
  explicit Messages(const Graph& graph) : graph_(graph) {}

  /// Adds `count` occurrences of a node.
  void add(uint32_t index, double count);
  /// The length of the message that one occurrence of a node goes out in.
  double bytesWith(uint32_t index) const;

private:
  struct Message {
    uint32_t index;  // of one of its nodes
    double bytes;
  };
  const Message* find(const CollectiveNode& node) const;

  const Graph& graph_;
  std::vector<Message> messages_;  // of buckets
};

/// A price for each node of Graph::collectives. A bucket's message is what one occurrence of the
/// part sends in the phase; buckets of Phase::Optimizer span parts and are priced by
/// eval/optimizer_phase.h instead.
std::vector<CollectivePrice> priceCollectives(const Graph& graph, CollectivePricer& pricer,
                                              std::optional<EvaluationError>& error);

}  // namespace sysdl
