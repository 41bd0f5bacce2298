// Rules: `require` and `warn` of every record, and what a failed one says.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

/// What a failed rule shows: its text, the value of each thing that it names, and where they come from.
struct Rules {
  Checker& c;
  Record* record;
  const Rule& rule;
  const Frame* frame = c.frameOf(record, rule.layer);
  const syntax::Tree& t = frame->module->tree;
  std::vector<std::pair<NodeId, std::string>> shown{};  // paths and names with their values
  std::vector<std::pair<Record*, uint32_t>> direct{};   // slots that it names
  std::set<std::pair<Record*, uint32_t>> seen{};        // all that it rests on
  std::vector<std::pair<Record*, uint32_t>>
      inputs{};  // those that a user wrote, the blamed one first

  void collect(NodeId node) {
    const Node& n = t[node];
    if (n.kind == Kind::Ref || n.kind == Kind::Select) {
      Value value = c.evaluate(node, frame);
      if (value.scalar() || value.kind == ValueKind::Word) shown.emplace_back(node, c.text(value));
      return;
    }
    if (n.kind == Kind::Call) {
      for (NodeId child : t.children(node).subspan(1)) collect(child);
      return;
    }
    for (NodeId child : t.children(node)) {
      if (child.valid()) collect(child);
    }
  }

  /// The rule's line and, under each name, its value.
  std::pair<std::string, std::string> tree(NodeId condition) {
    std::string text(c.sources.text(t[condition].span));
    uint32_t start = t[condition].span.begin.offset;
    for (char& ch : text) {
      if (ch == '\n' || ch == '\r' || ch == '\t') ch = ' ';
    }
    std::string values(text.size(), ' ');
    size_t end = 0;
    for (const auto& [node, value] : shown) {
      size_t at = t[node].span.begin.offset - start;
      if (at < end || at > text.size()) continue;  // no room: the note below has it
      if (values.size() < at + value.size()) values.resize(at + value.size(), ' ');
      values.replace(at, value.size(), value);
      end = at + value.size() + 1;
    }
    values.erase(values.find_last_not_of(' ') + 1);
    return {text, values};
  }

  /// Finds what the rule reads, directly or through formulas.
  void gather() {
    auto* outerReads = c.reads_;
    c.reads_ = &direct;
    collect(t.child(rule.node, 0));
    c.reads_ = outerReads;
    follow(direct);
    blame();
  }

  /// Which layer of the record at the root of this one wrote a value, 0 where it came with a name.
  uint32_t layerOf(const std::pair<Record*, uint32_t>& read) {
    const Slot& slot = read.first->slots[read.second];
    const Module* module = read.first->layers[slot.definition.layer].module;
    Record* root = record;
    while (root->parent) root = root->parent;
    for (auto i = static_cast<uint32_t>(root->layers.size()); i-- > 0;) {
      const Layer& layer = root->layers[i];
      if (layer.module != module || !layer.node.valid()) continue;
      Span all = module->tree[layer.node].span;
      if (all.begin <= slot.definition.span.begin && slot.definition.span.end <= all.end) return i;
    }
    return 0;
  }

  /// Puts first what somebody changed last, the outermost amend: of what was changed together, what
  /// the rule names, and of that, what could make it hold.
  void blame() {
    constexpr size_t kMost = 8;
    size_t tried = 0;
    std::tuple<uint32_t, bool, bool> most{};
    auto best = inputs.begin();
    for (auto input = inputs.begin(); input != inputs.end(); ++input) {
      bool helps =
          ++tried <= kMost && !c.passingValues(record, rule, input->first, input->second).empty();
      std::tuple key(layerOf(*input), std::ranges::count(direct, *input) > 0, helps);
      if (key <= most) continue;
      most = key;
      best = input;
    }
    if (!inputs.empty()) std::rotate(inputs.begin(), best, best + 1);
  }

  void follow(const std::vector<std::pair<Record*, uint32_t>>& reads) {
    for (const auto& read : reads) {
      if (!seen.insert(read).second) continue;
      const Slot& slot = read.first->slots[read.second];
      if (written(read)) inputs.push_back(read);
      follow(slot.reads);
    }
  }

  /// Whether it rests on a part that breaks a rule of its own, while what it blames lies in another:
  /// what follows from the one is no news about the other.
  bool restsOnBroken() const {
    const Record* blamed = inputs.empty() ? nullptr : inputs.front().first;
    return std::ranges::any_of(seen, [&](const auto& read) {
      const Record* part = read.first;
      return part->damaged || (part != record && part != blamed && part->broken);
    });
  }

