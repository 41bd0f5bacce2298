// Modules: loading, imports, and the prelude that every file sees.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/check/checker.h"
#include "frontend/syntax/pack.h"
#include "stdlib/embedded.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

constexpr std::string_view kPrelude = "prelude.sysdl";

std::string dotted(std::string_view path) {
  std::string result = "std.";
  for (char c : path.substr(0, path.rfind(".sysdl"))) result += c == '/' ? '.' : c;
  return result;
}

}  // namespace

Module* Checker::standardModule(std::string_view dottedName, Suggestion& meant) {
  std::string path;
  for (char c : dottedName.substr(std::min<size_t>(dottedName.size(), 4))) {
    path += c == '.' ? '/' : c;
  }
  path += ".sysdl";
  std::vector<std::string> all;
  for (const stdlib::EmbeddedFile& file : stdlib::files()) {
    if (path == file.path) {
      return loadModule("std/" + path, std::string(file.data, file.size), true,
                        std::string_view(file.tree, file.treeSize));
    }
    all.push_back(dotted(file.path));
  }
  meant = suggestion(dottedName, {all.begin(), all.end()});
  return nullptr;
}

void Checker::ensurePrelude() {
  if (prelude_) return;
  Suggestion ignored;
  prelude_ = standardModule(dotted(kPrelude), ignored);
  // Messages call a dimension by its name also where nothing has used it yet.
  while (!dimensionNodes_.empty()) {
    auto [module, node] = dimensionNodes_.begin()->second;
    dimensionNodes_.erase(dimensionNodes_.begin());
    declareDimension(*module, node);
  }
}

Module* Checker::load(const std::string& path) {
  std::string why;
  auto text = reader_.read(path, why);
  if (!text) {
    diagnostics.report(Code::E0901, {}, fmt::format("cannot read `{}`: {}", path, why));
    return nullptr;
  }
  return loadText(path, std::move(*text));
}

Module* Checker::loadText(const std::string& path, std::string text) {
  ensurePrelude();
  return loadModule(path, std::move(text), false);
}

Module* Checker::loadModule(const std::string& path, std::string text, bool embedded,
                            std::string_view packedTree) {
  if (auto found = byPath_.find(path); found != byPath_.end()) return found->second;
  Module& module = modules_.emplace_back();
  byPath_[path] = &module;
  module.path = path;
  module.embedded = embedded;
  module.start = sources.add(path, std::move(text));
  auto unpacked = syntax::unpack(packedTree, names, module.start);
  module.tree = unpacked ? std::move(*unpacked) : parse(module.start, sources, names, diagnostics);
  module.frame.module = &module;
  loading_.push_back(path);
  declare(module);
  loading_.pop_back();
  // Modules of the prelude see each other's names, so schemas wait until all are declared.
  if (embedded && path == std::string("std/") + std::string(kPrelude)) {
    for (const auto& [alias, imported] : module.imports) preludeModules_.push_back(imported);
    std::ranges::sort(preludeModules_, {}, [](const Module* m) { return m->path; });
  }
  return &module;
}

/// An import does not leave the declared roots, so that a design means the same in every checkout and
/// reads nothing that its reviewers do not see.
bool Checker::mayImport(const std::string& written, const std::string& path, Span span) {
  if (roots_.empty()) return true;
  bool inside = std::ranges::any_of(
      roots_, [&](const std::string& root) { return reader_.within(path, root); });
  if (inside && !written.starts_with('/')) return true;
  auto& d = diagnostics.report(
      Code::E0203, span,
      inside ? fmt::format("`{}` is an absolute path, which other checkouts do not have", written)
             : fmt::format("`{}` lies outside of the project", written),
      inside ? "not relative to this file" : "not below a root");
  if (inside)
    d.helpText("write the path as seen from the folder of this file");
  else
    d.note(fmt::format("files are imported from below {}", fmt::join(roots_, ", ")))
        .helpText("widen that with `--root DIR`, the folder that holds both files");
  return false;
}

