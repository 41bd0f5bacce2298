// Values of records: their definitions, what those name, and so on down.
#include "driver/explain/reason.h"

#include <algorithm>
#include <functional>

#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Frame;
using check::Layer;
using check::LayerKind;
using check::Record;
using check::Slot;
using check::Value;
using check::ValueKind;
using syntax::Kind;
using syntax::NodeId;

namespace {

std::string oneLine(std::string_view text) {
  std::string out;
  for (char ch : text) {
    bool space = ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t';
    if (!space)
      out += ch;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

NodeId letIn(const Layer& layer, Name wanted) {
  if (layer.kind != LayerKind::Body && layer.kind != LayerKind::SchemaBody) return {};
  const syntax::Tree& t = layer.module->tree;
  for (NodeId member : t.children(layer.node)) {
    if (t[member].kind == Kind::Let && t[member].name == wanted) return member;
  }
  return {};
}

/// What a name stands for in a frame: a slot or a `let`; neither for locals and declarations.
struct Meaning {
  std::optional<std::pair<Record*, uint32_t>> slot;
  Record* record = nullptr;  // of a let
  uint32_t layer = 0;
  NodeId let;
};

Meaning meaningOf(Name wanted, const Frame* frame) {
  for (const Frame* f = frame; f; f = f->outer) {
    for (const auto& [local, value] : f->locals) {
      if (local == wanted) return {};
    }
    if (!f->self) continue;
    uint32_t first = f->self->layers[f->layer].kind == LayerKind::SchemaBody ? 0 : f->layer;
    for (uint32_t layer = f->layer + 1; layer-- > first;) {
      NodeId let = letIn(f->self->layers[layer], wanted);
      if (let.valid()) return {std::nullopt, f->self, layer, let};
    }
    auto index = f->self->schema->index.find(wanted.id);
    if (index != f->self->schema->index.end())
      return {std::pair(f->self, index->second), {}, 0, {}};
  }
  return {};
}

/// The source that a body states for all of its facts.
NodeId originIn(const syntax::Tree& t, NodeId body) {
  if (!body.valid() || t[body].kind != Kind::Body) return {};
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Origin) return member;
  }
  return {};
}

}  // namespace

void Reasoner::place(Reason& reason, Span span) const {
  if (!span.valid()) return;
  LineColumn at = session_.sources.resolve(span.begin);
  reason.file = at.path;
  reason.line = at.line;
}

void Reasoner::value(Reason& reason, const Value& value) {
  reason.value = c_.text(value);
  if (!value.scalar()) return;
  if (auto word = c_.formulas.resolve(value.formula)) {
    reason.number = value.number == Number::Real ? word->real : static_cast<double>(word->integer);
  }
  reason.extrapolated = c_.formulas[value.formula].extrapolated;
}

std::string Reasoner::pathOf(const SlotOf& slot) const {
  std::string path(c_.str(slot.first->schema->fields[slot.second].name));
  for (const Record* r = slot.first; r && r != root_; r = r->parent) {
    if (r->label) path = fmt::format("{}.{}", c_.str(r->label), path);
  }
  return path;
}

Provenance Reasoner::provenanceOf(const SlotOf& at) const {
  const Slot& slot = at.first->slots[at.second];
  auto read = [&](const syntax::Tree& t, NodeId node) {
    return Provenance{std::string(c_.str(t[node].name)), std::string(c_.str(t[node].text))};
  };
  if (!slot.definition.node.valid()) return {};
  const Layer& layer = at.first->layers[slot.definition.layer];
  const syntax::Tree& t = layer.module->tree;
  if (slot.definition.origin.valid()) return read(t, slot.definition.origin);
  // A record's source covers what stands in its body, and in the bodies inside it.
  if (NodeId own = originIn(t, layer.node); own.valid()) return read(t, own);
  for (const Frame* f = layer.outer; f && f->self; f = f->outer) {
    const Layer& outer = f->self->layers[f->layer];
    if (NodeId own = originIn(outer.module->tree, outer.node); own.valid())
      return read(outer.module->tree, own);
  }
  return {};
}

