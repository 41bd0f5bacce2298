// `sysdlc explain FILE RESULT`: the formula behind a number, with values, places and knobs.
#include <algorithm>

#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explain/reason.h"
#include "driver/explain/result.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

void write(const Reason& reason, size_t indent, std::string& text) {
  std::string head = fmt::format("{:{}}{} = {}", "", indent, reason.name, reason.value);
  if (!reason.note.empty()) head += fmt::format("  ({})", reason.note);
  if (reason.extrapolated) head += "  extrapolated";
  std::string tail;
  if (!reason.file.empty()) tail = fmt::format("{}:{}", reason.file, reason.line);
  const Provenance& from = reason.provenance;
  if (!from.origin.empty() && !from.source.starts_with(from.origin + ":"))
    tail += fmt::format("  {}{}", from.origin, from.source.empty() ? "" : ", ");
  else if (!from.source.empty())
    tail += "  ";
  tail += from.source;
  text += tail.empty() ? head : fmt::format("{:<56}  {}", head, tail);
  text += "\n";
  for (const std::string* line : {&reason.formula, &reason.filled}) {
    bool again = line == &reason.filled && reason.filled == reason.formula;
    if (!line->empty() && !again) text += fmt::format("{:{}}  = {}\n", "", indent, *line);
  }
  for (const Reason& part : reason.parts) write(part, indent + 4, text);
}

void write(const Reason& reason, JsonWriter& json) {
  json.beginObject();
  json.member("name", reason.name);
  json.member("value", reason.number);
  json.member("text", reason.value);
  auto optional = [&](std::string_view key, const std::string& item) {
    json.key(key);
    if (item.empty())
      json.null();
    else
      json.value(item);
  };
  optional("formula", reason.formula);
  optional("filled", reason.filled);
  optional("note", reason.note);
  optional("file", reason.file);
  json.member("line", reason.line);
  optional("origin", reason.provenance.origin);
  optional("source", reason.provenance.source);
  json.member("extrapolated", reason.extrapolated);
  json.key("parts");
  json.beginArray();
  for (const Reason& part : reason.parts) write(part, json);
  json.endArray();
  json.endObject();
}

std::string textOf(const Reason& reason, const std::vector<Knob>& knobs) {
  std::string text;
  write(reason, 0, text);
  if (knobs.empty()) return text;
  text += "\nrests on what is fitted or assumed:\n";
  size_t name = 0, value = 0;
  for (const Knob& knob : knobs) {
    name = std::max(name, knob.name.size());
    value = std::max(value, knob.value.size());
  }
  for (const Knob& knob : knobs) {
    text += fmt::format("  {:<8}  {:<{}}  {:<{}}  {}:{}", knob.provenance.origin, knob.name, name,
                        knob.value, value, knob.file, knob.line);
    if (!knob.provenance.source.empty()) text += fmt::format("  {}", knob.provenance.source);
    text += "\n";
  }
  return text;
}

std::string jsonOf(const std::vector<OpenedFile>& files, const Options& options,
                   const std::string& design, const Reason& reason,
                   const std::vector<Knob>& knobs) {
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "explain", {options.code});
  json.member("design", design);
  json.key("reason");
  write(reason, json);
  json.key("knobs");
  json.beginArray();
  for (const Knob& knob : knobs) {
    json.beginObject(JsonWriter::Inline);
    json.member("name", knob.name);
    json.member("text", knob.value);
    json.member("origin", knob.provenance.origin);
    json.member("source", knob.provenance.source);
    json.member("file", knob.file);
    json.member("line", knob.line);
    json.endObject();
  }
  json.endArray();
  return finishEnvelope(json, files, options);
}

/// What may be asked for, where a name is no field and no kernel.
void reportUnknown(Session& session, check::Record* record, const std::vector<std::string>& nodes,
                   const std::string& wanted) {
  std::vector<std::string> names;
  for (const check::Field& field : record->schema->fields)
    names.emplace_back(session.names.text(field.name));
  names.insert(names.end(), nodes.begin(), nodes.end());
  auto& d = session.diagnostics.report(
      Code::E0201, record->span,
      fmt::format("`{}` has no `{}` to explain", session.names.text(record->label), wanted));
  std::string near = nearest(wanted, {names.begin(), names.end()});
  d.helpText(near.empty()
                 ? "name a field, as in `step_time` or `chip.power`, or a kernel or collective "
                   "as `eval --format json` lists them, as in `layer.w_up forward`"
                 : fmt::format("did you mean `{}`?", near));
}

/// The design of `--design`, or the only one; else, with another record's name before the first dot, that
/// record.
struct Chosen {
  std::string name;
  check::Record* record = nullptr;
  std::string path;  // in it
};

Chosen choose(std::vector<OpenedFile>& files, const Options& options) {
  OpenedFile& file = files.front();
  Session& session = *file.session;
  std::string first = options.result.substr(0, options.result.find('.'));
  auto named = file.module->values.find(session.names.intern(first).id);
  bool record = named != file.module->values.end() && first.size() < options.result.size() &&
                named->second.value.kind == check::ValueKind::Record;
  if (record) return {first, named->second.value.record, options.result.substr(first.size() + 1)};
  std::optional<ChosenDesign> design = chooseDesign(files, options.design, options.changes);
  if (!design) return {};
  return {std::string(session.names.text(design->name)), design->record, options.result};
}

}  // namespace

Exit explainResult(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  files.push_back(openFile(options.code, options));
  Session& session = *files.front().session;
  Reason reason;
  std::vector<Knob> knobs;
  std::string name;
  if (files.front().module && !session.diagnostics.hasErrors()) {
    Chosen chosen = choose(files, options);
    if (chosen.record) {
      name = chosen.name;
      bool isDesign = chosen.record->schema->is(session.checker->preludeSchema("design"));
      EvaluatedDesign* design =
          isDesign ? &session.evaluateDesign(chosen.record->label, chosen.record) : nullptr;
      if (!isDesign || design->results) {
        Reasoner reasoner(session, chosen.record, design, options.depth);
        reason = reasoner.field(chosen.path);
        if (reason.name.empty() && design) reason = reasoner.node(chosen.path);
        if (reason.name.empty())
          reportUnknown(session, chosen.record, reasoner.nodes(), chosen.path);
        knobs = reasoner.knobs();
      }
    }
  }
  if (options.format == Format::Json)
    output.results(jsonOf(files, options, name, reason, knobs));
  else if (!reason.name.empty())
    output.results(textOf(reason, knobs));
  return conclude(files, options, output);
}

}  // namespace sysdl
