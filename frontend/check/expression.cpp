// Expressions: from syntax to values, each form in one function.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

constexpr int kMaxDepth = 1000;  // nested evaluations; the machine's stack holds several times that

}  // namespace

Value Checker::scalar(FormulaId formula, Dimension dimension) {
  Value value;
  value.kind = ValueKind::Scalar;
  value.number = formulas[formula].type;
  value.formula = formula;
  value.dimension = dimension;
  return value;
}

Value Checker::textValue(std::string text) {
  TextValue& object = texts_.emplace_back();
  object.pieces.emplace_back(std::move(text), Value());
  Value value;
  value.kind = ValueKind::Text;
  value.text = &object;
  return value;
}

Value Checker::listValue(std::vector<Value> items, bool opaque, const Value& sample) {
  ListValue& list = lists_.emplace_back();
  list.items = std::move(items);
  list.opaque = opaque;
  list.sample = sample;
  Value value;
  value.kind = ValueKind::List;
  value.list = &list;
  return value;
}

Value Checker::evaluate(NodeId node, const Frame* frame, const Type* expected) {
  if (depth_ >= kMaxDepth) {
    if (!depthReported_) {
      diagnostics
          .report(Code::E0120, tree(frame)[node].span,
                  fmt::format("this takes more than {} steps within one another to evaluate",
                              kMaxDepth),
                  "too deep")
          .helpText("name parts of a long expression with `let`, or sum a list");
    }
    depthReported_ = true;
    return {};
  }
  ++depth_;
  Value value = evaluateRaw(node, frame, expected);
  --depth_;
  return value;
}

Value Checker::evaluateRaw(NodeId node, const Frame* frame, const Type* expected) {
  const syntax::Tree& t = tree(frame);
  const Node& n = t[node];
  switch (n.kind) {
  case Kind::Group: return evaluate(t.child(node, 0), frame, expected);
  case Kind::Number: return evaluateNumber(node, frame);
  case Kind::Text: return evaluateText(node, frame);
  case Kind::True: return scalar(formulas.truth(true, n.span));
  case Kind::False: return scalar(formulas.truth(false, n.span));
  case Kind::Ref: return evaluateRef(node, frame, expected);
  case Kind::Select: return evaluateSelect(node, frame);
  case Kind::Index: return evaluateIndex(node, frame);
  case Kind::Call: return evaluateCall(node, frame, expected);
  case Kind::Amend: return evaluateAmend(node, frame, expected);
  case Kind::Binary: return evaluateBinary(node, frame);
  case Kind::Not:
  case Kind::Negate: return evaluateUnary(node, frame);
  case Kind::Range: return evaluateRange(node, frame);
  case Kind::If: return evaluateIf(node, frame, expected);
  case Kind::List: return evaluateList(node, frame, expected);
  case Kind::Comprehension: return evaluateComprehension(node, frame, expected);
  default: return {};
  }
}

/// A number says the same wherever its text is read again: it is read once.
Value Checker::evaluateNumber(NodeId node, const Frame* frame) {
  std::pair<const Module*, uint32_t> key{frame->module, node.index};
  auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  Value value = readNumber(node, frame);
  if (!value.bad()) numbers_.try_emplace(key, value);
  return value;
}

