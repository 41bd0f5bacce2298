// Declarations: what a module's items make known to names, before anything is evaluated.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

Checker::Checker(SourceMap& sourceMap, NameTable& nameTable, Diagnostics& diags, FileReader& reader)
    : sources(sourceMap), names(nameTable), diagnostics(diags), reader_(reader) {
  units.setResolver(
      [this](std::string_view unit) {
        auto found = unitNodes_.find(unit);
        if (found == unitNodes_.end()) return false;
        auto [module, node] = found->second;
        unitNodes_.erase(found);
        declareUnit(*module, node);
        return true;
      },
      [this] {
        std::vector<std::string> all;
        for (Module& module : modules_) {
          if (!module.tree.root.valid()) continue;
          for (NodeId item : module.tree.children(module.tree.root)) {
            if (module.tree[item].kind == Kind::Unit) all.emplace_back(str(module.tree[item].name));
          }
        }
        return all;
      });
}

bool Checker::declareOnce(Module& module, Name name, Span span, std::map<uint32_t, Span>& seen) {
  auto [entry, isNew] = seen.try_emplace(name.id, span);
  if (isNew) return true;
  diagnostics
      .report(Code::E0205, span, fmt::format("`{}` is defined twice in this file", str(name)),
              "defined again here")
      .label(entry->second, "first defined here")
      .helpText("rename one of the two, or write the second as an amend of the first");
  (void)module;
  return false;
}

void Checker::declare(Module& module) {
  if (!module.tree.root.valid()) return;
  std::map<uint32_t, Span> values, kinds;
  for (NodeId item : module.tree.children(module.tree.root)) {
    const Node& node = module.tree[item];
    switch (node.kind) {
    case Kind::Import: {
      // A failed import keeps its alias, so that its uses are not reported again.
      Module* imported = importModule(module, item);
      Name alias = node.name;
      if (!alias) {
        std::string_view path = str(node.text);
        if (node.flags & syntax::flag::Module)
          path = path.substr(path.rfind('.') + 1);
        else {
          path = path.substr(path.rfind('/') + 1);
          if (path.ends_with(".sysdl")) path.remove_suffix(6);
        }
        alias = name(path);
      }
      if (declareOnce(module, alias, node.span, values)) module.imports[alias.id] = imported;
      break;
    }
    case Kind::Schema:
    case Kind::Enum:
      if (declareOnce(module, node.name, node.nameSpan, kinds)) declareItem(module, item);
      break;
    case Kind::Fn:
    case Kind::Block:
    case Kind::Operator:
    case Kind::Decl:
    case Kind::Let:
      if (declareOnce(module, node.name, node.nameSpan, values)) declareItem(module, item);
      break;
    default: declareItem(module, item); break;
    }
  }
}

void Checker::declareItem(Module& module, NodeId item) {
  const Node& node = module.tree[item];
  auto value = [&](DeclarationKind kind) {
    Declaration declaration;
    declaration.kind = kind;
    declaration.module = &module;
    declaration.node = item;
    declaration.span = node.nameSpan;
    module.values[node.name.id] = declaration;
  };
  switch (node.kind) {
  case Kind::Dimension:
    dimensionNodes_.try_emplace(std::string(str(node.name)), &module, item);
    break;
  case Kind::Unit: {
    bool taken = unitNodes_.contains(str(node.name)) || units.find(str(node.name));
    if (!taken) {
      unitNodes_.try_emplace(std::string(str(node.name)), &module, item);
      unitTexts_[std::string(str(node.name))] = sources.text(node.span);
      break;
    }
    // Two files may say the same of a unit, as two versions of one file do.
    if (unitTexts_[std::string(str(node.name))] == sources.text(node.span)) break;
    diagnostics
        .report(Code::E0406, node.nameSpan,
                fmt::format("the unit `{}` is declared already", str(node.name)), "again here")
        .helpText("give this unit another spelling");
    break;
  }
  case Kind::Enum: declareEnum(module, item); break;
  case Kind::Schema: {
    Schema& schema = schemas_.emplace_back();
    schema.name = node.name;
    schema.module = &module;
    schema.node = item;
    schema.isAbstract = node.flags & syntax::flag::Abstract;
    schema.span = node.nameSpan;
    module.schemas[node.name.id] = &schema;
    break;
  }
  case Kind::Fn: value(DeclarationKind::Function); break;
  case Kind::Block: value(DeclarationKind::Block); break;
  case Kind::Operator: value(DeclarationKind::Operator); break;
  case Kind::Decl: {
    bool explores = str(module.tree[module.tree.child(item, 0)].name) == "explore";
    value(explores ? DeclarationKind::Explore : DeclarationKind::Value);
    break;
  }
  case Kind::Let: value(DeclarationKind::Let); break;
  case Kind::Test: module.tests.push_back(item); break;
  default: break;
  }
}

