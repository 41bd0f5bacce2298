// Explorations: the points, each a design of its own, and what is said of them.
#include "driver/explore/exploration.h"

#include <algorithm>
#include <cmath>

#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Record;
using check::Value;
using check::ValueKind;
using syntax::Kind;
using syntax::NodeId;

namespace {

/// Errors that say of one point that it is none, rather than that the file is wrong.
bool refuses(Code code) {
  switch (code) {
  case Code::E0309:
  case Code::E0410:
  case Code::E0411:
  case Code::E0412:
  case Code::E0515:
  case Code::E0516:
  case Code::E0604:
  case Code::E0605: return true;
  default: return false;
  }
}

}  // namespace

bool Exploration::fillLayers(Sweep& sweep, const Value& list) {
  auto single = [&](NodeId value) {
    NodeId path = module_.tree.child(sweep.node, 0);
    std::vector<NodeId> members = lets_;
    members.push_back(addNode(Kind::Assign, spanOf(sweep.node), {path, value, {}}));
    return addNode(Kind::Body, spanOf(sweep.node), std::move(members));
  };
  sweep.layers.clear();
  sweep.values.clear();
  if (sweep.written) {
    auto children = module_.tree.children(sweep.list);
    for (NodeId item : std::vector<NodeId>(children.begin(), children.end())) {
      sweep.layers.push_back(layerOf(single(item), &module_.frame));
    }
    return true;
  }
  if (list.bad()) return false;
  if (list.kind != ValueKind::List) {
    report(Code::E0305, spanOf(sweep.list),
           fmt::format("a sweep takes a list, not {}", checker_.describeKind(list)), "no list")
        .helpText("as in `[1, 2, 4]`, `1..8` or `divisors(96)`");
    return false;
  }
  Name hidden = checker_.name("item of " + sweep.path);  // no name that a file could hold
  NodeId reference = addNode(Kind::Ref, spanOf(sweep.list), {});
  module_.tree.nodes[reference.index].name = hidden;
  NodeId body = single(reference);
  for (const Value& item : list.list->items) {
    check::Frame* frame = checker_.newFrame(&module_.frame, &module_);
    frame->locals.emplace_back(hidden, item);
    sweep.layers.push_back(layerOf(body, frame));
    sweep.values.push_back(item);
  }
  return true;
}

bool Exploration::makeLayers(Sweep& sweep, std::span<const uint32_t> choices) {
  bool fits = sweep.known && (!sweep.dependent || std::ranges::equal(sweep.prefix, choices));
  if (fits) return true;
  sweep.known = false;
  Value list;
  if (!sweep.written) {
    Record* before = choices.empty() ? base_ : make(choices);
    if (!before) return false;
    list = checker_.evaluate(sweep.list, checker_.frameOf(before, layer_));
  }
  if (!fillLayers(sweep, list)) return false;
  sweep.prefix.assign(choices.begin(), choices.end());
  sweep.known = true;
  return true;
}

void Exploration::checkLists() {
  for (Sweep& sweep : sweeps_) {
    if (!sweep.dependent) makeLayers(sweep, {});
  }
}

std::optional<uint32_t> Exploration::count(uint32_t sweep, std::span<const uint32_t> choices) {
  if (!makeLayers(sweeps_[sweep], choices.first(sweep))) return std::nullopt;
  return static_cast<uint32_t>(sweeps_[sweep].layers.size());
}

/// The base with the fields that the first sweeps chose; null after errors.
Record* Exploration::make(std::span<const uint32_t> choices) {
  std::vector<check::Layer> layers;
  for (uint32_t i = 0; i < choices.size(); ++i) {
    if (!makeLayers(sweeps_[i], choices.first(i))) return nullptr;
    layers.push_back(sweeps_[i].layers[choices[i]]);
  }
  Record* point = checker_.amend(base_, layers, base_->span);
  point->label = base_->label;
  return point;
}

bool Exploration::excused(size_t mark, Outcome& outcome) {
  if (session_.diagnostics.size() == mark) return false;
  std::vector<Diagnostic> said = session_.diagnostics.takeFrom(mark);
  bool wrong = false;
  const Diagnostic* first = nullptr;
  for (const Diagnostic& d : said) {
    if (severityOf(d.code) != Severity::Error) continue;
    wrong |= !refuses(d.code);
    if (!first) first = &d;
  }
  if (wrong) {
    for (Diagnostic& d : said) session_.diagnostics.report(d.code, {}, {}) = std::move(d);
    return false;
  }
  if (!first) return false;
  outcome.what = Outcome::What::Refused;
  outcome.refusal = {std::string(nameOf(first->code)), std::string(summaryOf(first->code))};
  return true;
}

