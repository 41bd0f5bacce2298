// Two versions of a record, compared input by input.
#include "driver/diff/changes.h"

#include <algorithm>
#include <set>

#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Checker;
using check::Field;
using check::FieldRole;
using check::Record;
using check::Slot;
using check::Value;
using check::ValueKind;

namespace {

class Comparison {
public:
  Comparison(Checker& checker, Record* before, Record* after)
      : c_(checker), rootBefore_(before), rootAfter_(after) {}

  std::vector<Change> run() {
    records(rootBefore_, rootAfter_, "");
    return std::move(changes_);
  }

private:
  Checker& c_;
  Record* rootBefore_;
  Record* rootAfter_;
  std::vector<Change> changes_;
  std::set<std::pair<Record*, Record*>> seen_;

  /// Whether two values are the same to the last bit.
  bool same(const Value& a, const Value& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case ValueKind::Scalar: {
      auto x = c_.formulas.resolve(a.formula), y = c_.formulas.resolve(b.formula);
      return a.number == b.number && a.dimension == b.dimension && x.has_value() == y.has_value() &&
             (!x || x->integer == y->integer);
    }
    case ValueKind::Word: return c_.str(a.words->words[a.word]) == c_.str(b.words->words[b.word]);
    case ValueKind::List:
      return std::ranges::equal(a.list->items, b.list->items,
                                [&](const Value& x, const Value& y) { return same(x, y); });
    case ValueKind::Record:
      return Comparison(c_, a.record, b.record).run().empty() &&
             a.record->schema->name == b.record->schema->name;
    case ValueKind::Curve: return a.curve->curve == b.curve->curve;
    default: return c_.text(a) == c_.text(b);
    }
  }

  std::string_view definition(Record* record, const Slot& slot) {
    if (!slot.definition.node.valid()) return {};
    const check::Layer& layer = record->layers[slot.definition.layer];
    return c_.sources.text(layer.module->tree[slot.definition.node].span);
  }

  static bool bySchema(Record* record, const Slot& slot) {
    return slot.definition.node.valid() &&
           record->layers[slot.definition.layer].kind == check::LayerKind::SchemaBody;
  }

  bool within(Record* record, const Record* root) {
    while (record && record != root) record = record->parent;
    return record != nullptr;
  }

  /// Whether both values come by the same words from other values of the two records.
  bool follows(Record* before, uint32_t i, Record* after, uint32_t j) {
    const Slot &a = before->slots[i], &b = after->slots[j];
    if (definition(before, a) != definition(after, b)) return false;
    // What a schema says for all its records was written by nobody.
    if (bySchema(before, a) && bySchema(after, b)) return true;
    if (a.reads.empty()) return false;
    auto own = [&](const Slot& slot, const Record* root) {
      return std::ranges::all_of(slot.reads,
                                 [&](const auto& read) { return within(read.first, root); });
    };
    return own(a, rootBefore_) && own(b, rootAfter_);
  }

  Span placeOf(Record* record, uint32_t field) {
    const Slot& slot = record->slots[field];
    if (slot.definition.span.valid()) return slot.definition.span;
    if (slot.patches.empty()) return record->span;
    const check::Patch& patch = slot.patches.back();
    return record->layers[patch.layer].module->tree[patch.node].span;
  }

