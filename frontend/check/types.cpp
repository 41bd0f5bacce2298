// Types: what a declaration's type words mean, and whether a value suits a type.
#include <cmath>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Node;

const Schema* Checker::findSchema(const Module& module, Name wanted, Span span, bool report) {
  std::string_view text = str(wanted);
  const Module* where = &module;
  Name last = wanted;
  if (size_t dot = text.rfind('.'); dot != std::string_view::npos) {
    auto imported = module.imports.find(name(text.substr(0, dot)).id);
    last = name(text.substr(dot + 1));
    if (imported == module.imports.end()) {
      if (report) {
        diagnostics.report(Code::E0201, span,
                           fmt::format("nothing named `{}` is imported", text.substr(0, dot)));
      }
      return nullptr;
    }
    where = imported->second;
    if (!where) return nullptr;
  }
  auto take = [&](const Module* from) -> Schema* {
    auto found = from->schemas.find(last.id);
    return found == from->schemas.end() ? nullptr : found->second;
  };
  Schema* schema = take(where);
  for (size_t i = 0; !schema && where == &module && i < preludeModules_.size(); ++i) {
    schema = take(preludeModules_[i]);
  }
  // While the prelude itself is loading, its modules find each other among all that are loaded.
  for (size_t i = 0; !schema && where == &module && module.embedded && i < modules_.size(); ++i) {
    if (modules_[i].embedded) schema = take(&modules_[i]);
  }
  if (schema) {
    completeSchema(*schema);
    // What is said of a schema whose base is not known would only follow from that.
    return schema->baseless ? nullptr : schema;
  }
  if (!report) return nullptr;
  std::vector<std::string_view> candidates;
  for (const auto& [id, s] : where->schemas) candidates.push_back(str(Name{id}));
  for (const Module* m : preludeModules_) {
    for (const auto& [id, s] : m->schemas) candidates.push_back(str(Name{id}));
  }
  if (where == &module) {
    candidates.insert(candidates.end(), {"Int", "Real", "Bool", "Text"});
    for (const auto& [name, dimension] : dimensionNames_) candidates.push_back(name);
    for (const auto& [id, words] : module.enums) candidates.push_back(str(Name{id}));
    for (const Module* m : preludeModules_) {
      for (const auto& [id, words] : m->enums) candidates.push_back(str(Name{id}));
    }
  }
  auto& d = diagnostics.report(Code::E0202, span, fmt::format("there is no kind `{}`", text),
                               "not a schema that this file sees");
  Suggestion meant = suggestion(str(last), candidates);
  // A dotted name is replaced from its dot on.
  Span lastSpan = span;
  if (span.valid())
    lastSpan.begin.offset = span.end.offset - static_cast<uint32_t>(str(last).size());
  if (!meant.word.empty())
    d.suggest(meant, lastSpan);
  else
    d.helpText("declare it with `schema`, or import the module that does");
  return nullptr;
}

const Type* Checker::typeOf(const Module& module, NodeId node) {
  auto key = std::pair(&module, node.index);
  auto found = typeCache_.find(key);
  if (found != typeCache_.end()) return found->second;
  Type type = resolveType(module, node);
  return typeCache_[key] = &types_.emplace_back(type);
}

const Type* Checker::fieldType(const Schema* schema, uint32_t field) {
  const Field& f = schema->fields[field];
  return typeOf(*f.module, f.module->tree.child(f.node, 0));
}

