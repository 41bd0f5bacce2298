// The SARIF log. Section numbers are those of the standard.
#include "driver/render/sarif.h"

#include "driver/explain/pages.h"
#include "driver/json.h"
#include "driver/render/plain.h"
#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

constexpr std::string_view kLibraryRoot = "std/";
constexpr std::string_view kLibraryId = "STDLIB";

std::string_view levelOf(Severity severity) {
  return severity == Severity::Error ? "error" : "warning";
}

/// A path as a URI reference (RFC 3986): what may not stand in one becomes %XX.
std::string uriOf(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~/").find(c) != std::string_view::npos;
    out += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void writeText(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  json.beginObject();
  json.member("text", printable(text));
  json.endObject();
}

void writeArtifact(JsonWriter& json, std::string_view path) {
  json.key("artifactLocation");
  json.beginObject();
  bool library = path.starts_with(kLibraryRoot);
  json.member("uri", uriOf(library ? path.substr(kLibraryRoot.size()) : path));
  if (library) json.member("uriBaseId", kLibraryId);
  json.endObject();
}

/// 1-based, in UTF-16 units: a character beyond the basic plane, four bytes long, takes two.
size_t columnOf(Loc loc, const SourceMap& sources) {
  std::string_view line = sources.lineText(loc);
  size_t bytes = sources.resolve(loc).column - 1;
  std::string_view before = line.substr(0, bytes);
  size_t column = 1 + bytes - before.size();  // past the end of the line
  for (size_t i = 0; i < before.size();) {
    size_t length = std::max<size_t>(1, characterLength(before, i));
    column += length == 4 ? 2 : 1;
    i += length;
  }
  return column;
}

void writeRegion(JsonWriter& json, std::string_view key, Span span, const SourceMap& sources) {
  Loc end = span.end.valid() ? span.end : span.begin;
  json.key(key);
  json.beginObject();
  json.member("startLine", sources.resolve(span.begin).line);
  json.member("startColumn", columnOf(span.begin, sources));
  json.member("endLine", sources.resolve(end).line);
  json.member("endColumn", columnOf(end, sources));
  json.endObject();
}

/// The members of a `location` (3.28). What was written on the command line is no artifact.
void writeLocation(JsonWriter& json, Span span, const SourceMap& sources) {
  std::string_view path = sources.resolve(span.begin).path;
  if (path.starts_with('<')) {
    json.key("logicalLocations");
    json.beginArray();
    json.beginObject();
    json.member("fullyQualifiedName", path);
    json.endObject();
    json.endArray();
    return;
  }
  json.key("physicalLocation");
  json.beginObject();
  writeArtifact(json, path);
  writeRegion(json, "region", span, sources);
  json.endObject();
}

void writeRelated(JsonWriter& json, const Diagnostic& d, const SourceMap& sources) {
  if (d.labels.size() < 2) return;
  json.key("relatedLocations");
  json.beginArray();
  for (size_t i = 1; i < d.labels.size(); ++i) {
    json.beginObject();
    json.member("id", i);
    writeLocation(json, d.labels[i].span, sources);
    if (!d.labels[i].text.empty()) writeText(json, "message", d.labels[i].text);
    json.endObject();
  }
  json.endArray();
}

void writeFix(JsonWriter& json, const Diagnostic& d, const SourceMap& sources) {
  if (d.fix.empty()) return;
  json.key("fixes");
  json.beginArray();
  json.beginObject();
  if (!d.help.empty()) writeText(json, "description", d.help);
  json.key("artifactChanges");
  json.beginArray();
  for (const Fix& edit : d.fix) {
    json.beginObject();
    writeArtifact(json, sources.resolve(edit.span.begin).path);
    json.key("replacements");
    json.beginArray();
    json.beginObject();
    writeRegion(json, "deletedRegion", edit.span, sources);
    writeText(json, "insertedContent", edit.text);
    json.endObject();
    json.endArray();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  json.endArray();
}

void writeRule(JsonWriter& json, Code code) {
  json.beginObject();
  json.member("id", nameOf(code));
  writeText(json, "shortDescription", summaryOf(code));
  std::string_view page = explainPage(code);
  if (!page.empty()) {
    json.key("help");
    json.beginObject();
    json.member("text", page);
    json.member("markdown", page);
    json.endObject();
  }
  json.key("defaultConfiguration");
  json.beginObject();
  json.member("level", levelOf(severityOf(code)));
  json.endObject();
  json.endObject();
}

}  // namespace

std::string sarifResult(const Diagnostic& d, const SourceMap& sources) {
  JsonWriter json;
  json.beginObject(JsonWriter::Inline);
  json.member("ruleId", nameOf(d.code));
  json.member("level", levelOf(severityOf(d)));
  writeText(json, "message", plainText(d));
  if (!d.labels.empty()) {
    json.key("locations");
    json.beginArray();
    json.beginObject();
    writeLocation(json, d.labels.front().span, sources);
    json.endObject();
    json.endArray();
  }
  writeRelated(json, d, sources);
  writeFix(json, d, sources);
  json.endObject();
  std::string text = json.take();
  text.pop_back();
  return text;
}

std::string sarifLog(const std::vector<std::string>& results, const std::set<Code>& rules,
                     bool ran) {
  JsonWriter json;
  json.beginObject();
  json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.member("version", "2.1.0");
  json.key("runs");
  json.beginArray();
  json.beginObject();
  json.key("tool");
  json.beginObject();
  json.key("driver");
  json.beginObject();
  json.member("name", "sysdlc");
  json.member("semanticVersion", SYSDL_VERSION);
  json.key("rules");
  json.beginArray();
  for (Code code : rules) writeRule(json, code);
  json.endArray();
  json.endObject();
  json.endObject();
  json.member("columnKind", "utf16CodeUnits");
  json.key("originalUriBaseIds");
  json.beginObject();
  json.key(kLibraryId);
  json.beginObject(JsonWriter::Inline);
  writeText(json, "description", "the standard library, which is part of sysdlc");
  json.endObject();
  json.endObject();
  json.key("invocations");
  json.beginArray();
  json.beginObject(JsonWriter::Inline);
  json.member("executionSuccessful", ran);
  json.endObject();
  json.endArray();
  json.key("results");
  json.beginArray();
  for (const std::string& result : results) json.raw(result);
  json.endArray();
  json.endObject();
  json.endArray();
  json.endObject();
  return json.take();
}

}  // namespace sysdl