Value Exploration::valueOf(const Column& column, Record* point, std::span<const uint32_t> choices) {
  if (column.expression.valid()) {
    return checker_.evaluate(column.expression, checker_.frameOf(point, layer_));
  }
  if (column.sweep == UINT32_MAX) return valueAt(checker_, point, column.path);
  const Sweep& sweep = sweeps_[column.sweep];
  Value value = valueAt(checker_, point, sweep.path);
  bool plain = value.scalar() || value.kind == ValueKind::Word || value.kind == ValueKind::Text;
  if (plain || sweep.written) return value;
  return sweep.values[choices[column.sweep]];
}

Cell Exploration::cellOf(const Column& column, Record* point, std::span<const uint32_t> choices) {
  Value value = valueOf(column, point, choices);
  Cell cell;
  if (value.kind == ValueKind::Word || value.kind == ValueKind::Text) {
    cell.bare = cell.shown = checker_.text(value);
    return cell;
  }
  if (value.scalar()) {
    if (!session_.settle(value.formula)) return cell;
    auto word = checker_.formulas.resolve(value.formula);
    if (!word) return cell;
    if (!forScripts_) cell.shown = checker_.text(value);
    cell.isNumber = value.number != Number::Bool;
    if (value.number == Number::Real)
      cell.bare = fmt::format("{}", word->real);
    else if (value.number == Number::Int)
      cell.bare = std::to_string(word->integer);
    else
      cell.bare = word->integer ? "true" : "false";
    return cell;
  }
  if (column.sweep != UINT32_MAX && sweeps_[column.sweep].written) {
    NodeId item = module_.tree.child(sweeps_[column.sweep].list, choices[column.sweep]);
    cell.bare = cell.shown = textOf(item);
  }
  return cell;
}

std::optional<double> Exploration::numberOf(NodeId expression, Record* point) {
  Value value = checker_.evaluate(expression, checker_.frameOf(point, layer_));
  if (!value.scalar() || !session_.settle(value.formula)) return std::nullopt;
  auto word = checker_.formulas.resolve(value.formula);
  if (!word) {
    checker_.real(value, spanOf(expression));  // says what is wrong with it
    return std::nullopt;
  }
  double number = value.number == Number::Real ? word->real : static_cast<double>(word->integer);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// A point that was evaluated: is it kept, and its row. False where something has no value.
bool Exploration::fill(Outcome& outcome, Record* point, std::span<const uint32_t> choices) {
  for (NodeId keep : keeps_) {
    auto truth = numberOf(keep, point);
    if (!truth) return false;
    if (*truth != 0) continue;
    outcome.what = Outcome::What::Left;
    return true;
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    auto key = numberOf(keys_[i], point);
    if (!key) return false;
    outcome.row.keys.push_back(maximal_[i] ? -*key : *key);
  }
  for (const Column& column : columns_) outcome.row.cells.push_back(cellOf(column, point, choices));
  outcome.what = Outcome::What::Kept;
  return true;
}

Outcome Exploration::evaluate(uint64_t index, std::span<const uint32_t> choices) {
  Outcome outcome;
  outcome.row.index = index;
  size_t mark = session_.diagnostics.size();
  refusals_.clear();
  checker_.refusals = &refusals_;
  checker_.forgetFaults();
  Record* point = make(choices);
  bool ok = false;
  if (point && session_.evaluateDesign(point->label, point).results && refusals_.empty()) {
    ok = fill(outcome, point, choices);
  }
  checker_.refusals = nullptr;
  if (!refusals_.empty()) {
    auto [record, rule] = refusals_.front();
    const syntax::Tree& tree = record->layers[rule.layer].module->tree;
    std::string_view code = session_.names.text(tree[rule.node].name);
    std::string text;
    for (char c : session_.sources.text(tree[tree.child(rule.node, 0)].span))
      text += c == '\n' ? ' ' : c;
    outcome.what = Outcome::What::Refused;
    outcome.refusal = {code.empty() ? "E0501" : std::string(code), text};
    session_.diagnostics.takeFrom(mark);
  } else if (!excused(mark, outcome) && (!ok || session_.diagnostics.hasErrors())) {
    outcome.what = Outcome::What::Failed;
    if (!session_.diagnostics.hasErrors()) {
      report(Code::E0412, span(), "a point of this exploration has no value to compare it by");
    }
  } else {
    session_.diagnostics.takeFrom(mark);  // warnings
  }
  if (point) session_.forget(point);
  return outcome;
}

}  // namespace sysdl
