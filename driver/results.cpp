// Results, fields and rules of an evaluated design.
#include "driver/results.h"

#include <algorithm>
#include <functional>
#include <set>

namespace sysdl {

using check::Checker;
using check::FieldRole;
using check::Record;
using check::Value;
using check::ValueKind;

namespace {

/// Whether a design looks into a field's record for results: into what it owns, not into a design
/// that it only refers to.
bool descends(Checker& checker, const Value& value) {
  return value.kind == ValueKind::Record && !value.record->isAbstract &&
         !value.record->schema->is(checker.preludeSchema("design"));
}

std::vector<ResultNode> collect(Checker& checker, Record* record, std::set<Record*>& above) {
  std::vector<ResultNode> leaves, records;
  for (uint32_t i = 0; i < record->schema->fields.size(); ++i) {
    const check::Field& field = record->schema->fields[i];
    bool isResult = field.role == FieldRole::Result || field.role == FieldRole::DerivedResult;
    Value value = checker.slotValue(record, i);
    ResultNode node{std::string(checker.str(field.name)), value, {}};
    if (value.kind != ValueKind::Record) {
      if (isResult) leaves.push_back(std::move(node));
    } else if (descends(checker, value) && above.insert(value.record).second) {
      node.fields = collect(checker, value.record, above);
      above.erase(value.record);
      if (!node.fields.empty()) records.push_back(std::move(node));
    }
  }
  std::ranges::move(records, std::back_inserter(leaves));
  return leaves;
}

std::string oneLine(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

std::optional<RuleState> stateOf(Checker& checker, Record* record, const check::Rule& rule) {
  const check::Frame* frame = checker.frameOf(record, rule.layer);
  const syntax::Tree& tree = frame->module->tree;
  bool isWarning = tree[rule.node].kind == syntax::Kind::Warn;
  syntax::NodeId condition = tree.child(rule.node, 0);
  Value value = checker.evaluate(condition, frame);
  if (!value.scalar() || value.number != Number::Bool) return std::nullopt;
  auto truth = checker.formulas.resolve(value.formula);
  if (!truth) return std::nullopt;
  std::string_view code = checker.str(tree[rule.node].name);
  if (code.empty()) code = isWarning ? "W0501" : "E0501";
  return RuleState{code, oneLine(checker.sources.text(tree[condition].span)),
                   (truth->integer != 0) != isWarning};
}

}  // namespace

std::vector<ResultNode> resultsOf(Checker& checker, Record* record) {
  std::set<Record*> above{record};
  return collect(checker, record, above);
}

Value valueAt(Checker& checker, Record* record, std::string_view path) {
  Value value;
  value.kind = ValueKind::Record;
  value.record = record;
  while (!path.empty() && value.kind == ValueKind::Record) {
    size_t dot = std::min(path.find('.'), path.size());
    value = checker.get(value.record, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return path.empty() ? value : Value();
}

std::optional<double> numberAt(Checker& checker, Record* record, std::string_view path) {
  Value value = valueAt(checker, record, path);
  if (!value.scalar()) return std::nullopt;
  auto word = checker.formulas.resolve(value.formula);
  if (!word) return std::nullopt;
  return value.number == Number::Real ? word->real : static_cast<double>(word->integer);
}

std::vector<RuleState> rulesOf(Checker& checker, Record* record) {
  std::vector<RuleState> states;
  std::set<Record*> seen;
  std::function<void(Record*)> visit = [&](Record* owner) {
    if (owner->isAbstract || !seen.insert(owner).second) return;
    for (uint32_t i = 0; i < owner->slots.size(); ++i) {
      Value value = checker.slotValue(owner, i);
      if (descends(checker, value)) visit(value.record);
      if (value.kind != ValueKind::Group) continue;
      for (const auto& [label, item] : value.group->items) {
        if (descends(checker, item)) visit(item.record);
      }
    }
    for (const check::Rule& rule : owner->rules) {
      if (auto state = stateOf(checker, owner, rule)) states.push_back(std::move(*state));
    }
  };
  visit(record);
  return states;
}

}  // namespace sysdl