  /// Whether a slot's value was written in a file of the user's, rather than defaulted.
  bool written(const std::pair<Record*, uint32_t>& read) {
    const Slot& slot = read.first->slots[read.second];
    if (!slot.definition.node.valid() || !slot.value.scalar()) return false;
    const Layer& layer = read.first->layers[slot.definition.layer];
    return layer.kind != LayerKind::SchemaBody && !layer.module->embedded;
  }
};

/// `GiB` for the `GB` of a literal.
std::optional<Fix> Checker::binaryUnit(const syntax::Tree& t, NodeId number) const {
  if (t[number].kind != Kind::Number || t.childCountOf(number) == 0) return std::nullopt;
  const Node& unit = t[t.child(number, 0)];
  std::string text(str(unit.text));
  if (text.size() != 2 || text[1] != 'B') return std::nullopt;
  return Fix{unit.span, fmt::format("{}iB", text[0] == 'k' ? 'K' : text[0])};
}

/// With which values of each input the rule would hold.
std::string Checker::holdsFor(const Rules& shown) {
  constexpr size_t kMost = 3;
  std::string help;
  size_t listed = 0;
  for (const auto& [owner, field] : shown.inputs) {
    std::string passing = passingValues(shown.record, shown.rule, owner, field);
    if (passing.empty()) continue;
    help += fmt::format("{} `{}` = {}", help.empty() ? "the rule holds for" : "; for",
                        str(owner->schema->fields[field].name), passing);
    if (++listed == kMost) break;
  }
  return help;
}

std::string Checker::message(NodeId node, const Frame* frame) {
  return text(evaluate(node, frame));
}

Code Checker::codeOfRule(const syntax::Tree& t, NodeId rule) {
  const Node& node = t[rule];
  bool isWarning = node.kind == Kind::Warn;
  Code plain = isWarning ? Code::W0501 : Code::E0501;
  if (!node.name) return plain;
  auto code = codeOf(str(node.name));
  bool fits = code && (severityOf(*code) == Severity::Warning) == isWarning;
  if (fits) return *code;
  auto& d = diagnostics.report(code ? Code::E0305 : Code::E0201, node.span,
                               code ? fmt::format("`{}` is the code of {}", str(node.name),
                                                  isWarning ? "an error: `require` reports it"
                                                            : "a warning: `warn if` reports it")
                                    : fmt::format("there is no diagnostic `{}`", str(node.name)));
  d.helpText(
      fmt::format("leave `as {}` away: the rule is `{}` then", str(node.name), nameOf(plain)));
  return plain;
}

/// A rule that spoke: what it says, where the value that it is about was written, and the rule with the
/// value of each thing that it names.
Diagnostic& Checker::ruleDiagnostic(Rules& shown, Code code, const std::string& said) {
  Record* record = shown.record;
  const Rule& rule = shown.rule;
  std::vector<std::pair<Record*, uint32_t>>& inputs = shown.inputs;
  const syntax::Tree& t = shown.t;
  NodeId condition = t.child(rule.node, 0);
  Span primary = record->span.valid() ? record->span : t[rule.node].span;
  std::string labelText, help;
  std::optional<Fix> fix;
  if (!inputs.empty()) {
    auto [owner, field] = inputs.front();
    const Slot& slot = owner->slots[field];
    primary = slot.definition.span;
    labelText = fmt::format("`{}` is {}", str(owner->schema->fields[field].name), text(slot.value));
    const Layer& layer = owner->layers[slot.definition.layer];
    if (severityOf(code) == Severity::Error) help = holdsFor(shown);
    if (code == Code::W0403) fix = binaryUnit(layer.module->tree, slot.definition.node);
  }
  auto [line, values] = shown.tree(condition);
  LineColumn at = sources.resolve(t[rule.node].span.begin);
  std::string_view word = t[rule.node].kind == Kind::Warn ? "warns if" : "rule";
  std::vector<std::string> notes{fmt::format("{}: {}  ({}:{})", word, line, at.path, at.line)};
  if (!values.empty()) notes.push_back(std::string(word.size() + 2, ' ') + values);
  size_t listed = 0;
  for (const auto& [owner, field] : inputs) {
    const Slot& slot = owner->slots[field];
    if (slot.definition.span == primary || ++listed > 5) continue;
    LineColumn from = sources.resolve(slot.definition.span.begin);
    notes.push_back(fmt::format("`{}` = {}, {}:{}", str(owner->schema->fields[field].name),
                                text(slot.value), from.path, from.line));
  }
  auto& d = diagnostics.report(code, primary, said, labelText);
  d.notes = std::move(notes);
  d.help = std::move(help);
  if (fix) {
    d.helpText(fmt::format("write `{}` where that is meant", fix->text))
        .replace(fix->span, fix->text);
  }
  return d;
}