void Checker::declareDimension(Module& module, NodeId item) {
  const syntax::Tree& tree = module.tree;
  std::string text(str(tree[item].name));
  NodeId expression = tree.child(item, 0);
  std::optional<Dimension> result;
  if (!expression.valid()) {
    result = dimensions.addBase(text);
    if (!result) {
      diagnostics.report(
          Code::E0120, tree[item].nameSpan,
          fmt::format("no more than {} base dimensions are possible", Dimension::kLanes));
    }
    dimensionNames_[text] = result.value_or(Dimension());
    return;
  }
  // A product, quotient or power of other dimensions.
  auto eval = [&](auto& self, NodeId id) -> std::optional<Dimension> {
    const Node& node = tree[id];
    if (node.kind == Kind::Group) return self(self, tree.child(id, 0));
    if (node.kind == Kind::Number && str(node.text) == "1") return Dimension();
    if (node.kind == Kind::Ref) {
      std::string other(str(node.name));
      if (!dimensionNames_.contains(other)) {
        auto found = dimensionNodes_.find(other);
        if (found == dimensionNodes_.end()) return std::nullopt;
        auto [owner, ownerNode] = found->second;
        dimensionNodes_.erase(found);
        declareDimension(*owner, ownerNode);
      }
      return dimensionNames_[other];
    }
    if (node.kind != Kind::Binary) return std::nullopt;
    auto left = self(self, tree.child(id, 0));
    if (!left) return std::nullopt;
    if (node.op == syntax::Op::Power) {
      NodeId exponent = tree.child(id, 1);
      bool negative = tree[exponent].kind == Kind::Negate;
      if (negative) exponent = tree.child(exponent, 0);
      auto value = Exact::decimal(str(tree[exponent].text));
      auto whole = value ? value->toInteger() : std::nullopt;
      if (tree[exponent].kind != Kind::Number || !whole || *whole > 30) return std::nullopt;
      return power(*left, static_cast<int>(negative ? -2 * *whole : 2 * *whole));
    }
    auto right = self(self, tree.child(id, 1));
    if (!right) return std::nullopt;
    if (node.op == syntax::Op::Multiply) return multiply(*left, *right);
    if (node.op == syntax::Op::Divide) return divide(*left, *right);
    return std::nullopt;
  };
  result = eval(eval, expression);
  if (!result) {
    diagnostics.report(Code::E0110, tree[expression].span,
                       "a dimension is a product, quotient or power of other dimensions",
                       "not of that form, or of unknown dimensions");
    result = Dimension();
  }
  dimensionNames_[text] = *result;
  dimensions.addNamed(text, *result);
}

void Checker::declareUnit(Module& module, NodeId item) {
  const syntax::Tree& tree = module.tree;
  const Node& node = tree[item];
  NodeId type = tree.child(item, 0);
  NodeId expression = tree.child(item, 1);
  NodeId prefixes = tree.child(item, 2);
  Unit unit;
  unit.scale = Exact::integer(1);
  bool known = false;
  if (expression.valid()) {
    // One quantity, or a quotient of them: exact, so no evaluation in doubles.
    auto eval = [&](auto& self, NodeId id) -> std::optional<Unit> {
      const Node& n = tree[id];
      if (n.kind == Kind::Group) return self(self, tree.child(id, 0));
      if (n.kind == Kind::Number) {
        auto value = Exact::decimal(str(n.text));
        if (!value || value->zero()) return std::nullopt;
        Unit result;
        result.scale = *value;
        if (tree.child(id, 0).valid()) {
          UnitLookup found = units.parse(str(tree[tree.child(id, 0)].text));
          if (found.fault != UnitFault::None) return std::nullopt;
          result.scale = result.scale.times(found.scale);
          result.dimension = found.dimension;
        }
        return result;
      }
      if (n.kind != Kind::Binary) return std::nullopt;
      auto left = self(self, tree.child(id, 0));
      auto right = self(self, tree.child(id, 1));
      if (!left || !right) return std::nullopt;
      bool product = n.op == syntax::Op::Multiply;
      if (!product && n.op != syntax::Op::Divide) return std::nullopt;
      auto dimension = product ? multiply(left->dimension, right->dimension)
                               : divide(left->dimension, right->dimension);
      if (!dimension) return std::nullopt;
      left->scale = product ? left->scale.times(right->scale) : left->scale.over(right->scale);
      left->dimension = *dimension;
      return left;
    };
    auto value = eval(eval, expression);
    if (!value) {
      diagnostics.report(Code::E0401, tree[expression].span,
                         fmt::format("the unit `{}` is not given in known units", str(node.name)),
                         "expected a quantity such as `3_600 s`");
    } else {
      unit = *value;
      known = true;
    }
  }
  if (type.valid()) {
    Type declared = *typeOf(module, type);
    if (declared.kind == TypeKind::Quantity || declared.kind == TypeKind::Real) {
      if (known && !(declared.dimension == unit.dimension)) {
        diagnostics.report(Code::E0402, tree[expression].span,
                           fmt::format("`{}` is declared as {}, but is given in {}", str(node.name),
                                       dimensions.describe(declared.dimension),
                                       dimensions.describe(unit.dimension)));
      }
      unit.dimension = declared.dimension;
    }
  }
  if (prefixes.valid()) {
    for (NodeId word : tree.children(prefixes)) {
      std::string_view policy = str(tree[word].name);
      if (policy == "decimal")
        unit.decimalPrefixes = true;
      else if (policy == "binary")
        unit.binaryPrefixes = true;
      else {
        diagnostics.report(Code::E0110, tree[word].span,
                           fmt::format("`{}` is no kind of prefixes", policy),
                           "expected `decimal` or `binary`");
      }
    }
  }
  units.add(str(node.name), unit);
}

