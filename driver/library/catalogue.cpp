// The declarations of modules as a list.
#include "driver/library/catalogue.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"

namespace sysdl {

using check::Module;
using syntax::Kind;
using syntax::NodeId;

namespace {

std::string dotted(const Module& module) {
  if (!module.embedded) return module.path;
  llvm::StringRef path = module.path;
  path.consume_back(".sysdl");
  std::string name = path.str();
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string_view kindWord(Kind kind) {
  switch (kind) {
  case Kind::Schema: return "schema";
  case Kind::Enum: return "enum";
  case Kind::Unit: return "unit";
  case Kind::Dimension: return "dimension";
  case Kind::Fn: return "function";
  case Kind::Block: return "block";
  case Kind::Operator: return "operator";
  case Kind::Decl: return "value";
  default: return {};
  }
}

void add(Session& session, Module& module, bool prelude, std::vector<Entry>& entries) {
  check::Checker& c = *session.checker;
  if (!module.tree.root.valid()) return;
  for (NodeId item : module.tree.children(module.tree.root)) {
    const syntax::Node& node = module.tree[item];
    std::string_view kind = kindWord(node.kind);
    if (kind.empty()) continue;
    Entry entry;
    entry.name = c.str(node.name);
    entry.kind = kind;
    entry.module = dotted(module);
    entry.doc = docAbove(session, module, node.span);
    entry.text = session.sources.text(node.span);
    LineColumn at = session.sources.resolve(node.nameSpan.begin);
    entry.file = at.path;
    entry.line = at.line;
    entry.needsImport = module.embedded && !prelude;
    entry.home = &module;
    entry.node = item;
    if (node.kind == Kind::Schema) entry.schema = c.schemaOf(module, node.name);
    auto value = module.values.find(node.name.id);
    bool record = node.kind == Kind::Decl && value != module.values.end() &&
                  value->second.value.kind == check::ValueKind::Record;
    if (record) {
      entry.schema = value->second.value.record->schema;
      entry.kind = c.str(entry.schema->name);
    }
    entries.push_back(std::move(entry));
  }
}

}  // namespace

std::string Entry::firstSentence() const {
  size_t end = doc.find(". ");
  if (end == std::string::npos) end = doc.find(".\n");
  return end == std::string::npos ? doc.substr(0, doc.find('\n')) : doc.substr(0, end + 1);
}

std::string docAbove(const Session& session, const Module& module, Span item) {
  const auto& comments = module.tree.comments;
  auto after = std::ranges::find_if(
      comments, [&](const syntax::Comment& comment) { return comment.span.begin >= item.begin; });
  std::vector<std::string> lines;
  Loc below = item.begin;
  while (after != comments.begin()) {
    const syntax::Comment& comment = *--after;
    llvm::StringRef between = session.sources.text({comment.span.end, below});
    if (!comment.doc || !between.trim().empty() || between.count('\n') > 1) break;
    llvm::StringRef text = session.sources.text(comment.span);
    lines.push_back(text.ltrim('/').trim().str());
    below = comment.span.begin;
  }
  std::string doc;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    bool paragraph = line->empty();
    doc += paragraph ? "\n" : (doc.empty() || doc.back() == '\n' ? "" : " ") + *line;
  }
  return doc;
}

std::vector<Entry> catalogueOf(Session& session, const std::string& path) {
  std::vector<Entry> entries;
  if (!path.empty()) {
    if (Module* own = session.open(path)) add(session, *own, true, entries);
    if (session.diagnostics.hasErrors()) return entries;
  }
  const auto& prelude = session.checker->preludeModules();
  for (Module* module : session.checker->libraryModules())
    add(session, *module, std::ranges::count(prelude, module) > 0, entries);
  return entries;
}

}  // namespace sysdl
