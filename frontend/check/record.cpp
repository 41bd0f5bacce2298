// Records: building them from layers, amending, and the values of their slots.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;

const Frame* Checker::frameOf(Record* record, uint32_t layer) {
  const Layer& l = record->layers[layer];
  if (l.kind == LayerKind::Arguments || l.kind == LayerKind::Member) return l.outer;
  if (!record->frames[layer]) {
    Frame* frame = newFrame(l.outer, l.module);
    frame->self = record;
    frame->layer = layer;
    record->frames[layer] = frame;
  }
  return record->frames[layer];
}

Frame* Checker::newFrame(const Frame* outer, const Module* module) {
  Frame& frame = frames_.emplace_back();
  frame.outer = outer;
  frame.module = module;
  return &frame;
}

std::vector<Layer> Checker::schemaLayers(const Schema* schema) {
  std::vector<Layer> layers;
  for (const Schema* s = schema; s; s = s->base) {
    Layer body;
    body.kind = LayerKind::SchemaBody;
    body.module = s->module;
    body.node = s->module->tree.child(s->node, 1);
    body.outer = &s->module->frame;
    body.fromSchema = true;
    layers.insert(layers.begin(), std::move(body));
  }
  return layers;
}

Record* Checker::construct(const Schema* schema, std::optional<Layer> layer, Span span) {
  std::vector<Layer> layers = schemaLayers(schema);
  if (layer) layers.push_back(std::move(*layer));
  return build(schema, std::move(layers), span);
}

Record* Checker::amend(Record* base, Layer layer, Span span) {
  std::vector<Layer> layers = base->layers;
  layers.push_back(std::move(layer));
  dropSuperseded(layers);
  return build(base->schema, std::move(layers), span);
}

Record* Checker::amend(Record* base, std::span<const Layer> added, Span span) {
  std::vector<Layer> layers;
  layers.reserve(base->layers.size() + added.size());
  layers.insert(layers.end(), base->layers.begin(), base->layers.end());
  layers.insert(layers.end(), added.begin(), added.end());
  dropSuperseded(layers);
  return build(base->schema, std::move(layers), span);
}

Record* Checker::amendFixed(Record* base, std::vector<std::pair<Name, Value>> values) {
  Layer layer;
  layer.kind = LayerKind::Fixed;
  layer.module = base->layers.back().module;
  layer.outer = base->layers.back().outer;
  layer.fixed = std::move(values);
  return amend(base, std::move(layer), base->span);
}

std::optional<Layer> Checker::amendLayer(Record* base, const std::string& origin,
                                         std::string source,
                                         std::vector<std::pair<Name, Value>> named) {
  Module& module = modules_.emplace_back();
  module.path = origin;
  module.start = sources.add(origin, std::move(source));
  module.tree = parseMember(module.start, sources, names, diagnostics);
  module.frame.module = &module;
  if (!module.tree.root.valid()) return std::nullopt;
  Layer layer;
  layer.kind = LayerKind::Body;
  layer.module = &module;
  layer.node = module.tree.root;
  // Names in the new value are looked up where the base was written.
  layer.outer = base->layers.back().outer;
  if (named.empty()) return layer;
  Frame* frame = newFrame(layer.outer, &module);
  frame->locals = std::move(named);
  layer.outer = frame;
  return layer;
}

Record* Checker::amendText(Record* base, const std::string& origin, std::string source) {
  std::optional<Layer> layer = amendLayer(base, origin, std::move(source), {});
  if (!layer) return base;
  Record* record = amend(base, std::move(*layer), base->span);
  record->label = base->label;
  return record;
}

Record* Checker::build(const Schema* schema, std::vector<Layer> layers, Span span) {
  bool tooDeep = isTooDeep(layers, span);
  Record& record = records_.emplace_back();
  record.schema = schema;
  record.layers = std::move(layers);
  record.frames.resize(record.layers.size());
  record.slots.resize(schema->fields.size());
  record.span = span;
  record.tooDeep = record.broken = record.damaged = tooDeep;
  for (uint32_t i = 0; i < record.layers.size(); ++i) applyLayer(record, i);
  requireFields(record);
  return &record;
}

/// Whether somebody gave a field a value. What a schema says of it (`plan.devices = …`) is none.
bool Checker::isSet(const Record& record, const Slot& slot) const {
  return slot.definition.node.valid() || std::ranges::any_of(slot.patches, [&](const Patch& patch) {
           return record.layers[patch.layer].kind != LayerKind::SchemaBody;
         });
}

