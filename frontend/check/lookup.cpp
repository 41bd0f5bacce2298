// Names: from a word in an expression to what it stands for, decided from schemas and scopes alone.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

/// The let of a body with this name, or an invalid id.
NodeId findLet(const syntax::Tree& t, NodeId body, Name wanted) {
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Let && t[member].name == wanted) return member;
  }
  return {};
}

}  // namespace

Value Checker::letValue(Record* record, uint32_t layer, NodeId let) {
  auto key = std::pair(layer, let.index);
  auto found = record->lets.find(key);
  const syntax::Tree& t = record->layers[layer].module->tree;
  if (found != record->lets.end()) {
    if (found->second.kind == ValueKind::Module && found->second.none == nullptr) {
      diagnostics.report(Code::E0310, t[let].nameSpan,
                         fmt::format("`{}` depends on itself", str(t[let].name)));
      return {};
    }
    const auto& own = record->letReads[key];
    if (reads_) reads_->insert(reads_->end(), own.begin(), own.end());
    for (const auto& [owner, field] : own) noteAsked(owner, field);
    return found->second;
  }
  Value pending;  // a mark for cycles: a module value that names no module
  pending.kind = ValueKind::Module;
  record->lets[key] = pending;
  std::vector<std::pair<Record*, uint32_t>> own;
  auto* outerReads = std::exchange(reads_, &own);
  Value value = evaluate(t.child(let, 0), frameOf(record, layer));
  reads_ = outerReads;
  if (reads_) reads_->insert(reads_->end(), own.begin(), own.end());
  record->letReads[key] = std::move(own);
  return record->lets[key] = value;
}

Value Checker::lookup(Name wanted, const Frame* frame, Span span, const Type* expected) {
  if (!frame) return {};
  if (expected && expected->kind == TypeKind::Enum) {
    if (auto word = wordOfType(expected->words, wanted)) return *word;
  }
  for (const Frame* f = frame; f; f = f->outer) {
    for (const auto& [local, value] : f->locals) {
      if (local == wanted) return value;
    }
    if (!f->self) continue;
    const Layer& own = f->self->layers[f->layer];
    if (own.kind == LayerKind::Body) {
      NodeId let = findLet(own.module->tree, own.node, wanted);
      if (let.valid()) return letValue(f->self, f->layer, let);
    } else if (own.kind == LayerKind::SchemaBody) {
      // A schema sees its own lets and those of its bases.
      for (uint32_t layer = f->layer + 1; layer-- > 0;) {
        const Layer& l = f->self->layers[layer];
        NodeId let = findLet(l.module->tree, l.node, wanted);
        if (let.valid()) return letValue(f->self, layer, let);
      }
    }
    uint32_t index = findField(*f->self->schema, wanted);
    // On the right of `x = …` the name `x` starts at the enclosing scope.
    bool itself =
        !evaluating_.empty() && evaluating_.back().second == index &&
        (evaluating_.back().first == f->self || evaluating_.back().first->standsFor == f->self);
    if (index != kNoField && !itself) return slotValue(f->self, index, span);
  }
  if (tensorHooks) {
    Value axis = tensorHooks->axis(wanted, span);
    if (!axis.bad()) return axis;
  }
  const Module* module = frame->module;
  auto inModule = [&](const Module* m) -> std::optional<Value> {
    auto found = m->values.find(wanted.id);
    if (found == m->values.end()) return std::nullopt;
    return declarationValue(const_cast<Declaration&>(found->second));
  };
  if (auto value = inModule(module)) return *value;
  Value value;
  if (auto imported = module->imports.find(wanted.id); imported != module->imports.end()) {
    if (!imported->second) return {};  // the import failed and was reported
    value.kind = ValueKind::Module;
    value.module = imported->second;
    return value;
  }
  for (const Module* m : preludeModules_) {
    if (auto found = inModule(m)) return *found;
  }
  if (const Schema* schema = findSchema(*module, wanted, span, false)) {
    value.kind = ValueKind::SchemaRef;
    value.schema = schema;
    return value;
  }
  // A word of an enum where no type was expected: of this file's enums, then of the prelude's.
  auto words = [&](const Module* m) -> std::optional<Value> {
    for (const auto& [id, type] : m->enums) {
      if (auto word = wordOfType(type, wanted)) return word;
    }
    return std::nullopt;
  };
  if (auto word = words(module)) return *word;
  for (const Module* m : preludeModules_) {
    if (auto word = words(m)) return *word;
  }
  if (auto own = module->schemas.find(wanted.id); own != module->schemas.end()) {
    if (own->second->baseless) return {};
  }
  if (units.parse(str(wanted)).fault == UnitFault::None) {
    reportStrayUnit(wanted, span);
    return {};
  }
  auto& d = diagnostics.report(Code::E0201, span, fmt::format("unknown name `{}`", str(wanted)),
                               "not found");
  if (expected && expected->kind == TypeKind::Enum) {
    std::vector<std::string_view> candidates;
    candidates.reserve(expected->words->words.size());
    for (Name word : expected->words->words) candidates.push_back(str(word));
    Suggestion meant = suggestion(str(wanted), candidates);
    if (meant.word.empty())
      d.helpText("expected " + describeType(*expected));
    else
      d.suggest(meant, span);
    return {};
  }
  Suggestion meant = suggestion(str(wanted), visibleNames(frame));
  if (!meant.word.empty()) {
    d.suggest(meant, span);
  } else {
    d.helpText("names come from this record, the records around it, this file and its imports");
  }
  return {};
}