Value Checker::readNumber(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  const Node& n = t[node];
  std::string_view digits = str(n.text);
  auto exact = Exact::decimal(digits);
  if (!exact) {
    diagnostics.report(Code::E0410, n.span, "this number has too many digits",
                       "at most 40 digits and an exponent of 400");
    return {};
  }
  NodeId unitNode = t.childCountOf(node) ? t.child(node, 0) : NodeId();
  if (!unitNode.valid()) {
    if (digits.find_first_of(".eE") != std::string_view::npos) {
      return realValue(exact->toDouble(), {}, n.span);
    }
    auto whole = exact->toInteger();
    if (whole) return integerValue(*whole, n.span);
    diagnostics
        .report(Code::E0410, n.span, "this whole number does not fit in 64 bits", "too large")
        .helpText("write it as a real number, such as `1e20`");
    return {};
  }
  const Node& unit = t[unitNode];
  UnitLookup found = units.parse(str(unit.text));
  if (found.fault == UnitFault::None) {
    double value = exact->times(found.scale).toDouble();
    if (!(value < 1e300)) {
      diagnostics.report(Code::E0412, n.span, "this quantity is too large to compute with");
      return {};
    }
    return realValue(value, found.dimension, n.span);
  }
  bool prefix = found.fault == UnitFault::PrefixNotAllowed;
  auto& d =
      diagnostics.report(prefix ? Code::E0405 : Code::E0401, unit.span,
                         prefix ? fmt::format("the unit in `{}` takes no such prefix", found.word)
                                : fmt::format("unknown unit `{}`", found.word),
                         prefix ? "prefix not allowed" : "not a unit");
  if (!found.suggestion.empty()) {
    // Without its prefix, it would be another amount.
    d.suggest({found.suggestion, found.sure && !prefix}, unit.span);
  } else {
    d.helpText(fmt::format("there are {}; declare another with `unit name = …`", units.listText()));
  }
  return {};
}

Value Checker::evaluateText(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  TextValue& object = texts_.emplace_back();
  for (NodeId piece : t.children(node)) {
    if (t[piece].kind == Kind::TextPiece) {
      if (object.pieces.empty() || !object.pieces.back().second.bad()) object.pieces.emplace_back();
      object.pieces.back().first += str(t[piece].text);
      continue;
    }
    if (object.pieces.empty() || !object.pieces.back().second.bad()) object.pieces.emplace_back();
    object.pieces.back().second = evaluate(piece, frame);
  }
  if (object.pieces.empty()) object.pieces.emplace_back();
  Value value;
  value.kind = ValueKind::Text;
  value.text = &object;
  return value;
}

std::optional<Value> Checker::wordOfType(const EnumType* words, Name wanted) {
  auto found = std::ranges::find(words->words, wanted);
  if (found == words->words.end()) return std::nullopt;
  Value value;
  value.kind = ValueKind::Word;
  value.words = words;
  value.word = static_cast<uint32_t>(found - words->words.begin());
  return value;
}

Value Checker::evaluateRef(NodeId node, const Frame* frame, const Type* expected) {
  const Node& n = tree(frame)[node];
  return lookup(n.name, frame, n.span, expected);
}

std::optional<Value> Checker::fieldOfSomeKind(const Schema* schema, Name member, Span span) {
  for (Schema& kind : schemas_) {
    completeSchema(kind);
    if (!kind.is(schema)) continue;
    uint32_t index = findField(kind, member);
    if (index != kNoField) return abstractValue(fieldType(&kind, index), span);
  }
  return std::nullopt;
}

