// W0204: names that hide another one, so that a reader may take the one for the other.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;

namespace {

NodeId letOf(const Layer& layer, Name wanted) {
  if (layer.kind != LayerKind::Body && layer.kind != LayerKind::SchemaBody) return {};
  const syntax::Tree& t = layer.module->tree;
  for (NodeId member : t.children(layer.node)) {
    if (t[member].kind == Kind::Let && t[member].name == wanted) return member;
  }
  return {};
}

}  // namespace

void Checker::warnHiding(Span span, Name hiding, const std::string& what, Span hidden) {
  auto& d = diagnostics.report(Code::W0204, span, fmt::format("`{}` hides {}", str(hiding), what),
                               "means this one from here on");
  if (hidden.valid()) d.label(hidden, "no longer meant");
  d.helpText("give it another name");
}

void Checker::warnHidden(Name wanted, Span span, const Frame* frame) {
  const Module* module = nullptr;
  for (const Frame* f = frame; f; f = f->outer) {
    module = f->module;
    if (module->embedded) return;
    for (const auto& [local, value] : f->locals) {
      if (local == wanted) return warnHiding(span, wanted, "a name further out", {});
    }
    if (!f->self) continue;
    const Layer& layer = f->self->layers[f->layer];
    if (NodeId let = letOf(layer, wanted); let.valid()) {
      const syntax::Node& node = layer.module->tree[let];
      if (!(node.nameSpan == span))
        return warnHiding(span, wanted, "a `let` further out", node.nameSpan);
    }
    uint32_t index = findField(*f->self->schema, wanted);
    if (index == kNoField) continue;
    const Field& field = f->self->schema->fields[index];
    return warnHiding(
        span, wanted,
        fmt::format("the field `{}` of `{}`", str(wanted), str(f->self->schema->name)),
        field.module->tree[field.node].nameSpan);
  }
  if (!module) return;
  if (auto value = module->values.find(wanted.id); value != module->values.end())
    return warnHiding(span, wanted, "a declaration of this file", value->second.span);
  if (module->imports.contains(wanted.id)) warnHiding(span, wanted, "an import of this file", {});
}

/// A function of a file that is called like one that every file knows.
void Checker::warnHiddenFunctions(const Module& module) {
  if (module.embedded) return;
  for (const auto& [id, declaration] : module.values) {
    if (declaration.kind != DeclarationKind::Function) continue;
    Span hidden;
    for (const Module* prelude : preludeModules_) {
      auto found = prelude->values.find(id);
      if (found != prelude->values.end()) hidden = found->second.span;
    }
    std::string_view text = str(Name{id});
    if (hidden.valid() || isBuiltin(text))
      warnHiding(declaration.span, Name{id},
                 fmt::format("the function `{}` that every file knows", text), hidden);
  }
}

}  // namespace sysdl::check