/// A unit where a value is wanted. Of `GB/s`, in one piece, the parser has spoken already.
void Checker::reportStrayUnit(Name unit, Span span) {
  std::string_view line = sources.lineText(span.begin);
  size_t begin = sources.resolve(span.begin).column - 1;
  size_t end = begin + str(unit).size();
  auto joins = [&](size_t at) {
    return at < line.size() && std::string_view("/*^").find(line[at]) != std::string_view::npos;
  };
  auto letter = [&](size_t at) {
    return at < line.size() && (std::isalpha(static_cast<unsigned char>(line[at])) != 0);
  };
  // The word before the sign begins with a letter: `0.08/kWh` is none that the parser speaks of.
  size_t word = begin > 0 ? begin - 1 : 0;
  while (word > 0 && std::isalnum(static_cast<unsigned char>(line[word - 1]))) --word;
  bool afterWord = begin > 0 && joins(begin - 1) && letter(word);
  if (afterWord || (joins(end) && letter(end + 1))) return;
  diagnostics
      .report(Code::E0404, span,
              fmt::format("`{}` is a unit, but no number stands before it", str(unit)),
              "a unit without a number")
      .helpText(fmt::format("units are known only after a number, as in `1 {}`", str(unit)));
}

std::vector<std::string_view> Checker::visibleNames(const Frame* frame) {
  std::vector<std::string_view> result;
  for (const Frame* f = frame; f; f = f->outer) {
    for (const auto& [local, value] : f->locals) result.push_back(str(local));
    if (!f->self) continue;
    for (const Field& field : f->self->schema->fields) result.push_back(str(field.name));
  }
  auto add = [&](const Module* m) {
    for (const auto& [id, declaration] : m->values) result.push_back(str(Name{id}));
    for (const auto& [id, schema] : m->schemas) result.push_back(str(Name{id}));
  };
  add(frame->module);
  for (const auto& [id, imported] : frame->module->imports) result.push_back(str(Name{id}));
  for (const Module* m : preludeModules_) add(m);
  return result;
}