void Checker::checkRule(Record* record, const Rule& rule, std::vector<PendingRule>& pending) {
  const Frame* frame = frameOf(record, rule.layer);
  const syntax::Tree& t = frame->module->tree;
  NodeId conditionNode = t.child(rule.node, 0);
  bool isWarning = t[rule.node].kind == Kind::Warn;
  // The library's rules say what makes sense, and are no use of a value; a user's own are.
  bool outer = std::exchange(notesAsked_, notesAsked_ && !frame->module->embedded);
  Value condition = evaluate(conditionNode, frame);
  notesAsked_ = outer;
  if (condition.bad()) return;
  if (!condition.scalar() || condition.number != Number::Bool) {
    diagnostics.report(Code::E0502, t[conditionNode].span,
                       fmt::format("a rule is true or false, not {}", describeKind(condition)));
    return;
  }
  // The words of a message are checked with the rule, not first when it fails.
  if (record->isAbstract) codeOfRule(t, rule.node);
  if (record->isAbstract && t.childCountOf(rule.node) > 1 && t.child(rule.node, 1).valid()) {
    evaluate(t.child(rule.node, 1), frame);
  }
  const FormulaNode& node = formulas[condition.formula];
  if (node.faulty) return noteFault(condition.formula, t[conditionNode].span);
  if (node.symbolic) {
    if (node.usesResult && !record->isAbstract)
      pending.push_back({record, rule, condition.formula});
    return;
  }
  bool truth = node.value.integer != 0;
  if (refusals) {
    if (isWarning || truth) return;
    record->broken = true;
    quietWhole_ = true;
    refusals->emplace_back(record, rule);
  } else if (isWarning && truth) {
    Rules shown{*this, record, rule};
    shown.gather();
    ruleDiagnostic(shown, codeOfRule(t, rule.node), message(t.child(rule.node, 1), frame));
  } else if (!isWarning && !truth) {
    Rules shown{*this, record, rule};
    shown.gather();
    record->broken = true;
    quietWhole_ = true;
    if (shown.restsOnBroken()) return;
    NodeId elseText = t.childCountOf(rule.node) > 1 ? t.child(rule.node, 1) : NodeId();
    std::string said = elseText.valid() ? message(elseText, frame)
                                        : fmt::format("this rule does not hold: {}",
                                                      sources.text(t[conditionNode].span));
    ruleDiagnostic(shown, codeOfRule(t, rule.node), said);
  }
}

void Checker::judge(const PendingRule& pending) {
  formulas.resolve(pending.condition);
  std::vector<PendingRule> still;
  checkRule(pending.record, pending.rule, still);
}

void Checker::walk(Record* record, std::vector<PendingRule>& pending) {
  if (record->walked || record->isAbstract) return;
  record->walked = true;
  // That it is looked at here is no use of a value.
  auto force = [&](uint32_t i) { return evaluateSlot(record, i, record->slots[i], record, {}); };
  auto isRecordSlot = [&](uint32_t i) {
    if (record->schema->fields[i].isGroup) return true;
    return fieldType(record->schema, i)->kind == TypeKind::Schema;
  };
  // First the parts, then this record's own rules, then its numbers: so that a rule that explains a
  // number which does not divide speaks before the number does.
  for (uint32_t i = 0; i < record->slots.size(); ++i) {
    if (!isRecordSlot(i)) continue;
    Value value = force(i);
    if (value.kind == ValueKind::Record) walk(value.record, pending);
    if (value.kind != ValueKind::Group) continue;
    for (const auto& [label, item] : value.group->items) {
      if (item.kind == ValueKind::Record) walk(item.record, pending);
    }
  }
  if (!record->damaged) {
    for (const Rule& rule : record->rules) checkRule(record, rule, pending);
  }
  for (uint32_t i = 0; i < record->slots.size(); ++i) {
    // What follows from inputs that break a rule is no news.
    FieldRole role = record->schema->fields[i].role;
    if (record->broken && (role == FieldRole::Derived || role == FieldRole::DerivedResult))
      continue;
    if (isRecordSlot(i)) continue;
    Value value = force(i);
    // No value is wrong in silence.
    if (value.bad() && !diagnostics.hasErrors() && !refusals)
      diagnostics.report(Code::E0305, definitionSpan(record, i), "this has no value")
          .helpText("sysdlc should have said why: please report it, with the file");
    if (value.scalar() && formulas[value.formula].faulty)
      noteFault(value.formula, definitionSpan(record, i));
  }
}

}  // namespace sysdl::check