void Checker::requireFields(Record& record) {
  std::string missing;
  for (uint32_t i = 0; i < record.slots.size(); ++i) {
    const Field& field = record.schema->fields[i];
    const Slot& slot = record.slots[i];
    if (field.role != FieldRole::Input || field.isGroup || slot.isFixed) continue;
    if (isSet(record, slot)) continue;
    const Type* type = fieldType(record.schema, i);
    if (type->optional || type->kind == TypeKind::Map || type->kind == TypeKind::Bad) continue;
    missing += fmt::format("{}`{}` ({})", missing.empty() ? "" : ", ", str(field.name),
                           describeType(*type));
  }
  // A misspelt field may be the missing one: it was reported.
  if (missing.empty() || record.broken) return;
  record.broken = record.damaged = true;
  diagnostics
      .report(Code::E0302, record.span,
              fmt::format("this `{}` lacks required fields", str(record.schema->name)),
              "fields are missing here")
      .helpText("set " + missing);
}

Value Checker::slotValue(Record* record, uint32_t field, Span use) {
  if (reads_) reads_->emplace_back(record, field);
  noteAsked(record, field);
  return evaluateSlot(record, field, record->slots[field], record, use);
}

Value Checker::evaluateSlot(Record* record, uint32_t field, Slot& slot, Record* holder, Span use) {
  if (slot.state == SlotState::Done) return slot.value;
  if (slot.state == SlotState::Evaluating) {
    reportCycle(holder, field, use);
    return {};
  }
  slot.state = SlotState::Evaluating;
  evaluating_.emplace_back(holder, field);
  auto* outerReads = reads_;
  reads_ = &slot.reads;
  slot.value = computeSlot(record, field, slot);
  reads_ = outerReads;
  evaluating_.pop_back();
  slot.state = SlotState::Done;
  return slot.value;
}

Value Checker::get(Record* record, std::string_view field) {
  uint32_t index = findField(*record->schema, name(field));
  return index == kNoField ? Value() : slotValue(record, index);
}

Span Checker::definitionSpan(Record* record, uint32_t field) {
  return definitionSpan(record, field, record->slots[field]);
}

Span Checker::definitionSpan(Record* record, uint32_t field, const Slot& slot) {
  if (slot.definition.span.valid()) return slot.definition.span;
  if (!slot.patches.empty()) {
    const Patch& patch = slot.patches.back();
    return record->layers[patch.layer].module->tree[patch.node].span;
  }
  const Field& f = record->schema->fields[field];
  return f.module->tree[f.node].nameSpan;
}

void Checker::adopt(Record* owner, Name label, const Value& value) {
  if (value.kind != ValueKind::Record || value.record->label) return;
  value.record->parent = owner;
  value.record->label = label;
}

