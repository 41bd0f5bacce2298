// `sysdlc doc NAME`: what one thing is, what it sets, and what is said of it.
#include <algorithm>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/library/catalogue.h"
#include "fmt/format.h"

namespace sysdl {

using check::Field;
using check::FieldRole;
using syntax::NodeId;

namespace {

struct FieldDoc {
  std::string name, type, range, preset, role, doc, from;
};

std::string_view roleOf(const Field& field) {
  switch (field.role) {
  case FieldRole::Filled: return "input";
  case FieldRole::Derived: return "derived";
  case FieldRole::Result:
  case FieldRole::DerivedResult: return "result";
  case FieldRole::Input: break;
  }
  return field.isGroup ? "children" : "";
}

std::string oneLine(std::string_view text) {
  std::string out;
  for (char ch : text) {
    bool space = ch == ' ' || ch == '\n';
    if (!space)
      out += ch;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

std::vector<FieldDoc> fieldsOf(Session& session, const check::Schema& schema) {
  std::vector<FieldDoc> fields;
  for (const Field& field : schema.fields) {
    const syntax::Tree& t = field.module->tree;
    const syntax::Node& node = t[field.node];
    auto text = [&](uint32_t i) {
      NodeId child = t.childCountOf(field.node) > i ? t.child(field.node, i) : NodeId();
      return child.valid() ? oneLine(session.sources.text(t[child].span)) : std::string();
    };
    FieldDoc doc;
    doc.name = session.names.text(field.name);
    doc.role = roleOf(field);
    doc.type = text(0);
    if (!field.isGroup) {
      doc.range = text(1);
      doc.preset = text(2);
    }
    doc.doc = docAbove(session, *field.module, node.span);
    LineColumn at = session.sources.resolve(node.span.begin);
    doc.from = fmt::format("{}:{}", at.path, at.line);
    fields.push_back(std::move(doc));
  }
  return fields;
}

std::string shown(const FieldDoc& field) {
  std::string text = field.role.empty() ? "" : field.role + " ";
  text += fmt::format("{}: {}", field.name, field.type);
  if (!field.range.empty()) text += " in " + field.range;
  if (!field.preset.empty()) text += " = " + field.preset;
  return text;
}

std::string wrapped(const std::string& text, size_t indent) {
  std::string out;
  size_t column = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find_first_of(" \n", at), text.size());
    size_t length = end - at;
    if (column == 0 || column + 1 + length > 96) {
      out += fmt::format("{}{:{}}", column ? "\n" : "", "", indent);
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(at, length);
    column += length;
    if (end < text.size() && text[end] == '\n') {
      out += "\n\n";
      column = 0;
    }
    at = end + 1;
  }
  return out + "\n";
}

std::string text(Session& session, const Entry& entry) {
  std::string out = fmt::format("{} {}   {}:{}\n", entry.kind, entry.name, entry.file, entry.line);
  if (entry.needsImport) {
    std::string_view alias = std::string_view(entry.module).substr(entry.module.rfind('.') + 1);
    out += fmt::format("import {}, then {}.{}\n", entry.module, alias, entry.name);
  }
  if (!entry.doc.empty()) out += "\n" + wrapped(entry.doc, 0);
  if (entry.kind != "schema" || !entry.schema) return out + "\n" + entry.text + "\n";
  if (entry.schema->base)
    out += fmt::format("\nextends {}\n", session.names.text(entry.schema->base->name));
  out += "\n";
  for (const FieldDoc& field : fieldsOf(session, *entry.schema)) {
    out += "  " + shown(field) + "\n";
    if (!field.doc.empty()) out += wrapped(field.doc, 6);
  }
  return out;
}

void json(JsonWriter& writer, Session& session, const Entry& entry) {
  writer.beginObject();
  writer.member("name", entry.name);
  writer.member("kind", entry.kind);
  writer.member("module", entry.module);
  writer.member("doc", entry.doc);
  writer.member("text", entry.text);
  writer.member("file", entry.file);
  writer.member("line", entry.line);
  writer.key("fields");
  writer.beginArray();
  if (entry.kind == "schema" && entry.schema) {
    for (const FieldDoc& field : fieldsOf(session, *entry.schema)) {
      writer.beginObject(JsonWriter::Inline);
      writer.member("name", field.name);
      writer.member("role", field.role);
      writer.member("type", field.type);
      writer.member("range", field.range);
      writer.member("default", field.preset);
      writer.member("doc", field.doc);
      writer.member("declared", field.from);
      writer.endObject();
    }
  }
  writer.endArray();
  writer.endObject();
}

}  // namespace

Exit runDoc(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  files.push_back({options.file, std::make_unique<Session>(), nullptr, true});
  Session& session = *files.front().session;
  std::vector<Entry> entries = catalogueOf(session, options.file);
  files.front().readable = options.file.empty() || !session.opened().empty();
  if (session.diagnostics.hasErrors()) return conclude(files, options, output);
  // `nvidia.A100_SXM_80GB` names a module first, `megatron.tp` a schema's field.
  const std::string& item = options.item;
  size_t dot = item.rfind('.');
  std::string last = item.substr(dot == std::string::npos ? 0 : dot + 1);
  std::string first = dot == std::string::npos ? "" : item.substr(0, dot);
  std::vector<const Entry*> found;
  std::string fields;
  for (const Entry& entry : entries) {
    bool inModule = first.empty() || entry.module == first || entry.module.ends_with("." + first);
    if (entry.name == last && inModule) found.push_back(&entry);
    if (entry.kind != "schema" || !entry.schema || entry.name != first) continue;
    for (const FieldDoc& field : fieldsOf(session, *entry.schema)) {
      if (field.name != last) continue;
      fields += fmt::format("{}   {}\n", shown(field), field.from);
      if (!field.doc.empty()) fields += "\n" + wrapped(field.doc, 0);
    }
  }
  // `TFLOP` is a FLOP with a prefix.
  bool unit = session.checker->units.parse(last).fault == UnitFault::None;
  for (const Entry& entry : entries) {
    bool prefixed = unit && entry.kind == "unit" && last.ends_with(entry.name) &&
                    last.size() - entry.name.size() <= 2;
    if (found.empty() && prefixed) found.push_back(&entry);
  }
  if (found.empty() && fields.empty()) {
    std::vector<std::string_view> names;
    for (const Entry& entry : entries) names.push_back(entry.name);
    std::string near = nearest(last, names);
    Diagnostic d{Code::E0904, fmt::format("there is no `{}`", item), {}, {}, {}, {}, false};
    d.helpText(near.empty() ? "`sysdlc list` lists what there is"
                            : fmt::format("did you mean `{}`?", near));
    return refuse(d, options, output);
  }
  if (options.format == Format::Json) {
    JsonWriter writer;
    writer.beginObject();
    writeEnvelope(writer, "doc", {});
    writer.key("entries");
    writer.beginArray();
    for (const Entry* entry : found) json(writer, session, *entry);
    writer.endArray();
    writer.member("field", fields);
    output.results(finishEnvelope(writer, {}, options));
    return Exit::Fine;
  }
  std::string all;
  for (const Entry* entry : found) all += (all.empty() ? "" : "\n") + text(session, *entry);
  output.results(all + fields);
  return Exit::Fine;
}

}  // namespace sysdl