  /// What a person calls a value: a record by its name or kind, a number as it is, or as it was written
  /// where that says more.
  std::string shown(const Value& value) {
    if (value.kind != ValueKind::Record) return c_.text(value);
    const Record* r = value.record;
    std::string text = c_.text(value);
    std::string inside;
    for (uint32_t i = 0; i < r->slots.size(); ++i) {
      const Slot& slot = r->slots[i];
      bool written = slot.definition.node.valid() &&
                     r->layers[slot.definition.layer].kind != check::LayerKind::SchemaBody;
      if (!written || inside.size() > 60) continue;
      Value item = c_.slotValue(value.record, i);
      if (!item.scalar() && item.kind != ValueKind::Word) continue;
      inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ",
                            c_.str(r->schema->fields[i].name), c_.text(item));
    }
    bool named = !r->parent;
    if (!named) text = c_.str(r->schema->name);
    return named || inside.empty() ? text : fmt::format("{} ({})", text, inside);
  }

  void add(Change::What what, const std::string& path, const Value& before, const Value& after,
           Span place, std::string text) {
    Change change{what, path, {}, {}, place, std::move(text), after};
    if (what != Change::What::Added) change.before = shown(before);
    if (what != Change::What::Removed) change.after = shown(after);
    if (what == Change::What::Changed && change.before == change.after && before.scalar()) {
      auto precise = [&](const Value& v) {
        auto word = c_.formulas.resolve(v.formula);
        if (!word) return c_.text(v);
        return v.number == Number::Real
                   ? fmt::format("{} {}", word->real, c_.dimensions.formula(v.dimension))
                   : std::to_string(word->integer);
      };
      change.before = precise(before);
      change.after = precise(after);
    }
    changes_.push_back(std::move(change));
  }

  static std::string join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }

  /// An amend of the record at `path`.
  static std::string nested(const std::string& path, const std::string& member) {
    return path.empty() ? member : fmt::format("{} {{ {} }}", path, member);
  }

  /// The name that a value was given by, under any amends: "DGX_A100" of `dgx.DGX_A100 { take = 8 }`.
  std::string_view givenName(Record* record, uint32_t field) {
    const Slot& slot = record->slots[field];
    syntax::NodeId node = slot.definition.node;
    if (!node.valid()) return {};
    const syntax::Tree& t = record->layers[slot.definition.layer].module->tree;
    while (t[node].kind == syntax::Kind::Amend || t[node].kind == syntax::Kind::Group)
      node = t.child(node, 0);
    bool named = t[node].kind == syntax::Kind::Ref || t[node].kind == syntax::Kind::Select;
    return named ? c_.str(t[node].name) : std::string_view();
  }

  void values(Record* before, uint32_t i, Record* after, uint32_t j, const std::string& path) {
    Value a = c_.slotValue(before, i), b = c_.slotValue(after, j);
    if (a.bad() || b.bad()) return;
    bool both = a.kind == ValueKind::Record && b.kind == ValueKind::Record;
    std::string_view from = givenName(before, i), to = givenName(after, j);
    // A value that was given by another name is exchanged as a whole.
    bool renamed = both && from != to && !from.empty() && !to.empty();
    if (both && !renamed && a.record->schema->name == b.record->schema->name)
      return records(a.record, b.record, path);
    if (same(a, b) || follows(before, i, after, j)) return;
    Change::What what = a.kind == ValueKind::Absent   ? Change::What::Added
                        : b.kind == ValueKind::Absent ? Change::What::Removed
                                                      : Change::What::Changed;
    add(what, path, a, b, placeOf(after, j), path + " = changed");
    if (!renamed) return;
    changes_.back().before = from;
    changes_.back().after = to;
  }

  void groups(const Value& a, const Value& b, const std::string& path, std::string_view name,
              const std::string& owner) {
    auto find = [](const Value& group, Name label) -> const Value* {
      for (const auto& [key, item] : group.group->items) {
        if (key == label) return &item;
      }
      return nullptr;
    };
    for (const auto& [label, item] : a.group->items) {
      std::string at = join(path, c_.str(label));
      const Value* other = find(b, label);
      if (!other)
        add(Change::What::Removed, at, item, {}, item.record->span,
            nested(owner, fmt::format("drop {} {}", name, c_.str(label))));
      else if (item.kind == ValueKind::Record && other->kind == ValueKind::Record) {
        if (item.record->schema->name == other->record->schema->name)
          records(item.record, other->record, at);
        else
          add(Change::What::Changed, at, item, *other, other->record->span, at + " = changed");
      }
    }
    for (const auto& [label, item] : b.group->items) {
      if (find(a, label)) continue;
      add(Change::What::Added, join(path, c_.str(label)), {}, item, item.record->span,
          nested(owner, fmt::format("new {} {} = changed", name, c_.str(label))));
    }
  }

  void maps(const Value& a, const Value& b, const std::string& path, Record* after,
            uint32_t field) {
    auto find = [&](const Value& map, std::string_view word) -> const Value* {
      for (const auto& [key, item] : map.map->items) {
        if (c_.str(map.map->words->words[key]) == word) return &item;
      }
      return nullptr;
    };
    for (const auto& [key, item] : b.map->items) {
      std::string_view word = c_.str(b.map->words->words[key]);
      const Value* other = find(a, word);
      if (other && same(*other, item)) continue;
      std::string at = fmt::format("{}[{}]", path, word);
      add(other ? Change::What::Changed : Change::What::Added, at, other ? *other : Value(), item,
          placeOf(after, field), at + " = changed");
    }
    for (const auto& [key, item] : a.map->items) {
      std::string_view word = c_.str(a.map->words->words[key]);
      if (!find(b, word))
        add(Change::What::Removed, fmt::format("{}[{}]", path, word), item, {},
            placeOf(after, field), "");
    }
  }

  void records(Record* before, Record* after, const std::string& path) {
    if (before == after || !seen_.insert({before, after}).second) return;
    for (uint32_t i = 0; i < before->schema->fields.size(); ++i) {
      const Field& field = before->schema->fields[i];
      if (field.role != FieldRole::Input) continue;
      auto found = after->schema->index.find(field.name.id);
      if (found == after->schema->index.end()) continue;  // another schema: a change of formulas
      uint32_t j = found->second;
      if (after->schema->fields[j].role != FieldRole::Input) continue;
      Value a = c_.slotValue(before, i), b = c_.slotValue(after, j);
      std::string_view name = c_.str(field.name);
      std::string at = join(path, name);
      if (a.kind == ValueKind::Group && b.kind == ValueKind::Group)
        groups(a, b, at, name, path);
      else if (a.kind == ValueKind::Map && b.kind == ValueKind::Map)
        maps(a, b, at, after, j);
      else
        values(before, i, after, j, at);
    }
  }
};

