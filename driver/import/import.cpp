// `sysdlc import`: a model of another tool's format as a .sysdl file.
#include <algorithm>
#include <cctype>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/import/families.h"
#include "driver/import/import.h"
#include "fmt/format.h"
#include "frontend/check/loader.h"
#include "frontend/parse/parse.h"
#include "frontend/syntax/format.h"
#include "llvm/Support/Path.h"

namespace sysdl {
namespace {

/// A name of the language: letters, digits and underscores, a letter first.
std::string nameOf(std::string_view text) {
  std::string name;
  for (char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (fits || (!name.empty() && name.back() != '_')) name += fits ? c : '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())))
    name = "Model_" + name;
  return name;
}

/// `openai--gpt-oss-20b/config.json` is of `openai/gpt-oss-20b`.
std::string originOf(const std::string& path) {
  const llvm::StringRef file = llvm::sys::path::filename(path);
  llvm::StringRef from = llvm::sys::path::stem(path);
  if (file == "config.json") from = llvm::sys::path::filename(llvm::sys::path::parent_path(path));
  const auto [owner, model] = from.split("--");
  if (model.empty()) return from.empty() ? "model" : from.str();
  return fmt::format("{}/{}", owner.str(), model.str());
}

std::string textOf(const ImportedModel& model, const Config& config, const std::string& origin,
                   const std::string& name) {
  std::string text = fmt::format("// {}, from its Hugging Face configuration.\n", origin);
  std::vector<std::string> notes = model.notes;
  for (const auto& [key, value] : config.left()) {
    if (isWithoutEffect(key) || (key == "n_group" && value == "1") ||
        (key == "topk_group" && value == "1"))
      continue;
    notes.push_back(value.empty() ? fmt::format("not mapped: `{}`", key)
                                  : fmt::format("not mapped: `{}` = {}", key, value));
  }
  text += "sysdl 2026\n\n";
  text += fmt::format("import {}\n\n", model.module);
  for (const std::string& note : notes) text += fmt::format("// {}.\n", note);
  if (!notes.empty()) text += "\n";
  const std::string module = model.module.substr(model.module.rfind('.') + 1);
  text += fmt::format("{}.{} {} {{\n  source \"Hugging Face {}, config.json\" as datasheet\n",
                      module, model.schema, name, origin);
  for (const auto& [field, value] : model.fields) text += fmt::format("  {} = {}\n", field, value);
  text += "}\n";
  return text;
}

}  // namespace

std::string importHuggingFace(const std::string& path, const std::string& text,
                              const std::string& name, Session& session) {
  auto config = Config::read(path, text, session);
  if (!config) return {};
  const ImportedModel model = importModel(*config);
  if (config->refused()) return {};
  const std::string origin = originOf(path);
  const size_t slash = origin.rfind('/');
  const std::string usual = slash == std::string::npos ? origin : origin.substr(slash + 1);
  const std::string written = textOf(model, *config, origin, nameOf(name.empty() ? usual : name));
  const Loc start = session.sources.add("<import>", written);
  const syntax::Tree tree = parse(start, session.sources, session.names, session.diagnostics);
  return syntax::format(tree, session.sources, session.names);
}

Exit runImport(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  files.push_back({options.file, std::make_unique<Session>(), nullptr, true});
  Session& session = *files.front().session;
  std::string why;
  if (auto text = session.reader->read(options.file, why)) {
    output.results(importHuggingFace(options.file, *text, options.name, session));
  } else {
    session.diagnostics.report(Code::E0901, {},
                               fmt::format("cannot read `{}`: {}", options.file, why));
    files.front().readable = false;
  }
  return conclude(files, options, output);
}

}  // namespace sysdl
