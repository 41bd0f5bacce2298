// Why a value is what it is: a tree of formulas with their values, down to the inputs and where each came
// from.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/session.h"

namespace sysdl {

/// Where a number came from: `source "…" as fitted`, of the fact itself or of the record around it.
struct Provenance {
  std::string origin;  // "datasheet", "measured", "fitted", "assumed"; empty where it is not said
  std::string source;
};

/// One value and what it follows from.
struct Reason {
  std::string name;     // "cost.per_step", "layer.w_up forward"
  std::string value;    // with its unit
  double number = 0;    // in SI units
  std::string formula;  // as written; empty of an input
  std::string filled;   // the formula with values in the place of names
  std::string note;     // "768 x 1.29 ms", "26.0 %"
  Provenance provenance;
  std::string file;  // empty where it stands in no file
  uint32_t line = 0;
  bool extrapolated = false;
  std::vector<Reason> parts;
};

/// A fitted or assumed fact that a result rests on.
struct Knob {
  std::string name, value, file;
  uint32_t line = 0;
  Provenance provenance;
};

class Reasoner {
public:
  /// Of `design`, which is null for a record that is none. `depth`: how many formulas deep.
  Reasoner(Session& session, check::Record* root, const EvaluatedDesign* design, size_t depth)
      : session_(session), c_(*session.checker), root_(root), design_(design), depth_(depth) {}

  /// Why a field, by its path from the root, has its value; empty name where there is no such field.
  Reason field(const std::string& path);
  /// Why a kernel ("layer.w_up forward") or a collective ("layer.w_up all_gather") takes its time.
  Reason node(const std::string& name);
  /// All names that `node` knows.
  std::vector<std::string> nodes() const;

  /// The fitted and assumed facts that were read on the way, by name.
  std::vector<Knob> knobs() const;

private:
  using SlotOf = std::pair<check::Record*, uint32_t>;

  Reason slot(SlotOf slot, const std::string& name, size_t depth);
  Reason expression(syntax::NodeId node, const check::Frame* frame, size_t depth);
  void terms(syntax::NodeId node, const check::Frame* frame, size_t depth, Reason& reason);
  void term(syntax::NodeId node, const check::Frame* frame, size_t depth, Reason& reason);
  void place(Reason& reason, Span span) const;
  void value(Reason& reason, const check::Value& value);
  std::string pathOf(const SlotOf& slot) const;
  Provenance provenanceOf(const SlotOf& slot) const;
  /// Follows all that a slot was made from, for knobs.
  void follow(const SlotOf& slot);

  // composed.cpp: what evaluation finds
  bool composed(const std::string& path, Reason& reason, size_t depth);
  void sumOf(const std::string& record, const std::vector<std::string>& names, Reason& reason,
             size_t depth);
  void kernelsOf(Phase phase, Reason& reason);
  void collectivesOf(const std::string& axis, Reason& reason);
  void followEvaluation();
  Reason kernel(const KernelResult& kernel, size_t depth);
  // kernel_parts.cpp
  Reason levels(const KernelResult& kernel);
  /// `record`: of the kernel, its sizes bound.
  Reason efficiency(const KernelResult& kernel, check::Record* record);
  Reason collective(const CollectiveResult& collective, size_t depth);
  std::string nameOfCollective(const CollectiveResult& collective) const;

  Session& session_;
  check::Checker& c_;
  check::Record* root_;
  const EvaluatedDesign* design_;
  size_t depth_;
  std::set<SlotOf> followed_;
  std::set<SlotOf> explained_, explainedLets_;  // with their parts
  std::map<std::string, Knob> knobs_;
};

}  // namespace sysdl