Value Checker::computeSlot(Record* record, uint32_t index, Slot& slot) {
  const Field& field = record->schema->fields[index];
  if (field.isGroup) return computeGroup(record, index, slot);
  const Type* type = fieldType(record->schema, index);
  Span span = definitionSpan(record, index, slot);
  if (slot.isFixed) return slot.fixed;
  if (record->isShallow) return abstractValue(type, span);
  if (type->kind == TypeKind::Map) return computeMap(record, index, type, slot);

  Value value;
  std::string what = fmt::format("`{}`", str(field.name));
  if (slot.definition.node.valid()) {
    const Frame* frame = frameOf(record, slot.definition.layer);
    Value raw = evaluate(slot.definition.node, frame, type);
    adopt(record, field.name, raw);
    value = coerce(raw, type, tree(frame)[slot.definition.node].span, what);
  } else if (type->kind == TypeKind::Schema &&
             (field.role == FieldRole::Result || !slot.patches.empty()) &&
             !type->schema->isAbstract) {
    if (!slot.patches.empty() && field.role != FieldRole::Result) {
      // The first patch is the body of a plain instance, so that its fields count as set.
      Layer layer = layerOf(record, slot.patches.front());
      value.record = construct(type->schema, std::move(layer), span);
      value.kind = ValueKind::Record;
      adopt(record, field.name, value);
      std::vector<Patch> rest(slot.patches.begin() + 1, slot.patches.end());
      Value whole = patched(record, value, rest, span);
      adopt(record, field.name, whole);
      return whole;
    }
    value.record = construct(type->schema, std::nullopt, span);
    value.kind = ValueKind::Record;
  } else if (field.role == FieldRole::Result) {
    Number number = type->kind == TypeKind::Int    ? Number::Int
                    : type->kind == TypeKind::Bool ? Number::Bool
                                                   : Number::Real;
    FormulaId input = formulas.input(number, true, span);
    Record* owner = record;
    while (owner->parent) owner = owner->parent;
    resultOwners[input.index] = owner;
    value = scalar(input, type->dimension);
  } else if (record->isAbstract || field.role == FieldRole::Filled) {
    value = abstractValue(type, span);
  } else if (type->optional) {
    value.kind = ValueKind::Absent;
  } else if (isSet(*record, slot) && !record->damaged) {
    diagnostics.report(Code::E0305, span,
                       fmt::format("{} has no default that could be amended", what),
                       fmt::format("choose a kind of `{}`, as in `{} = kind {{ … }}`",
                                   type->schema ? str(type->schema->name) : "?", str(field.name)));
    return {};
  } else {
    return {};  // reported as missing when the record was made
  }
  adopt(record, field.name, value);
  if (!slot.patches.empty()) value = patched(record, value, slot.patches, span);
  adopt(record, field.name, value);
  if (!inRange(record, index, value)) return {};
  if (value.scalar() && (field.role == FieldRole::Input) && formulas[value.formula].usesResult) {
    diagnostics.report(Code::E0312, span,
                       fmt::format("{} is an input, and cannot depend on a result", what),
                       "reads a result of evaluation");
    return {};
  }
  return value;
}

Layer Checker::layerOf(Record* owner, const Patch& patch) {
  const Layer& from = owner->layers[patch.layer];
  Layer layer;
  layer.kind =
      from.module->tree[patch.node].kind == Kind::Body ? LayerKind::Body : LayerKind::Member;
  layer.module = from.module;
  layer.node = patch.node;
  layer.pathStart = patch.pathStart;
  layer.outer = frameOf(owner, patch.layer);
  layer.fromSchema = from.fromSchema;
  return layer;
}

Value Checker::patched(Record* owner, Value value, const std::vector<Patch>& patches, Span span) {
  if (value.bad()) return value;
  if (value.kind != ValueKind::Record) {
    const Patch& patch = patches.front();
    diagnostics.report(Code::E0305, owner->layers[patch.layer].module->tree[patch.node].span,
                       fmt::format("only a record can be amended, not {}", describeKind(value)));
    return {};
  }
  std::vector<Layer> layers = value.record->layers;
  for (const Patch& patch : patches) layers.push_back(layerOf(owner, patch));
  if (value.record->isAbstract) return value;
  dropSuperseded(layers);
  value.record = build(value.record->schema, std::move(layers), span);
  return value;
}

Value Checker::computeGroup(Record* record, uint32_t index, const Slot& slot) {
  const Field& field = record->schema->fields[index];
  const Type* type = fieldType(record->schema, index);
  Group& group = groups_.emplace_back();
  group.owner = record;
  group.element = type->schema;
  group.opaque = record->isAbstract;
  Value result;
  result.kind = ValueKind::Group;
  result.group = &group;
  if (type->kind != TypeKind::Schema) return {};
  for (const Child& child : slot.children) {
    Value value;
    if (child.definition.node.valid()) {
      const Frame* frame = frameOf(record, child.definition.layer);
      Value raw = evaluate(child.definition.node, frame, type);
      adopt(record, child.label, raw);
      value = coerce(raw, type, tree(frame)[child.definition.node].span,
                     fmt::format("`{} {}`", str(field.name), str(child.label)));
      if (!child.patches.empty()) value = patched(record, value, child.patches, child.span);
    } else if (type->schema->isAbstract) {
      diagnostics.report(
          Code::E0305, child.span,
          fmt::format("`{}` is abstract: a child needs a kind of it", str(type->schema->name)),
          fmt::format("write `{} {} = kind {{ … }}`", str(field.name), str(child.label)));
    } else {
      Layer first = layerOf(record, child.patches.front());
      value.kind = ValueKind::Record;
      value.record = construct(type->schema, std::move(first), child.span);
      std::vector<Patch> rest(child.patches.begin() + 1, child.patches.end());
      if (!rest.empty()) value = patched(record, value, rest, child.span);
    }
    adopt(record, child.label, value);
    group.items.emplace_back(child.label, value);
  }
  std::ranges::sort(group.items, {}, [&](const auto& item) { return str(item.first); });
  return result;
}