Type Checker::resolveType(const Module& module, NodeId node) {
  const Node& n = module.tree[node];
  Type type;
  std::string_view text = str(n.name);
  auto arguments = module.tree.children(node);
  type.optional = n.flags & syntax::flag::Optional;
  static constexpr std::pair<std::string_view, TypeKind> kSimple[] = {
      {"Int", TypeKind::Int},   {"Real", TypeKind::Real},     {"Bool", TypeKind::Bool},
      {"Text", TypeKind::Text}, {"tensor", TypeKind::Tensor}, {"block", TypeKind::Block},
  };
  for (auto [word, kind] : kSimple) {
    if (text == word) {
      type.kind = kind;
      return type;
    }
  }
  auto argument = [&](size_t i) -> const Type* {
    if (i < arguments.size()) return typeOf(module, arguments[i]);
    diagnostics.report(
        Code::E0313, n.span,
        fmt::format("`{}` needs {} in brackets", text, text == "list" ? "one type" : "two types"),
        text == "list" ? "write `list[Real]`" : "write `map[Format, WorkRate]`");
    return &types_.emplace_back();
  };
  if (text == "list") {
    type.kind = TypeKind::List;
    type.element = argument(0);
    return type;
  }
  if (text == "map") {
    type.kind = TypeKind::Map;
    const Type* key = argument(0);
    type.words = key->words;
    type.element = argument(1);
    if (!type.words) type.kind = TypeKind::Bad;
    return type;
  }
  if (text == "curve") {
    type.kind = TypeKind::Curve;
    type.argument = argument(0)->dimension;
    type.dimension = argument(1)->dimension;
    return type;
  }
  if (!dimensionNames_.contains(text)) {
    auto pending = dimensionNodes_.find(text);
    if (pending != dimensionNodes_.end()) {
      auto [owner, ownerNode] = pending->second;
      dimensionNodes_.erase(pending);
      declareDimension(*owner, ownerNode);
    }
  }
  if (auto d = dimensionNames_.find(text); d != dimensionNames_.end()) {
    type.kind = TypeKind::Quantity;
    type.dimension = d->second;
    return type;
  }
  auto findEnum = [&](const Module& from) {
    auto found = from.enums.find(n.name.id);
    if (found != from.enums.end()) type.words = found->second;
  };
  findEnum(module);
  for (size_t i = 0; !type.words && i < preludeModules_.size(); ++i) findEnum(*preludeModules_[i]);
  for (size_t i = 0; !type.words && module.embedded && i < modules_.size(); ++i) {
    if (modules_[i].embedded) findEnum(modules_[i]);
  }
  if (type.words) {
    type.kind = TypeKind::Enum;
    return type;
  }
  type.schema = findSchema(module, n.name, n.span, true);
  type.kind = type.schema ? TypeKind::Schema : TypeKind::Bad;
  return type;
}

std::string Checker::describeType(const Type& type) {
  switch (type.kind) {
  case TypeKind::Bad: return "an unknown type";
  case TypeKind::Int: return "a whole number";
  case TypeKind::Real: return "a plain number";
  case TypeKind::Bool: return "`true` or `false`";
  case TypeKind::Text: return "text in quotes";
  case TypeKind::Quantity: return withArticle(dimensions.describe(type.dimension));
  case TypeKind::Enum: {
    std::string words;
    for (Name word : type.words->words) {
      words += fmt::format("{}`{}`", words.empty() ? "" : ", ", str(word));
    }
    return fmt::format("one of {}", words);
  }
  case TypeKind::Schema: return fmt::format("a `{}`", str(type.schema->name));
  case TypeKind::List: return "a list";
  case TypeKind::Map: return fmt::format("a map by `{}`", str(type.words->name));
  case TypeKind::Curve: return "a curve";
  case TypeKind::Tensor: return "a tensor";
  case TypeKind::Block: return "a block";
  }
  return {};
}

std::string Checker::describeKind(const Value& value) {
  switch (value.kind) {
  case ValueKind::Bad: return "a faulty value";
  case ValueKind::Absent: return "no value";
  case ValueKind::Scalar:
    if (value.number == Number::Bool) return "a truth value";
    if (value.number == Number::Int) return "a whole number";
    return value.dimension.none() ? "a plain number"
                                  : withArticle(dimensions.describe(value.dimension));
  case ValueKind::Text: return "text";
  case ValueKind::Word: return fmt::format("the word `{}`", str(value.words->words[value.word]));
  case ValueKind::Record: return fmt::format("a `{}`", str(value.record->schema->name));
  case ValueKind::Group: return "a group of children";
  case ValueKind::Map: return "a map";
  case ValueKind::List: return "a list";
  case ValueKind::Curve: return "a curve";
  case ValueKind::Tensor: return "a tensor";
  case ValueKind::Function: return "a function";
  case ValueKind::SchemaRef: return fmt::format("the kind `{}` itself", str(value.schema->name));
  case ValueKind::Module: return "a module";
  case ValueKind::Block: return "a block";
  }
  return {};
}

std::string Checker::unitExample(Dimension d) {
  auto found = preludeDeclaration("shown");
  if (!found) return {};
  Value shown = declarationValue(*const_cast<Declaration*>(found));
  if (shown.kind != ValueKind::Record) return {};
  Value list = get(shown.record, "units");
  if (list.kind != ValueKind::List) return {};
  for (const Value& item : list.list->items) {
    std::string unit = text(item);
    UnitLookup lookup = units.parse(unit);
    if (lookup.fault == UnitFault::None && lookup.dimension == d) return unit;
  }
  return {};
}

