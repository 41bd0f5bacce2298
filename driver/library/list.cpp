// `sysdlc list`: what there is, a line each.
#include <algorithm>
#include <array>
#include <map>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/library/catalogue.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// Whether an entry is of a kind, or of one that extends it.
bool isOf(const Session& session, const Entry& entry, const std::string& kind) {
  if (entry.kind == kind) return true;
  bool value = entry.schema && entry.kind != "schema";
  if (!value) return false;
  for (const check::Schema* s = entry.schema; s; s = s->base) {
    if (session.names.text(s->name) == kind) return true;
  }
  return false;
}

/// Schemas that extend a kind, such as the algorithms of `collective`.
bool extends(const Session& session, const Entry& entry, const std::string& kind) {
  if (entry.kind != "schema" || !entry.schema) return false;
  for (const check::Schema* s = entry.schema->base; s; s = s->base) {
    if (session.names.text(s->name) == kind) return true;
  }
  return false;
}

std::string table(const std::vector<std::array<std::string, 3>>& rows) {
  size_t first = 0, second = 0;
  for (const auto& row : rows) {
    first = std::max(first, row[0].size());
    second = std::max(second, row[1].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = fmt::format("{:<{}}  {:<{}}  {}", row[0], first, row[1], second, row[2]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The kinds that there are, and how many of each.
std::vector<std::array<std::string, 3>> overview(const std::vector<Entry>& entries) {
  std::map<std::string, size_t> kinds;
  for (const Entry& entry : entries) ++kinds[entry.kind];
  std::vector<std::array<std::string, 3>> rows;
  for (const auto& [kind, count] : kinds) {
    auto schema = std::ranges::find_if(
        entries, [&](const Entry& e) { return e.kind == "schema" && e.name == kind; });
    rows.push_back(
        {kind, std::to_string(count), schema == entries.end() ? "" : schema->firstSentence()});
  }
  return rows;
}

Exit nothing(const Options& options, const std::vector<Entry>& entries, Output& output) {
  std::vector<std::string_view> kinds;
  for (const Entry& entry : entries) {
    kinds.push_back(entry.kind);
    if (entry.kind == "schema") kinds.push_back(entry.name);
  }
  std::string near = nearest(options.kind, kinds);
  Diagnostic d{
      Code::E0904, fmt::format("there is nothing of kind `{}`", options.kind), {}, {}, {}, {},
      false};
  d.helpText(near.empty() ? "`sysdlc list` lists the kinds"
                          : fmt::format("did you mean `{}`?", near));
  return refuse(d, options, output);
}

}  // namespace

Exit runList(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  files.push_back({options.file, std::make_unique<Session>(), nullptr, true});
  Session& session = *files.front().session;
  std::vector<Entry> entries = catalogueOf(session, options.file);
  files.front().readable = options.file.empty() || !session.opened().empty();
  if (session.diagnostics.hasErrors()) return conclude(files, options, output);
  if (!options.file.empty())
    std::erase_if(entries, [&](const Entry& e) { return e.home->embedded; });
  std::vector<const Entry*> chosen;
  for (const Entry& entry : entries) {
    bool all = options.kind.empty() && !options.file.empty();
    if (all || isOf(session, entry, options.kind)) chosen.push_back(&entry);
  }
  if (chosen.empty()) {
    for (const Entry& entry : entries) {
      if (extends(session, entry, options.kind)) chosen.push_back(&entry);
    }
  }
  if (!options.kind.empty() && chosen.empty()) return nothing(options, entries, output);
  if (options.format == Format::Json) {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "list", {});
    json.key("entries");
    json.beginArray();
    for (const Entry& entry : entries) {
      bool shown = options.kind.empty() || std::ranges::count(chosen, &entry) > 0;
      if (!shown) continue;
      json.beginObject(JsonWriter::Inline);
      json.member("name", entry.name);
      json.member("kind", entry.kind);
      json.member("module", entry.module);
      json.member("doc", entry.doc);
      json.member("file", entry.file);
      json.member("line", entry.line);
      json.endObject();
    }
    json.endArray();
    output.results(finishEnvelope(json, {}, options));
    return Exit::Fine;
  }
  if (options.kind.empty() && options.file.empty()) {
    output.results(table(overview(entries)) +
                   "\n`sysdlc list KIND` lists those of a kind, `sysdlc doc NAME` "
                   "says what one is.\n");
    return Exit::Fine;
  }
  std::vector<std::array<std::string, 3>> rows;
  for (const Entry* entry : chosen)
    rows.push_back(
        {entry->name, options.kind.empty() ? entry->kind : entry->module, entry->firstSentence()});
  output.results(table(rows));
  return Exit::Fine;
}

}  // namespace sysdl