void collect(Checker& c, const std::vector<ResultNode>& nodes, const std::string& path,
             std::vector<Outcome>& outcomes) {
  for (const ResultNode& node : nodes) {
    std::string at = path.empty() ? node.name : path + "." + node.name;
    if (!node.fields.empty()) collect(c, node.fields, at, outcomes);
    if (!node.value.scalar() || node.value.number == Number::Bool) continue;
    auto word = c.formulas.resolve(node.value.formula);
    if (!word) continue;
    double number =
        node.value.number == Number::Real ? word->real : static_cast<double>(word->integer);
    outcomes.push_back({at, node.value, number});
  }
}

void collectDerived(Checker& c, Record* record, const std::string& path, std::set<Record*>& seen,
                    std::vector<Outcome>& outcomes) {
  if (!seen.insert(record).second) return;
  for (uint32_t i = 0; i < record->schema->fields.size(); ++i) {
    const Field& field = record->schema->fields[i];
    Value value = c.slotValue(record, i);
    std::string at = path + std::string(c.str(field.name));
    if (value.kind == ValueKind::Record) collectDerived(c, value.record, at + ".", seen, outcomes);
    if (value.kind == ValueKind::Group) {
      for (const auto& [label, item] : value.group->items) {
        if (item.kind == ValueKind::Record)
          collectDerived(c, item.record, fmt::format("{}.{}.", at, c.str(label)), seen, outcomes);
      }
    }
    if (!value.scalar() || value.number == Number::Bool) continue;
    bool follows = field.role == FieldRole::Derived || !record->slots[i].reads.empty();
    auto word = c.formulas.resolve(value.formula);
    if (!follows || !word) continue;
    outcomes.push_back(
        {at, value,
         value.number == Number::Real ? word->real : static_cast<double>(word->integer)});
  }
}

}  // namespace

std::vector<Change> changesOf(Checker& checker, Record* before, Record* after) {
  return Comparison(checker, before, after).run();
}

std::optional<std::vector<Outcome>> outcomesOf(Session& session, Record* record, bool quiet) {
  Checker& checker = *session.checker;
  size_t said = session.diagnostics.size(), errors = session.diagnostics.errorCount();
  std::vector<Outcome> outcomes;
  bool ok = true;
  if (record->schema->is(checker.preludeSchema("design"))) {
    ok = session.evaluateDesign(record->label, record).results.has_value();
    if (ok) collect(checker, resultsOf(checker, record), "", outcomes);
  } else {
    std::vector<check::PendingRule> none;
    checker.walk(record, none);
    std::set<Record*> seen;
    collectDerived(checker, record, "", seen, outcomes);
    ok = session.diagnostics.errorCount() == errors;
  }
  if (quiet) session.diagnostics.takeFrom(said);
  if (!ok) return std::nullopt;
  return outcomes;
}

}  // namespace sysdl