Value Checker::memberOf(const Value& base, Name member, Span span, Span baseSpan) {
  switch (base.kind) {
  case ValueKind::Bad: return {};
  case ValueKind::Record: {
    uint32_t index = findField(*base.record->schema, member);
    if (index != kNoField) return slotValue(base.record, index, span);
    if (base.record->isAbstract && base.record->schema->isAbstract) {
      if (auto value = fieldOfSomeKind(base.record->schema, member, span)) return *value;
    }
    unknownField(*base.record->schema, member, span);
    return {};
  }
  case ValueKind::Group: {
    std::vector<std::string_view> labels;
    for (const auto& [label, value] : base.group->items) {
      if (label == member) return value;
      labels.push_back(str(label));
    }
    if (base.group->opaque) {
      Value value;
      value.kind = ValueKind::Record;
      value.record = anyInstance(base.group->element, span);
      return value;
    }
    std::string all;
    for (auto label : labels) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", label);
    auto& d = diagnostics.report(
        Code::E0314, span, fmt::format("there is no child `{}`", str(member)), "no such child");
    Suggestion meant = suggestion(str(member), labels);
    if (!meant.word.empty())
      d.suggest(meant, span);
    else if (!all.empty())
      d.helpText("there are " + all);
    if (base.group->owner) d.label(base.group->owner->span, "of this record");
    return {};
  }
  case ValueKind::Module: {
    auto found = base.module->values.find(member.id);
    if (found != base.module->values.end()) {
      return declarationValue(const_cast<Declaration&>(found->second));
    }
    Value value;
    value.schema = base.module->schemas.contains(member.id)
                       ? findSchema(*base.module, member, span, true)
                       : nullptr;
    if (value.schema) {
      value.kind = ValueKind::SchemaRef;
      return value;
    }
    std::vector<std::string_view> candidates;
    candidates.reserve(base.module->values.size() + base.module->schemas.size());
    for (const auto& [id, declaration] : base.module->values) candidates.push_back(str(Name{id}));
    for (const auto& [id, schema] : base.module->schemas) candidates.push_back(str(Name{id}));
    auto& d = diagnostics.report(
        Code::E0201, span, fmt::format("`{}` declares no `{}`", base.module->path, str(member)),
        "not found");
    d.suggest(suggestion(str(member), candidates), span);
    return {};
  }
  default:
    diagnostics.report(
        Code::E0305, baseSpan,
        fmt::format("{} has no fields, so no `{}`", describeKind(base), str(member)));
    return {};
  }
}

Value Checker::evaluateSelect(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  NodeId baseNode = t.child(node, 0);
  if (const Frame* amending = amendingFrame(baseNode, frame))
    return baseValue(node, amending, frame);
  Value base = evaluate(baseNode, frame);
  return memberOf(base, t[node].name, t[node].nameSpan, t[baseNode].span);
}

Value Checker::evaluateIndex(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  NodeId baseNode = t.child(node, 0);
  NodeId indexNode = t.child(node, 1);
  Value base = evaluate(baseNode, frame);
  if (base.bad()) return {};
  if (base.kind == ValueKind::Map) {
    Type keyType;
    keyType.kind = TypeKind::Enum;
    keyType.words = base.map->words;
    Value key =
        coerce(evaluate(indexNode, frame, &keyType), &keyType, t[indexNode].span, "the key");
    if (key.bad()) return {};
    if (base.map->opaque) return base.map->items.front().second;
    std::string all;
    for (const auto& [word, value] : base.map->items) {
      if (word == key.word) return value;
      all += fmt::format("{}`{}`", all.empty() ? "" : ", ", str(base.map->words->words[word]));
    }
    auto& d =
        diagnostics.report(Code::E0314, t[node].span,
                           fmt::format("`{}` has no entry for `{}`", sources.text(t[baseNode].span),
                                       str(base.map->words->words[key.word])));
    if (frame->module->embedded && frame->self) d.label(frame->self->span, "needed here");
    d.helpText(all.empty() ? "it has no entries at all" : "it has " + all);
    return {};
  }
  Value index = evaluate(indexNode, frame);
  if (index.bad()) return {};
  if (base.kind != ValueKind::List || !index.scalar() || index.number != Number::Int) {
    diagnostics.report(
        Code::E0305, t[node].span,
        fmt::format("{} cannot be indexed by {}", describeKind(base), describeKind(index)));
    return {};
  }
  if (base.list->opaque && !base.list->items.empty()) return base.list->items.front();
  auto number = integer(index, t[indexNode].span);
  if (!number) return {};
  if (*number < 0 || static_cast<size_t>(*number) >= base.list->items.size()) {
    diagnostics.report(Code::E0314, t[indexNode].span,
                       fmt::format("the list has {} items, counted from 0; there is no number {}",
                                   base.list->items.size(), *number));
    return {};
  }
  return base.list->items[static_cast<size_t>(*number)];
}