/// A long chain of amends is evaluated from its far end, not by one call inside the other.
void Checker::evaluateBases(const Declaration& declaration) {
  std::vector<Declaration*> chain;
  std::set<Declaration*> seen;
  const syntax::Tree& t = declaration.module->tree;
  for (NodeId step = t.child(declaration.node, 2); step.valid();) {
    while (t[step].kind == Kind::Amend) step = t.child(step, 0);
    auto found = declaration.module->values.find(t[step].name.id);
    if (t[step].kind != Kind::Ref || found == declaration.module->values.end()) break;
    Declaration& base = found->second;
    // A chain that leads back to itself is reported where it is evaluated.
    bool isNew = base.kind == DeclarationKind::Value && base.state == SlotState::New;
    if (!isNew || !seen.insert(&base).second) break;
    chain.push_back(&base);
    step = t.child(base.node, 2);
  }
  if (chain.size() < 2) return;
  declaring_.insert(declaring_.end(), chain.begin(), chain.end());
  for (; !chain.empty(); chain.pop_back()) {
    declaring_.pop_back();  // it puts itself there
    declarationValue(*chain.back());
  }
}

Value Checker::declarationValue(Declaration& declaration) {
  const syntax::Tree& t = declaration.module->tree;
  Value value;
  if (declaration.kind == DeclarationKind::Function) {
    value.kind = ValueKind::Function;
    value.declaration = &declaration;
    return value;
  }
  if (declaration.kind == DeclarationKind::Block || declaration.kind == DeclarationKind::Operator) {
    value.kind = ValueKind::Block;
    value.declaration = &declaration;
    return value;
  }
  if (declaration.kind == DeclarationKind::Explore) {
    if (declaration.state == SlotState::Done) return {};
    declaration.state = SlotState::Done;
    diagnostics.report(Code::E0305, declaration.span,
                       "an exploration is no value that could be named",
                       "named elsewhere in this file");
    return {};
  }
  if (declaration.state == SlotState::Done) return declaration.value;
  if (declaration.state == SlotState::Evaluating) {
    std::string path;
    for (auto step = std::ranges::find(declaring_, &declaration); step != declaring_.end(); ++step)
      path += fmt::format("{} -> ", str((*step)->module->tree[(*step)->node].name));
    diagnostics.report(Code::E0310, declaration.span, "a value depends on itself", "this value")
        .note(path + std::string(str(t[declaration.node].name)));
    return {};
  }
  declaration.state = SlotState::Evaluating;
  declaring_.push_back(&declaration);
  if (declaration.kind == DeclarationKind::Value) evaluateBases(declaration);
  auto* outerReads = reads_;
  reads_ = nullptr;
  const Frame* frame = &declaration.module->frame;
  const Node& node = t[declaration.node];
  if (declaration.kind == DeclarationKind::Let) {
    declaration.value = evaluate(t.child(declaration.node, 0), frame);
  } else {
    NodeId kind = t.child(declaration.node, 0);
    NodeId body = t.child(declaration.node, 1);
    NodeId expression = t.child(declaration.node, 2);
    const Type* type = typeOf(*declaration.module, kind);
    if (expression.valid()) {
      value = coerce(evaluate(expression, frame, type), type, t[expression].span,
                     fmt::format("`{}`", str(node.name)));
    } else if (type->kind == TypeKind::Schema && body.valid()) {
      if (type->schema->isAbstract) {
        diagnostics.report(
            Code::E0305, t[kind].span,
            fmt::format("`{}` is abstract: only kinds of it can be made", str(type->schema->name)));
      } else {
        Layer layer;
        layer.module = declaration.module;
        layer.node = body;
        layer.outer = frame;
        value.kind = ValueKind::Record;
        value.record = construct(type->schema, std::move(layer), node.nameSpan);
      }
    } else if (type->kind != TypeKind::Bad) {
      diagnostics.report(Code::E0202, t[kind].span,
                         fmt::format("`{}` is not a kind with a body", sources.text(t[kind].span)));
    }
    if (value.kind == ValueKind::Record && !value.record->label) value.record->label = node.name;
    declaration.value = value;
  }
  reads_ = outerReads;
  declaring_.pop_back();
  declaration.state = SlotState::Done;
  return declaration.value;
}

}  // namespace sysdl::check
