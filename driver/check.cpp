// `sysdlc check`: is it well formed, do the dimensions agree, do the rules on inputs hold?
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explore/exploration.h"
#include "driver/fix.h"
#include "driver/render/utf8.h"
#include "driver/tests.h"
#include "fmt/format.h"

namespace sysdl {

void checkAll(Session& session) {
  check::Checker& checker = *session.checker;
  auto modules = session.ownModules(*session.opened().back());
  const check::Schema* schema = checker.preludeSchema("design");
  for (check::Module* module : modules) {
    for (auto [name, design] : checker.recordsOf(*module, schema))
      session.checkDesign(name, design);
    checkTests(session, *module);
    checkExplorations(session, *module);
  }
  // What placements say wrong is found by lowering, which would only repeat other faults.
  if (session.diagnostics.hasErrors()) return;
  for (check::Module* module : modules) {
    for (auto [name, design] : checker.recordsOf(*module, schema))
      session.lowerDesign(name, design);
  }
}

namespace {

std::vector<OpenedFile> checkFiles(const Options& options,
                                   const std::map<std::string, std::string>& texts) {
  std::vector<OpenedFile> files;
  for (const std::string& path : options.paths) {
    files.push_back(openFile(path, options, texts));
    if (files.back().module) checkAll(*files.back().session);
  }
  return files;
}

void writeFixes(JsonWriter& json, const std::vector<AppliedFix>& fixes) {
  json.key("fixed");
  json.beginArray();
  for (const AppliedFix& fix : fixes) {
    json.beginObject(JsonWriter::Inline);
    json.member("code", nameOf(fix.code));
    json.member("file", fix.path);
    json.member("line", fix.line);
    json.member("column", fix.column);
    json.member("before", fix.before);
    json.member("after", fix.after);
    json.endObject();
  }
  json.endArray();
}

/// What was fixed, a line each.
std::string fixesText(const std::vector<AppliedFix>& fixes) {
  auto shown = [](std::string word) {
    while (word.ends_with('\n')) word.pop_back();
    return printable(word);
  };
  std::string text;
  for (const AppliedFix& fix : fixes) {
    std::string what = fix.before.empty()
                           ? fmt::format("`{}` added", shown(fix.after))
                           : fmt::format("`{}` is now `{}`", shown(fix.before), shown(fix.after));
    text +=
        fmt::format("{}:{}:{}: {} ({})\n", fix.path, fix.line, fix.column, what, nameOf(fix.code));
  }
  return text;
}

Exit runFix(const Options& options, Output& output) {
  Fixing fixing =
      fixFiles([&](const auto& texts) { return checkFiles(options, texts); }, options.warnings);
  std::string text = options.diff ? std::string() : fixesText(fixing.applied);
  DiskReader disk(ParseLimits{}.maxBytes);
  for (const auto& [path, after] : fixing.texts) {
    std::string why;
    if (options.diff) {
      text += unifiedDiff(path, disk.read(path, why).value_or(""), after);
    } else if (!replaceFile(path, after, why)) {
      Diagnostic d{Code::E0901, fmt::format("cannot write `{}`: {}", path, why), {}, {}, {}, {},
                   false};
      return refuse(d, options, output);
    }
  }
  if (options.format == Format::Json) {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "check", options.paths);
    writeFixes(json, fixing.applied);
    output.results(finishEnvelope(json, fixing.files, options));
  } else if (options.format != Format::Sarif) {
    output.results(text);
  }
  Exit exit = conclude(fixing.files, options, output);
  return exit == Exit::Fine && options.diff && !fixing.texts.empty() ? Exit::Wrong : exit;
}

}  // namespace

Exit runCheck(const Options& options, Output& output) {
  if (options.fix) return runFix(options, output);
  std::vector<OpenedFile> files = checkFiles(options, {});
  if (options.format == Format::Json) {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "check", options.paths);
    output.results(finishEnvelope(json, files, options));
  }
  return conclude(files, options, output);
}

}  // namespace sysdl