bool Checker::coerceDimension(const Value& value, const Type& type, Span span,
                              const std::string& what) {
  Dimension wanted = type.kind == TypeKind::Quantity ? type.dimension : Dimension();
  if (value.dimension == wanted) return true;
  std::string example = unitExample(wanted);
  if (value.dimension.none()) {
    auto& d = diagnostics.report(
        Code::E0403, span,
        fmt::format("{} is {} and needs a unit", what, withArticle(dimensions.describe(wanted))),
        "a bare number");
    if (!example.empty()) d.helpText(fmt::format("write a unit, for example `1 {}`", example));
    return false;
  }
  auto& d = diagnostics.report(
      Code::E0402, span,
      fmt::format("{} is {}, not {}", what,
                  wanted.none() ? "a plain number" : withArticle(dimensions.describe(wanted)),
                  withArticle(dimensions.describe(value.dimension))),
      "this is " + withArticle(dimensions.describe(value.dimension)));
  d.note(fmt::format("needed: {}\ngiven:  {}", dimensions.formula(wanted),
                     dimensions.formula(value.dimension)));
  auto factor = divide(wanted, value.dimension);
  if (!wanted.none() && !example.empty()) {
    std::string help = fmt::format("{} is written as in `1 {}`",
                                   withArticle(dimensions.describe(wanted)), example);
    std::string_view given = sources.text(span);
    bool literal = !given.empty() && std::isdigit(static_cast<unsigned char>(given.front()));
    if (!literal && factor && dimensions.describe(*factor) != dimensions.formula(*factor)) {
      help += fmt::format("; multiplying by {} would do it too",
                          withArticle(dimensions.describe(*factor)));
    }
    d.helpText(help);
  }
  return false;
}

Value Checker::toReal(const Value& value, Span span) {
  if (value.number == Number::Real) return value;
  return apply(Opcode::IntToReal, Number::Real, value.dimension, span, value);
}

Value Checker::coerceScalar(Value value, const Type& type, Span span, const std::string& what) {
  bool wantsBool = type.kind == TypeKind::Bool;
  if ((value.number == Number::Bool) != wantsBool) {
    diagnostics.report(
        Code::E0305, span,
        fmt::format("{} is {}, not {}", what, describeType(type), describeKind(value)));
    return {};
  }
  if (wantsBool) return value;
  if (!coerceDimension(value, type, span, what)) return {};
  if (type.kind != TypeKind::Int) return toReal(value, span);
  if (value.number == Number::Int) return value;
  Value whole = apply(Opcode::RealToInt, Number::Int, {}, span, value);
  const FormulaNode& before = formulas[value.formula];
  const FormulaNode& node = formulas[whole.formula];
  if (node.faulty && !before.faulty && !before.symbolic) {
    if (quietWhole_) return {};
    std::string shown = text(value);
    diagnostics
        .report(Code::E0411, span, fmt::format("{} is a whole number, not {}", what, shown),
                "not whole")
        .note(fmt::format("nearest whole numbers: {} and {}", std::floor(before.value.real),
                          std::ceil(before.value.real)));
    return {};
  }
  return whole;
}

Value Checker::coerce(Value value, const Type* type, Span span, const std::string& what) {
  if (value.bad() || type->kind == TypeKind::Bad) return {};
  if (value.kind == ValueKind::Absent && type->optional) return value;
  auto wrong = [&]() -> Value {
    auto& d = diagnostics.report(
        Code::E0305, span,
        fmt::format("{} is {}, not {}", what, describeType(*type), describeKind(value)));
    if (type->kind == TypeKind::Enum && value.kind == ValueKind::Text) {
      d.helpText("write the word without quotes");
    }
    return {};
  };
  switch (type->kind) {
  case TypeKind::Int:
  case TypeKind::Real:
  case TypeKind::Quantity:
  case TypeKind::Bool: return value.scalar() ? coerceScalar(value, *type, span, what) : wrong();
  case TypeKind::Text: return value.kind == ValueKind::Text ? value : wrong();
  case TypeKind::Enum:
    return value.kind == ValueKind::Word && value.words == type->words ? value : wrong();
  case TypeKind::Schema:
    // A kind's bare name stands for its plain instance: `schedule = one_forward_one_backward`.
    if (value.kind == ValueKind::SchemaRef && value.schema->is(type->schema) &&
        !value.schema->isAbstract) {
      value.record = construct(value.schema, std::nullopt, span);
      value.kind = ValueKind::Record;
    }
    return value.kind == ValueKind::Record && value.record->schema->is(type->schema) ? value
                                                                                     : wrong();
  case TypeKind::List: {
    if (value.kind != ValueKind::List) return wrong();
    std::vector<Value> items;
    for (const Value& item : value.list->items) {
      items.push_back(coerce(item, type->element, span, "an item of " + what));
      if (items.back().bad()) return {};
    }
    Value sample = items.empty() ? abstractValue(type->element, span) : Value();
    return listValue(std::move(items), value.list->opaque, sample);
  }
  case TypeKind::Map: return value.kind == ValueKind::Map ? value : wrong();
  case TypeKind::Curve:
    if (value.kind != ValueKind::Curve) return wrong();
    if (!(value.curve->x == type->argument) || !(value.curve->y == type->dimension)) {
      diagnostics.report(
          Code::E0402, span,
          fmt::format("{} is a curve from {} to {}, not from {} to {}", what,
                      dimensions.describe(type->argument), dimensions.describe(type->dimension),
                      dimensions.describe(value.curve->x), dimensions.describe(value.curve->y)));
      return {};
    }
    return value;
  case TypeKind::Tensor: return value.kind == ValueKind::Tensor ? value : wrong();
  case TypeKind::Block: return value.kind == ValueKind::Block ? value : wrong();
  case TypeKind::Bad: break;
  }
  return {};
}

