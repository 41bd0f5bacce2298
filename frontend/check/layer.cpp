// Layers: how the members of a body become definitions, patches, children and rules of a record.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

/// A slot that is given a new value loses what amended the old one. What a schema's body says of the
/// slot (`model.vocab_multiple = plan.vocab_multiple`) holds for any value.
void dropPatches(const Record& record, std::vector<Patch>& patches) {
  std::erase_if(patches, [&](const Patch& patch) {
    return record.layers[patch.layer].kind != LayerKind::SchemaBody;
  });
}

}  // namespace

uint32_t Checker::findField(const Schema& schema, Name wanted) const {
  auto found = schema.index.find(wanted.id);
  return found == schema.index.end() ? kNoField : found->second;
}

void Checker::unknownField(const Schema& schema, Name wanted, Span span) {
  std::vector<std::string_view> candidates, settable;
  for (const Field& field : schema.fields) {
    candidates.push_back(str(field.name));
    if (field.role == FieldRole::Input) settable.push_back(str(field.name));
  }
  auto& d = diagnostics.report(Code::E0301, span,
                               fmt::format("`{}` has no field `{}`", str(schema.name), str(wanted)),
                               "unknown field");
  Suggestion meant = suggestion(str(wanted), candidates);
  if (!meant.word.empty()) {
    d.suggest(meant, span);
    return;
  }
  std::string all;
  for (size_t i = 0; i < settable.size() && i < 12; ++i) {
    all += fmt::format("{}`{}`", i ? ", " : "", settable[i]);
  }
  if (!all.empty()) d.helpText("its fields are " + all + (settable.size() > 12 ? ", …" : ""));
}

void Checker::applyLayer(Record& record, uint32_t index) {
  const Layer& layer = record.layers[index];
  switch (layer.kind) {
  case LayerKind::SchemaBody:
  case LayerKind::Body: {
    std::map<std::string, Span> assigned;
    for (NodeId member : layer.module->tree.children(layer.node)) {
      applyMember(record, index, member, assigned);
    }
    break;
  }
  case LayerKind::Member: applyPath(record, index, layer.node, layer.pathStart); break;
  case LayerKind::Arguments: applyArguments(record, index); break;
  case LayerKind::Fixed:
    for (const auto& [field, value] : layer.fixed) {
      uint32_t slot = findField(*record.schema, field);
      if (slot == kNoField) continue;
      record.slots[slot].fixed = value;
      record.slots[slot].isFixed = true;
    }
    break;
  }
}

void Checker::applyMember(Record& record, uint32_t layer, NodeId member,
                          std::map<std::string, Span>& assigned) {
  const syntax::Tree& t = record.layers[layer].module->tree;
  const Node& node = t[member];
  bool inSchema = record.layers[layer].kind == LayerKind::SchemaBody;
  switch (node.kind) {
  case Kind::Field: {
    if (!inSchema) {
      diagnostics
          .report(Code::E0110, node.span, "fields are declared in a `schema` only",
                  "a declaration in a value")
          .helpText("to set a field write `name = value`");
      return;
    }
    uint32_t field = findField(*record.schema, node.name);
    if (field == kNoField || !t.child(member, 2).valid()) return;
    Slot& slot = record.slots[field];
    slot.definition = {layer, t.child(member, 2), node.nameSpan, t.child(member, 3)};
    dropPatches(record, slot.patches);
    return;
  }
  case Kind::Assign:
  case Kind::Nest: {
    NodeId path = t.child(member, 0);
    std::string text;
    for (NodeId piece : t.children(path)) {
      bool word = t[piece].kind == Kind::Word;
      text += word ? std::string(str(t[piece].name)) : std::string(sources.text(t[piece].span));
      text += '.';
    }
    auto [first, isNew] = assigned.try_emplace(text, t[path].span);
    if (!isNew) {
      diagnostics
          .report(Code::E0303, t[path].span,
                  fmt::format("`{}` is set twice", sources.text(t[path].span)), "set again here")
          .label(first->second, "first set here")
          .helpText("keep one of the two lines");
      return;
    }
    applyPath(record, layer, member, 0);
    return;
  }
  case Kind::Child: applyChild(record, layer, member); return;
  case Kind::Require:
  case Kind::Warn: record.rules.push_back({layer, member}); return;
  case Kind::Let:
    if (!record.layers[layer].module->embedded)
      warnHidden(node.name, node.nameSpan, frameOf(&record, layer));
    return;
  case Kind::Shard:
  case Kind::Store:
  case Kind::Stages: record.placements.push_back({layer, member}); return;
  case Kind::Children:
  case Kind::Origin: return;
  case Kind::Bad: record.broken = record.damaged = true; return;  // it may set what is missing
  default:
    diagnostics.report(
        Code::E0110, node.span,
        fmt::format("this statement has no meaning in a `{}`", str(record.schema->name)));
  }
}

