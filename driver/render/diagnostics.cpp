// Diagnostics as text and as JSON.
#include "driver/render/diagnostics.h"

#include <algorithm>

#include "driver/render/excerpt.h"
#include "driver/render/github.h"
#include "driver/render/sarif.h"
#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

std::string_view wordOf(Severity severity) {
  return severity == Severity::Error ? "error" : "warning";
}

std::string oneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

/// A note or help: its first line behind `= ` and `word`, others under that. A note that begins with
/// a space goes on with the one before it.
std::string noteText(std::string_view word, std::string_view note, const std::string& margin,
                     const Style& style) {
  std::string next(margin.size() + 3, ' ');
  std::string out =
      note.starts_with(' ') ? next : margin + " " + style.paint(Role::Gutter, "=") + " ";
  out += style.paint(Role::Help, word);
  for (char c : printable(note)) {
    out += c;
    if (c == '\n') out += next;
  }
  return out + "\n";
}

std::string textOf(const Diagnostic& d, const SourceMap& sources, const Style& style) {
  Role role = severityOf(d) == Severity::Error ? Role::Error : Role::Warning;
  std::string out = style.paint(role, fmt::format("{}[{}]", wordOf(severityOf(d)), nameOf(d.code)));
  out += style.paint(Role::Strong, ": " + oneLine(d.message)) + "\n";
  size_t gutter = gutterWidth(d.labels, sources);
  out += excerpt(d.labels, role, sources, style, gutter);
  std::string margin(d.labels.empty() ? 1 : gutter, ' ');
  for (const std::string& note : d.notes) out += noteText("", note, margin, style);
  if (!d.help.empty()) out += noteText("help: ", d.help, margin, style);
  return out;
}

void writePlace(JsonWriter& json, Span span, const SourceMap& sources) {
  Place begin = placeOf(span.begin, sources);
  Place end = placeOf(span.end.valid() ? span.end : span.begin, sources);
  json.member("file", begin.path);
  json.member("line", begin.line);
  json.member("column", begin.column);
  json.member("end_line", end.line);
  json.member("end_column", end.column);
}

std::string jsonOf(const Diagnostic& d, const SourceMap& sources) {
  JsonWriter json;
  json.beginObject(JsonWriter::Inline);
  json.member("code", nameOf(d.code));
  json.member("severity", wordOf(severityOf(d)));
  json.member("message", d.message);
  if (d.labels.empty()) {
    for (const char* key : {"file", "line", "column", "end_line", "end_column"}) {
      json.key(key);
      json.null();
    }
  } else {
    writePlace(json, d.labels.front().span, sources);
  }
  json.key("labels");
  json.beginArray();
  for (const Label& label : d.labels) {
    json.beginObject();
    json.member("primary", &label == d.labels.data());
    json.member("text", label.text);
    writePlace(json, label.span, sources);
    json.endObject();
  }
  json.endArray();
  json.key("notes");
  json.beginArray();
  for (const std::string& note : d.notes) json.value(note);
  json.endArray();
  json.key("help");
  if (d.help.empty())
    json.null();
  else
    json.value(d.help);
  json.key("fix");
  if (d.fix.empty()) {
    json.null();
  } else {
    json.beginArray();
    for (const Fix& edit : d.fix) {
      json.beginObject();
      json.member("text", edit.text);
      writePlace(json, edit.span, sources);
      json.endObject();
    }
    json.endArray();
  }
  json.endObject();
  std::string text = json.take();
  text.pop_back();
  return text;
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void Report::add(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string json = jsonOf(diagnostic, sources);
  if (!seen_.insert(json).second) return;
  json_.push_back(std::move(json));
  bool isError = severityOf(diagnostic) == Severity::Error;
  ++(isError ? errors_ : warnings_);
  codes_.insert(diagnostic.code);
  if (format_ == Format::Sarif) sarif_.push_back(sarifResult(diagnostic, sources));
  if (format_ == Format::Github) text_ += githubAnnotation(diagnostic, sources);
  if (format_ != Format::Text) return;
  if (maxErrors_ != 0 && errors_ > maxErrors_) return;
  if (!text_.empty()) text_ += "\n";
  text_ += textOf(diagnostic, sources, style_);
}

std::string Report::summary() const {
  if (errors_ + warnings_ == 0) return {};
  std::string summary = "\n";
  if (errors_ > 0) summary += style_.paint(Role::Error, counted(errors_, "error"));
  if (warnings_ > 0) {
    if (errors_ > 0) summary += ", ";
    summary += style_.paint(Role::Warning, counted(warnings_, "warning"));
  }
  if (maxErrors_ != 0 && errors_ > maxErrors_) {
    summary += fmt::format(" ({} not shown; --max-errors 0 shows all)", errors_ - maxErrors_);
  }
  return summary + "\n";
}

void Report::write(JsonWriter& json) const {
  json.key("diagnostics");
  json.beginArray();
  for (const std::string& diagnostic : json_) json.raw(diagnostic);
  json.endArray();
}

std::string Report::sarif(bool ran) const { return sarifLog(sarif_, codes_, ran); }

}  // namespace sysdl