Value Checker::evaluateAmend(NodeId node, const Frame* frame, const Type*) {
  const syntax::Tree& t = tree(frame);
  Value base = evaluate(t.child(node, 0), frame);
  Layer layer;
  layer.kind = LayerKind::Body;
  layer.module = frame->module;
  layer.node = t.child(node, 1);
  layer.outer = frame;
  Value value;
  value.kind = ValueKind::Record;
  if (base.kind == ValueKind::Record) {
    if (base.record->isAbstract) return base;
    if (base.record->tooDeep) return {};
    value.record = amend(base.record, std::move(layer), t[node].span);
    return value;
  }
  if (base.kind == ValueKind::SchemaRef) {
    if (base.schema->isAbstract) {
      diagnostics.report(
          Code::E0305, t[t.child(node, 0)].span,
          fmt::format("`{}` is abstract: only kinds of it can be made", str(base.schema->name)));
      return {};
    }
    value.record = construct(base.schema, std::move(layer), t[node].span);
    return value;
  }
  if (!base.bad()) {
    diagnostics.report(Code::E0305, t[t.child(node, 0)].span,
                       fmt::format("only a record can be amended, not {}", describeKind(base)));
  }
  return {};
}

Value Checker::evaluateIf(NodeId node, const Frame* frame, const Type* expected) {
  const syntax::Tree& t = tree(frame);
  Value condition = evaluate(t.child(node, 0), frame);
  // Both sides of a schema's choice were checked in the abstract: of a record only one is taken, so
  // that `if given(x) then x.y else …` works.
  bool settled = condition.scalar() && condition.number == Number::Bool && frame->self &&
                 !frame->self->isAbstract &&
                 frame->self->layers[frame->layer].kind == LayerKind::SchemaBody;
  if (settled) {
    const FormulaNode& known = formulas[condition.formula];
    if (!known.symbolic && !known.faulty)
      return evaluate(t.child(node, known.value.integer ? 1 : 2), frame, expected);
  }
  Value a = evaluate(t.child(node, 1), frame, expected);
  Value b = evaluate(t.child(node, 2), frame, expected);
  if (condition.bad() || a.bad() || b.bad()) return {};
  if (!condition.scalar() || condition.number != Number::Bool) {
    diagnostics.report(
        Code::E0305, t[t.child(node, 0)].span,
        fmt::format("a condition is true or false, not {}", describeKind(condition)));
    return {};
  }
  if (a.scalar() && b.scalar()) {
    if (!(a.dimension == b.dimension) || (a.number == Number::Bool) != (b.number == Number::Bool)) {
      diagnostics
          .report(Code::E0402, t[t.child(node, 1)].span, "the two sides of a choice differ in kind",
                  describeKind(a))
          .label(t[t.child(node, 2)].span, describeKind(b));
      return {};
    }
    if (a.number != b.number) {
      a = toReal(a, t[node].span);
      b = toReal(b, t[node].span);
    }
    return apply(Opcode::Select, a.number, a.dimension, t[node].span, condition, a, b);
  }
  const FormulaNode& known = formulas[condition.formula];
  if (a.kind != b.kind) {
    diagnostics.report(Code::E0305, t[node].span, "the two sides of a choice differ in kind",
                       fmt::format("{} or {}", describeKind(a), describeKind(b)));
    return {};
  }
  if (!known.symbolic && !known.faulty) return known.value.integer ? a : b;
  if (known.usesResult) {
    diagnostics.report(Code::E0312, t[t.child(node, 0)].span,
                       "a choice between records cannot wait for a result");
    return {};
  }
  return a;  // a schema in the abstract: either side stands for both
}

Value Checker::evaluateList(NodeId node, const Frame* frame, const Type* expected) {
  std::vector<Value> items;
  const Type* element = expected && expected->kind == TypeKind::List ? expected->element : nullptr;
  for (NodeId item : tree(frame).children(node)) {
    items.push_back(evaluate(item, frame, element));
    if (items.back().bad()) return {};
  }
  return listValue(std::move(items));
}