Value Checker::evaluateData(NodeId node, const Frame* frame, const std::string& what) {
  Type data;
  data.kind = TypeKind::Quantity;
  data.dimension = dimensionNames_["Data"];
  return coerce(evaluate(node, frame, &data), &data, tree(frame)[node].span, what);
}

Value Checker::abstractValue(const Type* type, Span span) {
  auto input = [&](Number number, Dimension d = {}) {
    return scalar(formulas.input(number, false, span), d);
  };
  Value value;
  switch (type->kind) {
  case TypeKind::Bad: return {};
  case TypeKind::Int: return input(Number::Int);
  case TypeKind::Real: return input(Number::Real);
  case TypeKind::Bool: return input(Number::Bool);
  case TypeKind::Quantity: return input(Number::Real, type->dimension);
  case TypeKind::Text: return textValue("…");
  case TypeKind::Enum:
    value.kind = ValueKind::Word;
    value.words = type->words;
    return value;
  case TypeKind::Schema:
    value.kind = ValueKind::Record;
    value.record = anyInstance(type->schema, span);
    return value;
  case TypeKind::List: return listValue({abstractValue(type->element, span)}, true);
  case TypeKind::Map: {
    MapValue& map = maps_.emplace_back();
    map.words = type->words;
    map.opaque = true;
    map.items.emplace_back(0, abstractValue(type->element, span));
    value.kind = ValueKind::Map;
    value.map = &map;
    return value;
  }
  case TypeKind::Curve: {
    CurveValue& curve = curves_.emplace_back();
    curve.curve = {{0, 1}, {1, 1}};
    curve.x = type->argument;
    curve.y = type->dimension;
    value.kind = ValueKind::Curve;
    value.curve = &curve;
    return value;
  }
  case TypeKind::Tensor:
  case TypeKind::Block: return {};
  }
  return {};
}

Record* Checker::abstractInstance(const Schema* schema, Span span) {
  auto found = abstracts_.find(schema);
  if (found != abstracts_.end()) return found->second;
  Record& record = records_.emplace_back();
  abstracts_[schema] = &record;
  record.schema = schema;
  record.isAbstract = true;
  record.span = span;
  record.layers = schemaLayers(schema);
  record.slots.resize(schema->fields.size());
  record.frames.resize(record.layers.size());
  for (uint32_t i = 0; i < record.layers.size(); ++i) applyLayer(record, i);
  return &record;
}

Record* Checker::anyInstance(const Schema* schema, Span span) {
  auto [entry, isNew] = anyInstances_.try_emplace(schema);
  if (!isNew) return entry->second;
  Record& record = records_.emplace_back();
  entry->second = &record;
  record.schema = schema;
  record.isAbstract = record.isShallow = true;
  record.span = span;
  record.layers = schemaLayers(schema);
  record.slots.resize(schema->fields.size());
  record.frames.resize(record.layers.size());
  return &record;
}

void Checker::checkSchema(Schema& schema) {
  Record* record = abstractInstance(&schema, schema.span);
  for (uint32_t i = 0; i < schema.fields.size(); ++i) slotValue(record, i);
  std::vector<PendingRule> ignored;
  for (const Rule& rule : record->rules) checkRule(record, rule, ignored);
}

void Checker::checkFunction(const Declaration& function) {
  const syntax::Tree& tree = function.module->tree;
  Frame* frame = newFrame(&function.module->frame, function.module);
  for (NodeId param : tree.children(tree.child(function.node, 0))) {
    const Type* type = typeOf(*function.module, tree.child(param, 0));
    warnHidden(tree[param].name, tree[param].nameSpan, &function.module->frame);
    frame->locals.emplace_back(tree[param].name, abstractValue(type, tree[param].span));
  }
  const Type* type = typeOf(*function.module, tree.child(function.node, 1));
  calling_.push_back(&function);
  NodeId body = tree.child(function.node, 2);
  coerce(evaluate(body, frame, type), type, tree[body].span,
         fmt::format("the result of `{}`", str(tree[function.node].name)));
  calling_.pop_back();
}

}  // namespace sysdl::check