Value Checker::computeMap(Record* record, uint32_t index, const Type* type, const Slot& slot) {
  const Field& field = record->schema->fields[index];
  if (record->isAbstract) return abstractValue(type, field.module->tree[field.node].span);
  MapValue& map = maps_.emplace_back();
  map.words = type->words;
  if (slot.definition.node.valid()) {
    const Frame* frame = frameOf(record, slot.definition.layer);
    Value base = coerce(evaluate(slot.definition.node, frame, type), type, slot.definition.span,
                        fmt::format("`{}`", str(field.name)));
    if (base.kind == ValueKind::Map) map.items = base.map->items;
  }
  for (const Patch& patch : slot.patches) {
    const syntax::Tree& t = record->layers[patch.layer].module->tree;
    const Frame* frame = frameOf(record, patch.layer);
    NodeId path = t.child(patch.node, 0);
    uint32_t at = patch.pathStart;
    if (t[patch.node].kind != Kind::Assign || at >= t[path].childCount ||
        t[t.child(path, at)].kind != Kind::PathIndex || at + 1 != t[path].childCount) {
      diagnostics.report(Code::E0305, t[patch.node].span,
                         fmt::format("`{}` is {}: set one entry, as in `{}[{}] = …`",
                                     str(field.name), describeType(*type), str(field.name),
                                     str(type->words->words.front())));
      continue;
    }
    Type keyType;
    keyType.kind = TypeKind::Enum;
    keyType.words = type->words;
    NodeId keyNode = t.child(t.child(path, at), 0);
    Value key = coerce(evaluate(keyNode, frame, &keyType), &keyType, t[keyNode].span, "the key");
    NodeId valueNode = t.child(patch.node, 1);
    std::string what = fmt::format("`{}`", sources.text(t[path].span));
    Value value =
        coerce(evaluate(valueNode, frame, type->element), type->element, t[valueNode].span, what);
    if (key.bad()) continue;
    auto place =
        std::ranges::lower_bound(map.items, key.word, {}, [](const auto& i) { return i.first; });
    if (place != map.items.end() && place->first == key.word)
      place->second = value;
    else
      map.items.insert(place, {key.word, value});
  }
  Value result;
  result.kind = ValueKind::Map;
  result.map = &map;
  return result;
}

bool Checker::inRange(Record* record, uint32_t index, const Value& value) {
  const Field& field = record->schema->fields[index];
  const syntax::Tree& t = field.module->tree;
  NodeId range = t.child(field.node, 1);
  if (!range.valid() || !value.scalar() || record->isAbstract) return true;
  const FormulaNode& node = formulas[value.formula];
  if (node.symbolic || node.faulty) return true;
  double number =
      value.number == Number::Real ? node.value.real : static_cast<double>(node.value.integer);
  auto [low, high] = rangeOf(record, index);
  if ((!low || number >= *low) && (!high || number <= *high)) return true;
  diagnostics
      .report(Code::E0309, definitionSpan(record, index),
              fmt::format("`{}` is {}, outside its range", str(field.name), text(value)),
              fmt::format("must be in {}", sources.text(t[range].span)))
      .label(t[range].span, "the range is declared here");
  return false;
}

void Checker::reportCycle(Record* record, uint32_t field, Span use) {
  auto label = [&](const std::pair<Record*, uint32_t>& slot) {
    std::string path(str(slot.first->schema->fields[slot.second].name));
    for (Record* r = slot.first; r && r->label; r = r->parent) {
      path = std::string(str(r->label)) + "." + path;
    }
    return path;
  };
  std::string path;
  auto first = std::ranges::find(evaluating_, std::pair(record, field));
  for (auto step = first; step != evaluating_.end(); ++step) path += label(*step) + " -> ";
  path += label({record, field});
  Span at = definitionSpan(record, field);
  auto& d = diagnostics.report(Code::E0310, at, "a value depends on itself", "this value");
  if (use.valid() && !(use == at)) d.label(use, "is needed here");
  d.note(path);
}

}  // namespace sysdl::check