Value Checker::evaluateRange(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  Value low = evaluate(t.child(node, 0), frame);
  if (!t.child(node, 1).valid()) {
    diagnostics.report(Code::E0110, t[node].span, "an open range has meaning only after `in`");
    return {};
  }
  Value high = evaluate(t.child(node, 1), frame);
  auto first = integer(low, t[t.child(node, 0)].span);
  auto last = integer(high, t[t.child(node, 1)].span);
  if (low.bad() || high.bad()) return {};
  if (!first || !last) {
    bool symbolic = low.scalar() && high.scalar() &&
                    (formulas[low.formula].symbolic || formulas[high.formula].symbolic);
    if (!symbolic) return {};
    return listValue({scalar(formulas.input(Number::Int, false, t[node].span))}, true);
  }
  constexpr int64_t kMaxItems = 100'000;
  if (*last - *first >= kMaxItems) {
    diagnostics.report(Code::E0120, t[node].span,
                       fmt::format("a list holds at most {} items", kMaxItems));
    return {};
  }
  std::vector<Value> items;
  for (int64_t i = *first; i <= *last; ++i) items.push_back(integerValue(i, t[node].span));
  return listValue(std::move(items));
}

Value Checker::evaluateComprehension(NodeId node, const Frame* frame, const Type* expected) {
  const syntax::Tree& t = tree(frame);
  Value list = evaluate(t.child(node, 1), frame);
  if (list.bad()) return {};
  std::vector<Value> source;
  bool opaque = false;
  if (list.kind == ValueKind::List) {
    source = list.list->items;
    opaque = list.list->opaque;
  } else if (list.kind == ValueKind::Group) {
    for (const auto& [label, value] : list.group->items) source.push_back(value);
    opaque = list.group->opaque;
    if (opaque) {
      Value value;
      value.kind = ValueKind::Record;
      value.record = anyInstance(list.group->element, t[node].span);
      source = {value};
    }
  } else {
    diagnostics.report(Code::E0305, t[t.child(node, 1)].span,
                       fmt::format("`for` goes through a list, not {}", describeKind(list)));
    return {};
  }
  const Type* element = expected && expected->kind == TypeKind::List ? expected->element : nullptr;
  NodeId condition = t.childCountOf(node) > 2 ? t.child(node, 2) : NodeId();
  std::vector<Value> items;
  if (!frame->module->embedded) warnHidden(t[node].name, t[node].nameSpan, frame);
  for (const Value& item : source) {
    Frame* inner = newFrame(frame, frame->module);
    inner->locals.emplace_back(t[node].name, item);
    if (condition.valid()) {
      Value keep = evaluate(condition, inner);
      if (keep.bad()) return {};
      const FormulaNode* known = keep.scalar() ? &formulas[keep.formula] : nullptr;
      if (!known || keep.number != Number::Bool) {
        diagnostics.report(Code::E0305, t[condition].span, "a condition is true or false");
        return {};
      }
      if (!known->symbolic && !known->value.integer && !opaque) continue;
    }
    items.push_back(evaluate(t.child(node, 0), inner, element));
    if (items.back().bad()) return {};
  }
  Value sample;
  if (items.empty()) sample = sampleItem(node, list, frame, element);
  return listValue(std::move(items), opaque, sample);
}

/// What an item of a comprehension would be like: of the first thing that it goes through, or of any.
Value Checker::sampleItem(NodeId node, const Value& list, const Frame* frame, const Type* element) {
  const syntax::Tree& t = tree(frame);
  Value item;
  if (list.kind == ValueKind::Group) {
    item.kind = ValueKind::Record;
    item.record = anyInstance(list.group->element, t[node].span);
  } else {
    item = list.list->items.empty() ? list.list->sample : list.list->items.front();
  }
  if (item.bad()) return {};
  Frame* inner = newFrame(frame, frame->module);
  inner->locals.emplace_back(t[node].name, item);
  size_t said = diagnostics.size();
  Value sample = evaluate(t.child(node, 0), inner, element);
  diagnostics.takeFrom(said);  // nothing is wrong with an item that is not there
  return sample;
}

}  // namespace sysdl::check