Module* Checker::importModule(Module& from, NodeId item) {
  const Node& node = from.tree[item];
  std::string written(str(node.text));
  std::string path;
  if (node.flags & syntax::flag::Module) {
    if (!written.starts_with("std.")) {
      diagnostics.report(Code::E0203, node.span, fmt::format("there is no module `{}`", written))
          .helpText("modules of the standard library begin with `std.`; files are imported by "
                    "path, as in `import \"pods/selene.sysdl\"`");
      return nullptr;
    }
    Suggestion meant;
    path = "std/" + written.substr(4) + ".sysdl";
    std::replace(path.begin() + 4, path.end() - 6, '.', '/');
    if (std::ranges::find(loading_, path) == loading_.end()) {
      Module* module = standardModule(written, meant);
      if (!module) {
        auto& report = diagnostics.report(
            Code::E0203, node.span, fmt::format("the standard library has no module `{}`", written),
            "not found");
        if (!meant.word.empty()) {
          report.suggest(meant, node.nameSpan);
          // Uses of the name that was meant are not reported again.
          from.imports.try_emplace(
              name(std::string_view(meant.word).substr(meant.word.rfind('.') + 1)).id);
        }
      }
      return module;
    }
  } else {
    path = joinPath(from.path, written);
    if (!mayImport(written, path, node.span)) return nullptr;
    if (std::ranges::find(loading_, path) == loading_.end()) {
      if (auto found = byPath_.find(path); found != byPath_.end()) return found->second;
      std::string why;
      auto text = reader_.read(path, why);
      if (text) return loadModule(path, std::move(*text), false);
      auto& report =
          diagnostics.report(Code::E0203, node.span,
                             fmt::format("cannot import `{}`: {}", written, why), "no such file");
      auto neighbours = reader_.neighbours(path);
      std::string_view last = std::string_view(written).substr(written.rfind('/') + 1);
      Suggestion meant = suggestion(last, {neighbours.begin(), neighbours.end()});
      if (!meant.word.empty()) {
        // The name stands at the end of the quoted path.
        std::string_view quoted = sources.text(node.span);
        size_t at = quoted.rfind(last);
        auto begin = static_cast<uint32_t>(node.span.begin.offset + at);
        bool plain = at != std::string_view::npos && !last.empty();
        Span word{{begin}, {begin + static_cast<uint32_t>(last.size())}};
        report.suggest({meant.word, meant.sure && plain}, word);
        // Uses of the name that was meant are not reported again.
        std::string_view stem = meant.word;
        if (stem.ends_with(".sysdl")) stem.remove_suffix(6);
        if (!node.name) from.imports.try_emplace(name(stem).id);
      }
      return nullptr;
    }
  }
  std::string cycle;
  auto first = std::ranges::find(loading_, path);
  for (auto step = first; step != loading_.end(); ++step) cycle += *step + " -> ";
  diagnostics
      .report(Code::E0204, node.span, "files import each other in a circle",
              "this import closes it")
      .note(cycle + path)
      .helpText("move what both need into a third file");
  return nullptr;
}

const Schema* Checker::preludeSchema(std::string_view text) {
  ensurePrelude();
  Name wanted = name(text);
  for (Module* module : preludeModules_) {
    auto found = module->schemas.find(wanted.id);
    if (found != module->schemas.end()) return findSchema(*module, wanted, {}, false);
  }
  return nullptr;
}

const Declaration* Checker::preludeDeclaration(std::string_view text) {
  ensurePrelude();
  Name wanted = name(text);
  for (Module* module : preludeModules_) {
    auto found = module->values.find(wanted.id);
    if (found != module->values.end()) return &found->second;
  }
  return nullptr;
}

void Checker::checkLibrary() { libraryModules(); }

std::vector<Module*> Checker::libraryModules() {
  ensurePrelude();
  std::vector<Module*> modules;
  for (const stdlib::EmbeddedFile& file : stdlib::files()) {
    Suggestion ignored;
    Module* module = standardModule(dotted(file.path), ignored);
    if (!module) continue;
    checkModule(*module);
    modules.push_back(module);
  }
  return modules;
}

void Checker::checkModule(Module& module) {
  // Everything declared is looked at once, used or not, in the order of the text.
  if (!module.tree.root.valid()) return;
  warnHiddenFunctions(module);
  for (NodeId item : module.tree.children(module.tree.root)) {
    const Node& node = module.tree[item];
    switch (node.kind) {
    case Kind::Unit: units.find(str(node.name)); break;
    case Kind::Dimension: {
      std::string text(str(node.name));
      auto found = dimensionNodes_.find(text);
      if (found == dimensionNodes_.end()) break;
      dimensionNodes_.erase(found);
      declareDimension(module, item);
      break;
    }
    case Kind::Schema: {
      auto found = module.schemas.find(node.name.id);
      if (found == module.schemas.end() || found->second->node != item) break;
      if (auto* schema = const_cast<Schema*>(findSchema(module, node.name, node.span, true))) {
        checkSchema(*schema);
      }
      break;
    }
    case Kind::Fn: {
      auto found = module.values.find(node.name.id);
      if (found != module.values.end() && found->second.node == item) checkFunction(found->second);
      break;
    }
    case Kind::Decl:
    case Kind::Let: {
      auto found = module.values.find(node.name.id);
      if (found == module.values.end() || found->second.node != item) break;
      if (found->second.kind == DeclarationKind::Explore)
        break;  // the command reads its statements
      Value value = declarationValue(found->second);
      // Designs are walked when they are evaluated: their rules wait for results.
      std::vector<PendingRule> ignored;
      bool isDesign =
          value.kind == ValueKind::Record && value.record->schema->is(preludeSchema("design"));
      if (value.kind == ValueKind::Record && !isDesign) walk(value.record, ignored);
      quietWhole_ = false;
      break;
    }
    default: break;
    }
  }
}

std::vector<std::pair<Name, Record*>> Checker::recordsOf(Module& module, const Schema* schema) {
  std::vector<std::pair<Name, Record*>> result;
  for (auto& [id, declaration] : module.values) {
    if (declaration.kind != DeclarationKind::Value) continue;
    Value value = declarationValue(declaration);
    if (value.kind == ValueKind::Record && value.record->schema->is(schema)) {
      result.emplace_back(Name{id}, value.record);
    }
  }
  std::ranges::sort(result, {}, [&](const auto& item) { return str(item.first); });
  return result;
}

}  // namespace sysdl::check
