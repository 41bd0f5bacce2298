// An `explore` of a file as one session sees it: its sweeps, what it asks of a point, and its points.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/explore/row.h"
#include "driver/session.h"

namespace sysdl {

/// `sweep PATH in LIST`. The items of a list that is written out are definitions of their own, so
/// that each is read as the field's type says; other lists are evaluated.
struct Sweep {
  syntax::NodeId node;
  std::string path;
  syntax::NodeId list;
  bool written = false;          // `[1, 2, 4]`
  bool dependent = false;        // its list names something, which earlier sweeps may change
  std::vector<uint32_t> prefix;  // for which `layers` were made
  bool known = false;
  std::vector<check::Layer> layers;  // one for each item
  std::vector<check::Value> values;  // of a list that is not written out
};

struct Column {
  std::string header;
  uint32_t sweep = UINT32_MAX;  // a swept field
  std::string path;             // a result that every table has
  syntax::NodeId expression;    // what a statement names
};

class Exploration {
public:
  Exploration(Session& session, check::Module& module, syntax::NodeId declaration)
      : session_(session), checker_(*session.checker), module_(module), declaration_(declaration) {}

  /// Reads the statements and checks names, types and dimensions on the first point. False after
  /// errors.
  bool read();
  /// Evaluates the lists that do not depend on other sweeps, for what they say wrong.
  void checkLists();

  std::string_view name() const { return session_.names.text(module_.tree[declaration_].name); }
  Span span() const { return module_.tree[declaration_].nameSpan; }
  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  const std::vector<Column>& columns() const { return columns_; }
  const Wanted& wanted() const { return wanted_; }

  /// Leaves out `Cell::shown`: scripts read bare numbers.
  void forScripts() { forScripts_ = true; }

  /// How many items a sweep has after these choices of earlier ones; empty after errors.
  std::optional<uint32_t> count(uint32_t sweep, std::span<const uint32_t> choices);
  /// Evaluates one point. What it leaves behind in `session` is a failed point's diagnostics.
  Outcome evaluate(uint64_t index, std::span<const uint32_t> choices);

private:
  Diagnostic& report(Code code, Span span, std::string message, std::string label = {});
  Span spanOf(syntax::NodeId node) const { return module_.tree[node].span; }
  std::string textOf(syntax::NodeId node) const;
  syntax::NodeId addNode(syntax::Kind kind, Span span, std::vector<syntax::NodeId> children);
  check::Layer layerOf(syntax::NodeId body, const check::Frame* outer) const;

  bool readBase(syntax::NodeId& body);
  void readStatements(syntax::NodeId body);
  void readSweep(syntax::NodeId member);
  void readColumns();
  std::string unitOf(syntax::NodeId expression);
  void addColumn(syntax::NodeId expression);
  void addNamed(syntax::NodeId expression);
  bool checkPaths(syntax::NodeId body);
  bool checkFirst();
  bool checkExpressions(check::Record* point);
  bool makeLayers(Sweep& sweep, std::span<const uint32_t> choices);
  bool fillLayers(Sweep& sweep, const check::Value& list);
  check::Record* make(std::span<const uint32_t> choices);

  check::Value valueOf(const Column& column, check::Record* point,
                       std::span<const uint32_t> choices);
  Cell cellOf(const Column& column, check::Record* point, std::span<const uint32_t> choices);
  std::optional<double> numberOf(syntax::NodeId expression, check::Record* point);
  bool fill(Outcome& outcome, check::Record* point, std::span<const uint32_t> choices);
  /// Whether errors since `mark` only say that this point is none; they are taken away then.
  bool excused(size_t mark, Outcome& outcome);

  Session& session_;
  check::Checker& checker_;
  check::Module& module_;
  syntax::NodeId declaration_;
  check::Record* base_ = nullptr;  // with the assignments of the exploration
  uint32_t layer_ = 0;             // of these, in the base and all points
  std::vector<syntax::NodeId> lets_;
  std::vector<Sweep> sweeps_;
  std::vector<syntax::NodeId> keeps_;
  std::vector<syntax::NodeId> keys_;  // goals, then the key of `top`, then x and y of `plot`
  std::vector<bool> maximal_;         // of each key: more is better
  std::vector<Column> columns_;
  Wanted wanted_;
  bool forScripts_ = false;
  std::vector<std::pair<check::Record*, check::Rule>> refusals_;
};

/// The explorations of a file, in the order of the text.
std::vector<syntax::NodeId> explorationsOf(const check::Module& module);

/// Checks every exploration of a file; none is run.
void checkExplorations(Session& session, check::Module& module);

}  // namespace sysdl