void Checker::declareEnum(Module& module, NodeId item) {
  EnumType& type = enums_.emplace_back();
  type.name = module.tree[item].name;
  type.span = module.tree[item].nameSpan;
  std::map<uint32_t, Span> seen;
  for (NodeId word : module.tree.children(item)) {
    const Node& node = module.tree[word];
    if (declareOnce(module, node.name, node.span, seen)) type.words.push_back(node.name);
  }
  module.enums[type.name.id] = &type;
}

void Checker::addField(Schema& schema, NodeId member, bool isGroup) {
  const Node& node = schema.module->tree[member];
  Field field;
  field.name = node.name;
  field.node = member;
  field.module = schema.module;
  field.isGroup = isGroup;
  bool derived = node.flags & syntax::flag::Derived;
  bool result = node.flags & syntax::flag::Result;
  if (derived && result)
    field.role = FieldRole::DerivedResult;
  else if (derived)
    field.role = FieldRole::Derived;
  else if (result)
    field.role = FieldRole::Result;
  else if (node.flags & syntax::flag::Input)
    field.role = FieldRole::Filled;
  auto found = schema.index.find(node.name.id);
  if (found == schema.index.end()) {
    schema.index[node.name.id] = static_cast<uint32_t>(schema.fields.size());
    schema.fields.push_back(field);
    return;
  }
  const Field& first = schema.fields[found->second];
  if (first.module == schema.module &&
      std::ranges::count(schema.module->tree.children(schema.module->tree.child(schema.node, 1)),
                         first.node) > 0) {
    diagnostics
        .report(Code::E0205, node.nameSpan,
                fmt::format("field `{}` is declared twice", str(node.name)), "declared again here")
        .label(first.module->tree[first.node].nameSpan, "first declared here");
    return;
  }
  // A derived schema may narrow an inherited field: same name, its own type and default.
  schema.fields[found->second] = field;
}

void Checker::completeSchema(Schema& schema) {
  if (schema.complete) return;
  schema.complete = true;
  const syntax::Tree& tree = schema.module->tree;
  NodeId base = tree.child(schema.node, 0);
  if (base.valid()) {
    schema.base =
        const_cast<Schema*>(findSchema(*schema.module, tree[base].name, tree[base].span, true));
    schema.baseless = !schema.base;
    for (const Schema* s = schema.base; s; s = s->base) {
      if (s != &schema) continue;
      diagnostics.report(Code::E0310, tree[base].span,
                         fmt::format("schema `{}` is its own base", str(schema.name)));
      schema.base = nullptr;
      break;
    }
  }
  if (schema.base) {
    schema.fields = schema.base->fields;
    schema.index = schema.base->index;
  }
  NodeId body = tree.child(schema.node, 1);
  for (NodeId member : tree.children(body)) {
    if (tree[member].kind == Kind::Field) addField(schema, member, false);
    if (tree[member].kind == Kind::Children) addField(schema, member, true);
  }
}

}  // namespace sysdl::check
