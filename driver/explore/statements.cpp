// Explorations: reading the statements, and checking them on the first point.
#include <algorithm>

#include "driver/explore/exploration.h"
#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Layer;
using check::LayerKind;
using check::Value;
using check::ValueKind;
using syntax::Kind;
using syntax::NodeId;

namespace {

/// What every table shows, where designs have it.
constexpr std::string_view kResults[] = {"step_time", "tokens_per_second_per_chip",
                                         "model_flops_utilization", "memory.peak",
                                         "cost.per_million_tokens"};

bool isCallee(const syntax::Tree& tree, NodeId call, NodeId child) {
  return tree[call].kind == Kind::Call && tree.child(call, 0) == child;
}

/// Whether an expression names anything but functions and what its comprehensions bind.
bool namesSomething(const syntax::Tree& tree, NodeId node, std::vector<Name> bound = {}) {
  if (!node.valid()) return false;
  if (tree[node].kind == Kind::Ref) return std::ranges::find(bound, tree[node].name) == bound.end();
  if (tree[node].kind == Kind::Comprehension) bound.push_back(tree[node].name);
  return std::ranges::any_of(tree.children(node), [&](NodeId child) {
    return !isCallee(tree, node, child) && namesSomething(tree, child, bound);
  });
}

}  // namespace

Diagnostic& Exploration::report(Code code, Span span, std::string message, std::string label) {
  return session_.diagnostics.report(code, span, std::move(message), std::move(label));
}