void Reasoner::follow(const SlotOf& at) {
  if (!followed_.insert(at).second) return;
  const Slot& slot = at.first->slots[at.second];
  for (const SlotOf& read : slot.reads) follow(read);
  Provenance from = provenanceOf(at);
  const Value& value = slot.value;
  bool curve = value.kind == ValueKind::Curve;
  bool knob = (from.origin == "fitted" || from.origin == "assumed") && (value.scalar() || curve);
  if (!knob) return;
  std::string shown = c_.text(value);
  if (curve) {
    auto end = [&](double x) {
      return c_.text(c_.realValue(x, value.curve->x, slot.definition.span));
    };
    const Curve& points = value.curve->curve;
    shown = fmt::format("known from {} to {}", end(points.x.front()), end(points.x.back()));
  }
  LineColumn place = session_.sources.resolve(slot.definition.span.begin);
  std::string name = pathOf(at);
  knobs_[fmt::format("{} {}:{}", name, place.path, place.line)] = {
      name, shown, std::string(place.path), place.line, from};
}

std::vector<Knob> Reasoner::knobs() const {
  std::vector<Knob> all;
  for (const auto& [key, knob] : knobs_) all.push_back(knob);
  std::ranges::stable_sort(all, {}, [](const Knob& k) { return std::pair(k.file, k.line); });
  return all;
}

Reason Reasoner::slot(SlotOf at, const std::string& name, size_t depth) {
  Reason reason;
  reason.name = name;
  const check::Field& field = at.first->schema->fields[at.second];
  Value v = c_.slotValue(at.first, at.second);
  follow(at);
  value(reason, v);
  const Slot& slot = at.first->slots[at.second];
  if (field.role == check::FieldRole::Result) {
    place(reason, field.module->tree[field.node].nameSpan);
    composed(pathOf(at), reason, depth);
    return reason;
  }
  reason.provenance = provenanceOf(at);
  place(reason, slot.definition.span.valid() ? slot.definition.span
                                             : field.module->tree[field.node].nameSpan);
  if (!slot.definition.node.valid()) return reason;
  const Frame* frame = c_.frameOf(at.first, slot.definition.layer);
  Reason how = expression(slot.definition.node, frame, depth);
  if (how.parts.empty() && how.filled == how.formula) return reason;  // a literal
  // A mere other name for one value is no step of its own.
  bool alias = how.parts.size() == 1 && how.parts[0].name == how.formula &&
               how.parts[0].value == reason.value && !how.parts[0].formula.empty();
  if (alias) how = std::move(how.parts[0]);
  reason.formula = how.formula;
  reason.filled = how.filled;
  reason.parts = std::move(how.parts);
  // What was explained above is not explained again.
  if (!reason.parts.empty() && !explained_.insert(at).second) {
    reason.parts.clear();
    reason.note = "as above";
  }
  return reason;
}

