// `base.x` in the body of an amend: what x would be in the same record without that body. Like all
// definitions it is late bound: what it reads is read in the amended record.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;

/// The body that `base` refers to where `word` is that word; null where it is an ordinary name. What
/// a file declares or imports under that name comes first, as for all words of the language.
const Frame* Checker::amendingFrame(NodeId word, const Frame* frame) {
  const syntax::Node& node = tree(frame)[word];
  if (node.kind != Kind::Ref || str(node.name) != kBaseWord) return nullptr;
  const Module& module = *frame->module;
  if (module.values.contains(node.name.id) || module.imports.contains(node.name.id)) return nullptr;
  auto named = [&](const auto& item) { return item.first == node.name; };
  for (const Frame* f = frame; f; f = f->outer) {
    if (std::ranges::any_of(f->locals, named)) return nullptr;
    if (!f->self) continue;
    const Layer& layer = f->self->layers[f->layer];
    if (layer.kind != LayerKind::Body) return nullptr;
    const syntax::Tree& t = layer.module->tree;
    bool isLet = std::ranges::any_of(t.children(layer.node), [&](NodeId member) {
      return t[member].kind == Kind::Let && t[member].name == node.name;
    });
    bool isField = findField(*f->self->schema, node.name) != kNoField;
    return isLet || isField ? nullptr : f;
  }
  return nullptr;
}

/// A record that holds what the layers below `layer` say of each slot of `record`.
Record* Checker::recordBelow(Record* record, uint32_t layer) {
  Record*& below = record->below[layer];
  if (below) return below;
  below = &records_.emplace_back();
  below->schema = record->schema;
  below->layers.assign(record->layers.begin(), record->layers.begin() + layer);
  below->slots.resize(record->slots.size());
  below->parent = record->parent;
  below->label = record->label;
  below->span = record->span;
  below->standsFor = record;
  for (uint32_t i = 0; i < layer; ++i) applyLayer(*below, i);
  return below;
}

Value Checker::baseValue(NodeId select, const Frame* amending, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  const syntax::Node& node = t[select];
  Record* record = amending->self;
  uint32_t index = findField(*record->schema, node.name);
  if (index == kNoField) {
    unknownField(*record->schema, node.name, node.nameSpan);
    return {};
  }
  const Field& field = record->schema->fields[index];
  if (field.role == FieldRole::Result || field.role == FieldRole::DerivedResult) {
    diagnostics
        .report(Code::E0312, node.span,
                fmt::format("`{}` is a result, and `base` knows values only", str(node.name)))
        .helpText("name the design that it is a result of");
    return {};
  }
  if (record->isAbstract) return slotValue(record, index, node.span);
  Record* below = recordBelow(record, amending->layer);
  Slot& slot = below->slots[index];
  const Type* type = fieldType(record->schema, index);
  bool needed = field.role == FieldRole::Input && !field.isGroup && !type->optional &&
                type->kind != TypeKind::Map;
  if (needed && !slot.isFixed && !isSet(*below, slot)) {
    diagnostics
        .report(Code::E0302, node.span,
                fmt::format("`{}` has no value before this body", str(node.name)),
                "nothing to read")
        .label(record->span, "in this record");
    return {};
  }
  if (reads_) reads_->emplace_back(below, index);
  return evaluateSlot(record, index, slot, below, node.span);
}

}  // namespace sysdl::check
