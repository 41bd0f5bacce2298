// Which inputs of a record differ between two versions of it, and what they do to its results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/session.h"

namespace sysdl {

/// One input that was written differently.
struct Change {
  enum class What { Changed, Added, Removed };
  What what = What::Changed;
  std::string path;           // "plan.tp", "chip.memory.host", "chip.engine.tensor.rate[fp8]"
  std::string before, after;  // for people; empty where there is none
  Span place;                 // of the new value, or of the one that is gone
  std::string text;           // the amend that makes it, in which `changed` is the new value
  check::Value value;
};

/// The inputs of two records of like schemas that differ, in the order of declaration. What follows
/// from other inputs in both is none.
std::vector<Change> changesOf(check::Checker& checker, check::Record* before, check::Record* after);

/// A number that follows from the inputs: a design's result, or a derived field of another record.
struct Outcome {
  std::string path;
  check::Value value;
  double number = 0;
};

/// The numbers of a record that follow; evaluates a design. Empty where it cannot be evaluated, with
/// nothing left in the session's diagnostics if `quiet`.
std::optional<std::vector<Outcome>> outcomesOf(Session& session, check::Record* record, bool quiet);

/// A number that moved, and how much of the move each change causes.
struct Move {
  std::string path;
  check::Value before, after;
  double from = 0, to = 0;
  std::vector<double> shares;  // of each group of changes; they and `rest` sum to `to - from`
  double rest = 0;             // by what is no input: formulas, blocks, rules
};

struct Attribution {
  std::vector<Change> changes;
  std::vector<std::vector<size_t>> groups;  // changes that make sense together only; most hold one
  std::vector<Move> moves;
  bool exact = true;  // Shapley values over all orders; else the mean of two orders
};

/// Compares two records that evaluate. The share of a group of changes is its Shapley value: its effect
/// averaged over all orders in which the groups can be made (Shapley 1953, "A value for n-person games").
/// Over six groups, the mean of the order of declaration and its reverse, which also sums to the move.
Attribution attribute(Session& session, check::Record* before, check::Record* after);

}  // namespace sysdl