Reason Reasoner::expression(NodeId node, const Frame* frame, size_t depth) {
  Reason reason;
  const syntax::Tree& t = frame->module->tree;
  reason.formula = oneLine(c_.sources.text(t[node].span));
  terms(node, frame, depth, reason);
  // Values take the place of names, from the right so that places stay true.
  std::vector<std::pair<Span, std::string>> fills;
  std::function<void(NodeId)> collect = [&](NodeId n) {
    if (t[n].kind == Kind::Ref || t[n].kind == Kind::Select) {
      if (t[n].kind == Kind::Ref && meaningOf(t[n].name, frame).slot == std::nullopt &&
          !meaningOf(t[n].name, frame).let.valid())
        return;
      Value v = c_.evaluate(n, frame);
      if (v.scalar() || v.kind == ValueKind::Word) fills.emplace_back(t[n].span, c_.text(v));
      return;
    }
    if (t[n].kind == Kind::Comprehension || t[n].kind == Kind::Amend) return;
    uint32_t first = t[n].kind == Kind::Call ? 1 : 0;
    for (NodeId child : t.children(n).subspan(first)) {
      if (child.valid()) collect(child);
    }
  };
  size_t said = session_.diagnostics.size();
  collect(node);
  session_.diagnostics.takeFrom(said);
  std::string text(c_.sources.text(t[node].span));
  std::ranges::sort(fills,
                    [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  for (const auto& [span, shown] : fills) {
    size_t at = span.begin.offset - t[node].span.begin.offset;
    text.replace(at, span.end.offset - span.begin.offset, shown);
  }
  reason.filled = oneLine(text);
  return reason;
}

void Reasoner::terms(NodeId node, const Frame* frame, size_t depth, Reason& reason) {
  const syntax::Tree& t = frame->module->tree;
  if (t[node].kind == Kind::Ref || t[node].kind == Kind::Select)
    return term(node, frame, depth, reason);
  if (t[node].kind == Kind::Amend) return;
  uint32_t first = t[node].kind == Kind::Call ? 1 : 0;
  for (NodeId child : t.children(node).subspan(first)) {
    if (child.valid()) terms(child, frame, depth, reason);
  }
}

void Reasoner::term(NodeId node, const Frame* frame, size_t depth, Reason& reason) {
  const syntax::Tree& t = frame->module->tree;
  std::string text = oneLine(c_.sources.text(t[node].span));
  if (std::ranges::find(reason.parts, text, &Reason::name) != reason.parts.end()) return;
  NodeId first = node;
  while (t[first].kind == Kind::Select) first = t.child(first, 0);
  if (t[first].kind != Kind::Ref) return terms(t.child(node, 0), frame, depth, reason);
  Meaning meaning = meaningOf(t[first].name, frame);
  bool declared = frame->module->values.contains(t[first].name.id) ||
                  frame->module->imports.contains(t[first].name.id);
  if (!meaning.slot && !meaning.let.valid() && !(declared && first != node)) return;
  size_t said = session_.diagnostics.size();
  Value v = c_.evaluate(node, frame);
  session_.diagnostics.takeFrom(said);
  bool shown = v.scalar() || v.kind == ValueKind::Word;
  if (!shown) return;
  if (meaning.let.valid() && first == node) {
    Reason part;
    if (depth > 0) {
      const Frame* inside = c_.frameOf(meaning.record, meaning.layer);
      part = expression(inside->module->tree.child(meaning.let, 0), inside, depth - 1);
    }
    place(part, meaning.record->layers[meaning.layer].module->tree[meaning.let].nameSpan);
    part.name = text;
    value(part, v);
    bool again = !explainedLets_.insert({meaning.record, meaning.let.index}).second;
    if (again && !part.parts.empty()) {
      part.parts.clear();
      part.note = "as above";
    }
    reason.parts.push_back(std::move(part));
    return;
  }
  // The slot at the end of a path.
  std::optional<SlotOf> at = first == node ? meaning.slot : std::nullopt;
  if (t[node].kind == Kind::Select) {
    Value base = c_.evaluate(t.child(node, 0), frame);
    if (base.kind == ValueKind::Record) {
      auto index = base.record->schema->index.find(t[node].name.id);
      if (index != base.record->schema->index.end()) at = SlotOf(base.record, index->second);
    }
  }
  if (!at) return;
  if (depth == 0) {
    Reason part;
    part.name = text;
    value(part, v);
    follow(*at);
    part.provenance = provenanceOf(*at);
    const Slot& slot = at->first->slots[at->second];
    if (slot.definition.span.valid()) place(part, slot.definition.span);
    reason.parts.push_back(std::move(part));
    return;
  }
  reason.parts.push_back(slot(*at, text, depth - 1));
}

Reason Reasoner::field(const std::string& path) {
  Record* record = root_;
  std::string rest = path;
  Reason none;
  for (;;) {
    size_t dot = rest.find('.');
    auto index = record->schema->index.find(c_.name(rest.substr(0, dot)).id);
    if (index == record->schema->index.end()) return none;
    if (dot == std::string::npos) return slot({record, index->second}, path, depth_);
    Value value = c_.slotValue(record, index->second);
    rest = rest.substr(dot + 1);
    if (value.kind == ValueKind::Group) {
      dot = std::min(rest.find('.'), rest.size());
      const Value* found = nullptr;
      for (const auto& [label, item] : value.group->items) {
        if (c_.str(label) == rest.substr(0, dot)) found = &item;
      }
      if (!found || dot == rest.size()) return none;
      value = *found;
      rest = rest.substr(dot + 1);
    }
    if (value.kind != ValueKind::Record) return none;
    record = value.record;
  }
}

}  // namespace sysdl
