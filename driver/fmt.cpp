// `sysdlc fmt`: rewrites files in canonical form, or says which are not in it.
#include <algorithm>
#include <stdexcept>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "fmt/format.h"
#include "frontend/parse/parse.h"
#include "frontend/syntax/dump.h"
#include "frontend/syntax/format.h"
#include "llvm/Support/FileSystem.h"

namespace sysdl {
namespace {

constexpr std::string_view kStandardInput = "-";

/// All `.sysdl` files that are named or lie below a folder that is, in order, each once.
std::vector<std::string> filesOf(const std::vector<std::string>& paths,
                                 std::vector<std::string>& emptyFolders) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path == kStandardInput || !llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below = filesBelow(path);
    if (below.empty()) emptyFolders.push_back(path);
    files.insert(files.end(), below.begin(), below.end());
  }
  return inOrder(std::move(files));
}

struct FormattedFile {
  std::string path;
  std::string text;  // formatted; empty where the file has errors
  bool changed = false;
};

/// The canonical form of a text; nothing where it has errors, which are then reported.
std::string formatted(Session& session, const std::string& path, const std::string& text) {
  Loc start = session.sources.add(path, text);
  syntax::Tree tree = parse(start, session.sources, session.names, session.diagnostics);
  if (session.diagnostics.hasErrors()) return {};
  std::string result = syntax::format(tree, session.sources, session.names);
  // What is written over a file must be the same file.
  Diagnostics none;
  Loc again = session.sources.add(path, result);
  syntax::Tree copy = parse(again, session.sources, session.names, none);
  bool same = !none.hasErrors() && syntax::dump(tree, session.sources, session.names, false) ==
                                       syntax::dump(copy, session.sources, session.names, false);
  if (!same) throw std::logic_error("`fmt` would change what " + path + " means");
  return result;
}

class Formatting {
public:
  explicit Formatting(const Options& options) : options_(options) {}

  void formatFile(const std::string& path);
  /// A fault of a path that is no file's text.
  void report(const std::string& path, Code code, std::string message, bool readable);
  std::string json() const;
  std::string text() const;
  bool anyChanged() const { return std::ranges::any_of(files_, &FormattedFile::changed); }
  const std::vector<OpenedFile>& opened() const { return opened_; }

private:
  const Options& options_;
  std::vector<OpenedFile> opened_;
  std::vector<FormattedFile> files_;
};

void Formatting::report(const std::string& path, Code code, std::string message, bool readable) {
  opened_.push_back({path, std::make_unique<Session>(), nullptr, readable});
  opened_.back().session->diagnostics.report(code, {}, std::move(message));
}

void Formatting::formatFile(const std::string& path) {
  bool isInput = path == kStandardInput;
  std::string shown = isInput ? "<stdin>" : path;
  std::string why;
  std::optional<std::string> text =
      DiskReader(ParseLimits{}.maxBytes).read(isInput ? "/dev/stdin" : path, why);
  if (!text) {
    return report(path, Code::E0901, fmt::format("cannot read `{}`: {}", shown, why), false);
  }
  opened_.push_back({shown, std::make_unique<Session>(), nullptr, true});
  Session& session = *opened_.back().session;
  FormattedFile& file = files_.emplace_back();
  file.path = shown;
  file.text = formatted(session, shown, *text);
  if (session.diagnostics.hasErrors()) return;
  file.changed = file.text != *text;
  if (!file.changed || options_.check || isInput || replaceFile(path, file.text, why)) return;
  file.changed = false;
  report(path, Code::E0901, fmt::format("cannot write `{}`: {}", path, why), false);
}

std::string Formatting::json() const {
  JsonWriter json;
  json.beginObject();
  json.member("schema", "sysdl.fmt/1");
  json.member("tool", SYSDL_VERSION);
  json.key("files");
  json.beginArray();
  bool isInput = options_.paths.front() == kStandardInput;
  for (const FormattedFile& file : files_) {
    json.beginObject(JsonWriter::Inline);
    json.member("path", file.path);
    json.member("changed", file.changed);
    if (isInput && !options_.check) json.member("text", file.text);
    json.endObject();
  }
  json.endArray();
  return finishEnvelope(json, opened_, options_);
}

/// The formatted text of standard input; otherwise the files that changed or would, one a line.
std::string Formatting::text() const {
  if (options_.paths.front() == kStandardInput && !options_.check) {
    return files_.empty() ? std::string() : files_.front().text;
  }
  std::string lines;
  for (const FormattedFile& file : files_) {
    if (file.changed) lines += file.path + "\n";
  }
  return lines;
}

}  // namespace

Exit runFmt(const Options& options, Output& output) {
  Formatting formatting(options);
  std::vector<std::string> emptyFolders;
  for (const std::string& path : filesOf(options.paths, emptyFolders)) formatting.formatFile(path);
  for (const std::string& folder : emptyFolders) {
    formatting.report(folder, Code::E0903, fmt::format("no `.sysdl` file lies below `{}`", folder),
                      true);
  }
  output.results(options.format == Format::Json ? formatting.json() : formatting.text());
  Exit exit = conclude(formatting.opened(), options, output);
  return exit == Exit::Fine && options.check && formatting.anyChanged() ? Exit::Wrong : exit;
}

}  // namespace sysdl
