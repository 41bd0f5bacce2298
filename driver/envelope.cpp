// What the answers of all subcommands share.
#include "driver/envelope.h"

#include <algorithm>

#include "fmt/format.h"
#include "frontend/parse/parse.h"
#include "stdlib/embedded.h"

namespace sysdl {
namespace {

Report reportOf(const std::vector<OpenedFile>& files, Style style, const Options& options) {
  Report report(options.format, style, options.maxErrors);
  for (const OpenedFile& file : files) {
    for (const Diagnostic& d : settled(*file.session, options.warnings))
      report.add(d, file.session->sources);
  }
  return report;
}

}  // namespace

void writeEnvelope(JsonWriter& json, std::string_view command,
                   const std::vector<std::string>& paths) {
  json.member("schema", fmt::format("sysdl.{}/1", command));
  json.member("tool", SYSDL_VERSION);
  json.member("stdlib", stdlib::kVersion);
  json.key("file");
  if (paths.empty())
    json.null();
  else
    json.value(paths.front());
  json.key("files");
  json.beginArray(JsonWriter::Inline);
  for (const std::string& path : paths) json.value(path);
  json.endArray();
}

std::string finishEnvelope(JsonWriter& json, const std::vector<OpenedFile>& files,
                           const Options& options) {
  reportOf(files, {}, options).write(json);
  json.endObject();
  return json.take();
}

Exit conclude(const std::vector<OpenedFile>& files, const Options& options, Output& output) {
  Report report = reportOf(files, output.style(), options);
  bool readable = std::ranges::all_of(files, &OpenedFile::readable);
  if (options.format == Format::Text) output.diagnostics(report.texts() + report.summary());
  if (options.format == Format::Github) output.results(report.texts());
  if (options.format == Format::Sarif) output.results(report.sarif(readable));
  if (!readable) return Exit::CannotRun;
  return report.errors() > 0 ? Exit::Wrong : Exit::Fine;
}

Exit refuse(const Diagnostic& diagnostic, const Options& options, Output& output) {
  Report report(options.format, output.style(), 0);
  report.add(diagnostic);
  if (options.format == Format::Text) output.diagnostics(report.texts());
  if (options.format == Format::Github) output.results(report.texts());
  if (options.format == Format::Sarif) output.results(report.sarif(false));
  if (options.format != Format::Json) return Exit::CannotRun;
  JsonWriter json;
  json.beginObject();
  bool evaluates = options.command.empty() || options.command == "eval";
  writeEnvelope(json, evaluates ? "eval" : options.command, options.paths);
  if (evaluates) {
    json.key("designs");
    json.beginArray();
    json.endArray();
  }
  report.write(json);
  json.endObject();
  output.results(json.take());
  return Exit::CannotRun;
}

std::string versionText() {
  return fmt::format("sysdlc {} (edition {}, standard library {})\n", SYSDL_VERSION, kEdition,
                     stdlib::kVersion);
}

}  // namespace sysdl
