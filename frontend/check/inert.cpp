// Inputs that cannot change any result (W0601): what a design's own text sets, and nothing that was asked for
// rests on. What was asked for are the slots that rules, lowering, results and tests read.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

namespace {

/// The records that a design holds, itself first.
void collectParts(Checker& c, Record* record, std::vector<Record*>& parts) {
  if (record->isAbstract || std::ranges::find(parts, record) != parts.end()) return;
  parts.push_back(record);
  for (const Slot& slot : record->slots) {
    if (slot.state != SlotState::Done) continue;
    auto visit = [&](const Value& value) {
      bool owned = value.kind == ValueKind::Record && value.record->parent == record;
      if (owned) collectParts(c, value.record, parts);
    };
    visit(slot.value);
    if (slot.value.kind != ValueKind::Group) continue;
    for (const auto& [label, item] : slot.value.group->items) visit(item);
  }
}

bool isResult(FieldRole role) {
  return role == FieldRole::Result || role == FieldRole::DerivedResult;
}

}  // namespace

/// The definitions, by module and node, that anything asked for rests on. By definition and not by slot:
/// the compiler also looks at copies of records, in which more is filled in.
llvm::DenseSet<std::pair<const Module*, uint32_t>> Checker::restedOn(Record* design) {
  std::vector<std::pair<Record*, uint32_t>> open(asked_.begin(), asked_.end());
  std::vector<Record*> parts;
  collectParts(*this, design, parts);
  for (Record* part : parts) {
    for (uint32_t i = 0; i < part->slots.size(); ++i) {
      const Field& field = part->schema->fields[i];
      // A user's own derived values are there to be looked at.
      bool own = field.role == FieldRole::Derived && !field.module->embedded;
      if (isResult(field.role) || own) open.emplace_back(part, i);
    }
  }
  llvm::DenseSet<std::pair<Record*, uint32_t>> seen;
  llvm::DenseSet<std::pair<const Module*, uint32_t>> found;
  while (!open.empty()) {
    auto [record, field] = open.back();
    open.pop_back();
    if (!seen.insert({record, field}).second) continue;
    const Slot& slot = record->slots[field];
    open.insert(open.end(), slot.reads.begin(), slot.reads.end());
    if (slot.definition.node.valid())
      found.insert({record->layers[slot.definition.layer].module, slot.definition.node.index});
  }
  return found;
}

/// Whether a place lies in the text of a design, or of `-D`: a chip or network of its own states what it
/// is, whatever a design makes of it.
bool Checker::isOfDesign(const Module& module, Span span) {
  if (module.embedded) return false;
  if (!byPath_.contains(module.path)) return true;
  const Schema* design = preludeSchema("design");
  return std::ranges::any_of(module.values, [&](const auto& item) {
    const Declaration& declaration = item.second;
    if (declaration.kind != DeclarationKind::Value) return false;
    const Value& value = declaration.value;
    if (value.kind != ValueKind::Record || !value.record->schema->is(design)) return false;
    Span all = module.tree[declaration.node].span;
    return all.begin <= span.begin && span.end <= all.end;
  });
}

void Checker::warnInert(Record* design) {
  auto rested = restedOn(design);
  std::vector<Record*> parts;
  collectParts(*this, design, parts);
  for (Record* part : parts) {
    for (uint32_t i = 0; i < part->slots.size(); ++i) {
      const Slot& slot = part->slots[i];
      const Field& field = part->schema->fields[i];
      bool input = field.role == FieldRole::Input && slot.definition.node.valid();
      bool number = slot.value.scalar() || slot.value.kind == ValueKind::Word;
      if (!input || !number) continue;
      const Layer& layer = part->layers[slot.definition.layer];
      if (layer.kind == LayerKind::SchemaBody || !isOfDesign(*layer.module, slot.definition.span))
        continue;
      if (rested.contains({layer.module, slot.definition.node.index})) continue;
      diagnostics
          .report(Code::W0601, slot.definition.span,
                  fmt::format("`{}` cannot change any result of this design", str(field.name)),
                  "nothing rests on it")
          .helpText("leave it out, or say why it stays: `// allow W0601: reason`");
    }
  }
}

}  // namespace sysdl::check