std::string Exploration::textOf(NodeId node) const {
  std::string out;
  for (char c : session_.sources.text(spanOf(node))) {
    bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

NodeId Exploration::addNode(Kind kind, Span span, std::vector<NodeId> children) {
  syntax::Tree& tree = module_.tree;
  syntax::Node node;
  node.kind = kind;
  node.span = node.nameSpan = span;
  node.firstChild = static_cast<uint32_t>(tree.links.size());
  node.childCount = static_cast<uint32_t>(children.size());
  tree.links.insert(tree.links.end(), children.begin(), children.end());
  tree.nodes.push_back(node);
  return {static_cast<uint32_t>(tree.nodes.size() - 1)};
}

Layer Exploration::layerOf(NodeId body, const check::Frame* outer) const {
  Layer layer;
  layer.kind = LayerKind::Body;
  layer.module = &module_;
  layer.node = body;
  layer.outer = outer;
  return layer;
}

bool Exploration::readBase(NodeId& body) {
  const syntax::Tree& tree = module_.tree;
  NodeId value = tree.child(declaration_, 2);
  if (!value.valid() || tree[value].kind != Kind::Amend) {
    report(Code::E0305, span(), "an exploration starts from a design and has a body",
           value.valid() ? "no body" : "no design")
        .helpText(fmt::format("write `explore {} = DESIGN {{ sweep … in … }}`", name()));
    return false;
  }
  NodeId design = tree.child(value, 0);
  body = tree.child(value, 1);
  Value found = checker_.evaluate(design, &module_.frame);
  if (found.bad()) return false;
  if (found.kind != ValueKind::Record ||
      !found.record->schema->is(checker_.preludeSchema("design"))) {
    report(Code::E0305, spanOf(design),
           fmt::format("designs are explored, not {}", checker_.describeKind(found)), "no design");
    return false;
  }
  base_ = found.record;
  return true;
}

void Exploration::readSweep(NodeId member) {
  const syntax::Tree& tree = module_.tree;
  Sweep sweep;
  sweep.node = member;
  sweep.path = textOf(tree.child(member, 0));
  sweep.list = tree.child(member, 1);
  sweep.written = tree[sweep.list].kind == Kind::List;
  sweep.dependent = !sweep.written && namesSomething(tree, sweep.list);
  sweeps_.push_back(std::move(sweep));
}

void Exploration::readStatements(NodeId body) {
  std::vector<NodeId> members(module_.tree.children(body).begin(),
                              module_.tree.children(body).end());
  std::vector<NodeId> amends, goals, tops, plots;
  for (NodeId member : members) {
    const syntax::Node& node = module_.tree[member];
    auto child = [&](uint32_t i) { return module_.tree.child(member, i); };
    switch (node.kind) {
    case Kind::Sweep: readSweep(member); break;
    case Kind::Keep: keeps_.push_back(child(0)); break;
    case Kind::Pareto:
      for (NodeId goal : module_.tree.children(member)) goals.push_back(goal);
      break;
    case Kind::Top:
    case Kind::Best: tops.push_back(member); break;
    case Kind::Plot: plots.push_back(member); break;
    case Kind::Let: lets_.push_back(member); [[fallthrough]];
    default: amends.push_back(member);
    }
  }
  auto once = [&](const std::vector<NodeId>& found, const char* what) {
    if (found.size() < 2) return;
    report(Code::E0303, spanOf(found[1]), fmt::format("an exploration has one `{}`", what),
           "a second one")
        .label(spanOf(found[0]), "the first");
  };
  once(tops, "top`, `minimize` or `maximize");
  once(plots, "plot");
  for (NodeId goal : goals) keys_.push_back(module_.tree.child(goal, 0));
  wanted_.goals = static_cast<uint32_t>(goals.size());
  for (NodeId goal : goals) maximal_.push_back(module_.tree[goal].flags & syntax::flag::Max);
  if (!tops.empty()) {
    // Of `minimize` and `maximize` the best point alone is kept.
    bool isBest = module_.tree[tops[0]].kind == Kind::Best;
    wanted_.top = isBest ? 1 : module_.tree[tops[0]].number;
    NodeId key = module_.tree.child(tops[0], 0);
    wanted_.topKey = static_cast<uint32_t>(keys_.size());
    // What `pareto` wants much of, `top` wants the most of.
    bool most = isBest && (module_.tree[tops[0]].flags & syntax::flag::Max);
    for (size_t i = 0; !isBest && i < goals.size(); ++i)
      most |= maximal_[i] && textOf(keys_[i]) == textOf(key);
    keys_.push_back(key);
    maximal_.push_back(most);
  }
  if (!plots.empty()) {
    wanted_.plots = true;
    for (uint32_t i = 0; i < 2; ++i) keys_.push_back(module_.tree.child(plots[0], i));
    maximal_.resize(keys_.size());
    wanted_.x = textOf(keys_[keys_.size() - 2]);
    wanted_.y = textOf(keys_.back());
  }
  if (sweeps_.empty()) {
    report(Code::E0903, span(), fmt::format("`{}` sweeps nothing", name()))
        .helpText("say what varies, as in `sweep plan.tp in [1, 2, 4, 8]`");
  }
  layer_ = static_cast<uint32_t>(base_->layers.size());
  NodeId amend = addNode(Kind::Body, spanOf(body), std::move(amends));
  Name label = base_->label;
  base_ = checker_.amend(base_, layerOf(amend, &module_.frame), span());
  base_->label = label;
}

/// A field is swept or set once, and not together with fields of its own.
bool Exploration::checkPaths(NodeId body) {
  std::vector<std::pair<std::string, NodeId>> paths;
  auto set = [&](auto& self, const std::string& above, NodeId members) -> void {
    for (NodeId member : module_.tree.children(members)) {
      Kind kind = module_.tree[member].kind;
      if (kind != Kind::Assign && kind != Kind::Nest) continue;
      std::string path = above + textOf(module_.tree.child(member, 0));
      if (kind == Kind::Assign)
        paths.emplace_back(path, member);
      else
        self(self, path + ".", module_.tree.child(member, 1));
    }
  };
  set(set, "", body);
  size_t assigned = paths.size();
  auto within = [](const std::string& a, const std::string& b) {
    return b == a || (b.starts_with(a) && (b[a.size()] == '.' || b[a.size()] == '['));
  };
  bool ok = true;
  for (const Sweep& sweep : sweeps_) {
    for (size_t i = 0; i < paths.size(); ++i) {
      // A swept field of a value that is set is fine; a swept value whose field is set is not.
      bool clash = within(sweep.path, paths[i].first) ||
                   (i >= assigned && within(paths[i].first, sweep.path));
      if (!clash) continue;
      ok = false;
      report(Code::E0303, spanOf(module_.tree.child(sweep.node, 0)),
             sweep.path == paths[i].first
                 ? fmt::format("`{}` is {} twice", sweep.path, i < assigned ? "set" : "swept")
                 : fmt::format("`{}` and `{}` cannot both vary: one holds the other", sweep.path,
                               paths[i].first),
             "swept here")
          .label(spanOf(module_.tree.child(paths[i].second, 0)),
                 i < assigned ? "set here" : "and here")
          .helpText("sweep whole values, such as `[one_forward_one_backward {}, interleaved(chunks "
                    "= 2)]`, or fields of one");
    }
    paths.emplace_back(sweep.path, sweep.node);
  }
  return ok;
}

void Exploration::addColumn(NodeId expression) {
  std::string header = textOf(expression);
  if (std::ranges::find(columns_, header, &Column::header) == columns_.end()) {
    columns_.push_back({header, UINT32_MAX, {}, expression});
  }
}

/// Columns for the fields that a condition names.
void Exploration::addNamed(NodeId node) {
  if (!node.valid()) return;
  const syntax::Tree& tree = module_.tree;
  bool isPath = true;
  NodeId first = node;
  while (tree[first].kind == Kind::Select) first = tree.child(first, 0);
  isPath = tree[first].kind == Kind::Ref;
  if (isPath) {
    Value value = checker_.evaluate(node, checker_.frameOf(base_, layer_));
    if (value.scalar() && checker_.formulas[value.formula].usesResult) addColumn(node);
    return;
  }
  for (NodeId child : tree.children(node)) {
    if (!isCallee(tree, node, child)) addNamed(child);
  }
}

/// The unit that numbers in SI stand for, such as "s"; empty for plain numbers.
std::string Exploration::unitOf(NodeId expression) {
  Value value = checker_.evaluate(expression, checker_.frameOf(base_, layer_));
  if (!value.scalar() || value.dimension.none()) return {};
  std::string one = checker_.text(checker_.realValue(1, value.dimension, spanOf(expression)));
  return one.starts_with("1 ") ? one.substr(2) : checker_.dimensions.formula(value.dimension);
}

void Exploration::readColumns() {
  if (wanted_.plots) {
    wanted_.xUnit = unitOf(keys_[keys_.size() - 2]);
    wanted_.yUnit = unitOf(keys_.back());
  }
  for (uint32_t i = 0; i < sweeps_.size(); ++i) columns_.push_back({sweeps_[i].path, i, {}, {}});
  for (std::string_view path : kResults) {
    Value value = valueAt(checker_, base_, path);
    if (value.scalar()) columns_.push_back({std::string(path), UINT32_MAX, std::string(path), {}});
  }
  for (NodeId key : keys_) addColumn(key);
  for (NodeId keep : keeps_) addNamed(keep);
}

bool Exploration::checkExpressions(check::Record* point) {
  const check::Frame* frame = checker_.frameOf(point, layer_);
  bool ok = true;
  for (NodeId keep : keeps_) {
    Value value = checker_.evaluate(keep, frame);
    ok &= !value.bad();
    if (value.bad() || (value.scalar() && value.number == Number::Bool)) continue;
    ok = false;
    report(Code::E0502, spanOf(keep),
           fmt::format("what is kept is told by true or false, not by {}",
                       checker_.describeKind(value)));
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    Value value = checker_.evaluate(keys_[i], frame);
    ok &= !value.bad();
    if (value.bad() || (value.scalar() && value.number != Number::Bool)) continue;
    ok = false;
    report(Code::E0305, spanOf(keys_[i]),
           fmt::format("points are compared by numbers, not by {}", checker_.describeKind(value)));
  }
  return ok;
}

bool Exploration::checkFirst() {
  std::vector<uint32_t> choices;
  for (uint32_t i = 0; i < sweeps_.size(); ++i) {
    auto items = count(i, choices);
    if (!items) return false;
    if (*items == 0 && sweeps_[i].dependent) return true;  // other points will show
    if (*items == 0) {
      report(Code::E0314, spanOf(sweeps_[i].list), "this list is empty: there are no points",
             "nothing to sweep");
      return false;
    }
    choices.push_back(0);
  }
  refusals_.clear();
  checker_.refusals = &refusals_;
  size_t mark = session_.diagnostics.size();
  check::Record* point = make(choices);
  bool ok = checkExpressions(point);
  // Names and types of every item that is written out, also of those that are not first.
  for (size_t i = 0; i < sweeps_.size(); ++i) {
    for (uint32_t item = 0; item < sweeps_[i].layers.size(); ++item) {
      choices[i] = item;
      valueAt(checker_, make(choices), sweeps_[i].path);
      choices[i] = 0;
    }
  }
  checker_.refusals = nullptr;
  Outcome ignored;
  return (excused(mark, ignored) || session_.diagnostics.size() == mark) && ok;
}

bool Exploration::read() {
  NodeId body;
  size_t errors = session_.diagnostics.errorCount();
  if (!readBase(body)) return false;
  readStatements(body);
  if (session_.diagnostics.errorCount() != errors || !checkPaths(body)) return false;
  if (!checkFirst()) return false;
  readColumns();
  return session_.diagnostics.errorCount() == errors;
}

std::vector<NodeId> explorationsOf(const check::Module& module) {
  std::vector<NodeId> found;
  if (!module.tree.root.valid()) return found;
  for (NodeId item : module.tree.children(module.tree.root)) {
    auto declared = module.values.find(module.tree[item].name.id);
    bool explores = module.tree[item].kind == Kind::Decl && declared != module.values.end() &&
                    declared->second.node == item &&
                    declared->second.kind == check::DeclarationKind::Explore;
    if (explores) found.push_back(item);
  }
  return found;
}

void checkExplorations(Session& session, check::Module& module) {
  for (NodeId item : explorationsOf(module)) {
    Exploration exploration(session, module, item);
    if (exploration.read()) exploration.checkLists();
  }
}

}  // namespace sysdl