bool Checker::mayAssign(Record& record, uint32_t layer, uint32_t index, Span span) {
  const Field& field = record.schema->fields[index];
  if (field.role == FieldRole::Input) return true;
  if (field.role == FieldRole::Filled && record.layers[layer].fromSchema) return true;
  const Node& declared = field.module->tree[field.node];
  auto& d =
      diagnostics.report(Code::E0304, span,
                         fmt::format("`{}` cannot be set: it is {}", str(field.name),
                                     field.role == FieldRole::Derived  ? "derived from other fields"
                                     : field.role == FieldRole::Filled ? "filled in by the compiler"
                                                                       : "a result of evaluation"),
                         "set here");
  d.label(declared.nameSpan, "declared here");
  NodeId formula = field.module->tree.child(field.node, 2);
  if (formula.valid()) {
    d.helpText(fmt::format("it is `{}`: change what that reads",
                           sources.text(field.module->tree[formula].span)));
  }
  return false;
}

void Checker::applyPath(Record& record, uint32_t layer, NodeId member, uint32_t start) {
  const syntax::Tree& t = record.layers[layer].module->tree;
  NodeId path = t.child(member, 0);
  NodeId first = t.child(path, start);
  uint32_t length = t[path].childCount;
  if (t[first].kind != Kind::Word) {
    diagnostics.report(Code::E0301, t[first].span, "a field name must stand here");
    return;
  }
  uint32_t index = findField(*record.schema, t[first].name);
  if (index == kNoField) {
    record.broken = record.damaged = true;
    return unknownField(*record.schema, t[first].name, t[first].span);
  }
  Slot& slot = record.slots[index];
  bool last = start + 1 == length;
  bool isAssign = t[member].kind == Kind::Assign;
  const Field& field = record.schema->fields[index];
  if (field.isGroup) return applyGroupPath(record, layer, member, start + 1, slot);
  // A path into a result or derived record would set what evaluation finds.
  if (!mayAssign(record, layer, index, t[path].span)) return;
  if (last && isAssign) {
    slot.definition = {layer, t.child(member, 1), t[member].span, t.child(member, 2)};
    dropPatches(record, slot.patches);
    return;
  }
  if (last)
    slot.patches.push_back({layer, t.child(member, 1), 0});
  else
    slot.patches.push_back({layer, member, start + 1});
}

Child* Checker::findChild(Slot& slot, Name label) {
  constexpr size_t kFew = 16;
  if (slot.children.size() <= kFew) {
    auto child = std::ranges::find(slot.children, label, &Child::label);
    return child == slot.children.end() ? nullptr : &*child;
  }
  // Children that came since then follow those that are in the index; a drop clears it.
  for (size_t i = slot.childIndex.size(); i < slot.children.size(); ++i)
    slot.childIndex[slot.children[i].label.id] = static_cast<uint32_t>(i);
  auto found = slot.childIndex.find(label.id);
  return found == slot.childIndex.end() ? nullptr : &slot.children[found->second];
}

void Checker::applyGroupPath(Record& record, uint32_t layer, NodeId member, uint32_t start,
                             Slot& slot) {
  const syntax::Tree& t = record.layers[layer].module->tree;
  NodeId path = t.child(member, 0);
  bool isAssign = t[member].kind == Kind::Assign;
  if (start >= t[path].childCount || t[t.child(path, start)].kind != Kind::Word) {
    diagnostics
        .report(
            Code::E0305, t[path].span,
            fmt::format("`{}` is a group of children, not one value", sources.text(t[path].span)))
        .helpText("name the child, as in `memory.hbm.stacks = 4`");
    return;
  }
  NodeId word = t.child(path, start);
  Child* child = findChild(slot, t[word].name);
  if (!child) {
    std::vector<std::string_view> labels;
    labels.reserve(slot.children.size());
    for (const Child& c : slot.children) labels.push_back(str(c.label));
    auto& d = diagnostics.report(Code::E0306, t[word].span,
                                 fmt::format("there is no child `{}` to amend", str(t[word].name)),
                                 "does not exist");
    d.suggest(suggestion(str(t[word].name), labels), t[word].span);
    return;
  }
  bool last = start + 1 == t[path].childCount;
  if (last && isAssign) {
    child->definition = {layer, t.child(member, 1), t[member].span, t.child(member, 2)};
    child->patches.clear();
  } else if (last) {
    child->patches.push_back({layer, t.child(member, 1), 0});
  } else {
    child->patches.push_back({layer, member, start + 1});
  }
}

