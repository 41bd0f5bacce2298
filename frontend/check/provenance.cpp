// Numbers without a source (W0602): facts about the world, as the standard library's `facts` lists their kinds,
// that a file states without saying where they come from.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::NodeId;

namespace {

bool isNumber(const syntax::Tree& t, NodeId node) {
  while (t[node].kind == Kind::Negate || t[node].kind == Kind::Group) node = t.child(node, 0);
  return t[node].kind == Kind::Number;
}

/// The literal numbers below a body for which neither they nor a body around them name a source.
void collect(const syntax::Tree& t, NodeId body, std::vector<NodeId>& found) {
  auto members = t.children(body);
  bool said =
      std::ranges::any_of(members, [&](NodeId member) { return t[member].kind == Kind::Origin; });
  if (said) return;
  for (NodeId member : members) {
    switch (t[member].kind) {
    case Kind::Assign: {
      bool bare = t.childCountOf(member) < 3 || !t.child(member, 2).valid();
      if (bare && isNumber(t, t.child(member, 1))) found.push_back(member);
      break;
    }
    case Kind::Nest:
    case Kind::Child: {
      NodeId inner = t.child(member, 1);
      if (inner.valid() && t[inner].kind == Kind::Body) collect(t, inner, found);
      break;
    }
    default: break;
    }
  }
}

}  // namespace

void Checker::warnUnsourced(Module& module) {
  const Declaration* facts = preludeDeclaration("facts");
  if (!facts || !module.tree.root.valid()) return;
  Value list = declarationValue(const_cast<Declaration&>(*facts));
  if (list.kind != ValueKind::Record) return;
  Value kinds = get(list.record, "kinds");
  if (kinds.kind != ValueKind::List) return;
  std::vector<const Schema*> schemas;
  for (const Value& kind : kinds.list->items) {
    if (const Schema* schema = preludeSchema(text(kind))) schemas.push_back(schema);
  }
  const syntax::Tree& t = module.tree;
  for (NodeId item : t.children(t.root)) {
    auto declared = module.values.find(t[item].name.id);
    bool made = t[item].kind == Kind::Decl && declared != module.values.end() &&
                declared->second.node == item && t.child(item, 1).valid();
    if (!made || declared->second.value.kind != ValueKind::Record) continue;
    const Schema* schema = declared->second.value.record->schema;
    if (std::ranges::none_of(schemas, [&](const Schema* s) { return schema->is(s); })) continue;
    std::vector<NodeId> bare;
    collect(t, t.child(item, 1), bare);
    if (bare.empty()) continue;
    constexpr size_t kShown = 3;
    std::string named;
    for (size_t i = 0; i < std::min(bare.size(), kShown); ++i)
      named += fmt::format("{}`{}`", i ? ", " : "", sources.text(t[t.child(bare[i], 0)].span));
    if (bare.size() > kShown) named += fmt::format(" and {} more", bare.size() - kShown);
    diagnostics
        .report(Code::W0602, t[item].nameSpan,
                fmt::format("`{}` does not say where {} come{} from", str(t[item].name), named,
                            bare.size() == 1 ? "s" : ""),
                bare.size() == 1 ? "a number without a source" : "numbers without a source")
        .helpText("write `source \"…\" as datasheet` in the record or behind a number; `measured`, "
                  "`fitted` and `assumed` are origins too");
  }
}

}  // namespace sysdl::check