void Checker::applyChild(Record& record, uint32_t layer, NodeId member) {
  const syntax::Tree& t = record.layers[layer].module->tree;
  const Node& node = t[member];
  NodeId groupWord = t.child(member, 0);
  std::string_view groupName = str(t[groupWord].name);
  if (groupName == "mesh" && record.layers[layer].kind == LayerKind::SchemaBody) {
    record.placements.push_back({layer, member});
    return;
  }
  uint32_t index = findField(*record.schema, t[groupWord].name);
  if (index == kNoField || !record.schema->fields[index].isGroup) {
    record.broken = record.damaged = true;
    std::vector<std::string_view> groups;
    for (const Field& field : record.schema->fields) {
      if (field.isGroup) groups.push_back(str(field.name));
    }
    auto& d = diagnostics.report(
        Code::E0301, t[groupWord].span,
        fmt::format("a `{}` has no children `{}`", str(record.schema->name), groupName),
        "unknown group of children");
    Suggestion meant = suggestion(groupName, groups);
    if (!meant.word.empty())
      d.suggest(meant, t[groupWord].span);
    else if (index != kNoField)
      d.helpText(fmt::format("`{}` is a field: write `{} = …`", groupName, groupName));
    return;
  }
  Slot& slot = record.slots[index];
  Child* child = findChild(slot, node.name);
  bool exists = child != nullptr;
  if (node.flags & syntax::flag::Drop) {
    if (exists) {
      slot.children.erase(slot.children.begin() + (child - slot.children.data()));
      slot.childIndex.clear();
    } else
      diagnostics.report(Code::E0308, node.span,
                         fmt::format("there is no `{} {}` to drop", groupName, str(node.name)));
    return;
  }
  if ((node.flags & syntax::flag::New) && exists) {
    diagnostics
        .report(Code::E0307, node.nameSpan,
                fmt::format("`{} {}` exists already", groupName, str(node.name)), "not new")
        .label(child->span, "made here")
        .helpText("leave `new` away to amend it");
    return;
  }
  // In the body of a fresh instance a child is made; in an amend it must exist, or be `new`.
  bool fresh = true;
  for (uint32_t i = 0; i < layer; ++i) fresh &= record.layers[i].kind == LayerKind::SchemaBody;
  if (!exists && !fresh && !(node.flags & syntax::flag::New)) {
    std::vector<std::string_view> labels;
    labels.reserve(slot.children.size());
    for (const Child& c : slot.children) labels.push_back(str(c.label));
    auto& d = diagnostics.report(
        Code::E0306, node.nameSpan,
        fmt::format("there is no `{} {}` to amend", groupName, str(node.name)), "does not exist");
    Suggestion meant = suggestion(str(node.name), labels);
    if (meant.word.empty())
      d.helpText(fmt::format("write `new {} {}` to add one", groupName, str(node.name)));
    else
      d.suggest(meant, node.nameSpan);
    return;
  }
  if (exists && fresh && child->span.valid() && !child->patches.empty() &&
      child->patches.back().layer == layer) {
    diagnostics
        .report(Code::E0303, node.nameSpan,
                fmt::format("`{} {}` is set twice", groupName, str(node.name)), "set again here")
        .label(child->span, "first set here");
    return;
  }
  if (!exists) {
    child = &slot.children.emplace_back();
    child->label = node.name;
    child->span = node.nameSpan;
  }
  NodeId body = t.child(member, 1);
  NodeId expression = t.child(member, 2);
  if (expression.valid()) {
    child->definition = {layer, expression, node.nameSpan, {}};
    child->patches.clear();
  }
  if (body.valid()) child->patches.push_back({layer, body, 0});
  if (!body.valid() && !expression.valid() && !exists) {
    diagnostics.report(Code::E0110, node.span, "a child needs a body", "write `{ … }` after it");
    slot.children.pop_back();
    slot.childIndex.clear();
  }
}

void Checker::applyArguments(Record& record, uint32_t index) {
  const Layer& layer = record.layers[index];
  const syntax::Tree& t = layer.module->tree;
  auto children = t.children(layer.node);
  uint32_t position = 0;
  std::map<uint32_t, Span> seen;
  for (NodeId argument : children.subspan(1)) {
    const Node& node = t[argument];
    uint32_t field = kNoField;
    if (node.name) {
      field = findField(*record.schema, node.name);
      if (field == kNoField) {
        record.broken = record.damaged = true;
        unknownField(*record.schema, node.name, node.nameSpan);
        continue;
      }
    } else {
      // Without a name, arguments fill the schema's plain fields in the order of declaration.
      while (position < record.slots.size() &&
             (record.schema->fields[position].role != FieldRole::Input ||
              record.schema->fields[position].isGroup)) {
        ++position;
      }
      if (position == record.slots.size()) {
        diagnostics.report(Code::E0313, node.span,
                           fmt::format("`{}` takes fewer values", str(record.schema->name)),
                           "one too many");
        return;
      }
      field = position++;
    }
    if (!seen.try_emplace(field, node.span).second) {
      diagnostics.report(Code::E0303, node.span,
                         fmt::format("`{}` is set twice", str(record.schema->fields[field].name)));
      continue;
    }
    const Field& declared = record.schema->fields[field];
    // A call in the library may fill in what the compiler fills in: a kernel's sizes.
    bool filled = declared.role == FieldRole::Filled &&
                  (layer.fromSchema || layer.module->embedded || layer.outer->self == nullptr);
    if (!filled && !mayAssign(record, index, field, node.span)) continue;
    record.slots[field].definition = {index, t.child(argument, 0), node.span, {}};
    dropPatches(record, record.slots[field].patches);
  }
}

}  // namespace sysdl::check
