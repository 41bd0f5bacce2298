// `sysdlc eval`: designs in, answers out.
#include <algorithm>

#include "driver/commands.h"
#include "driver/emit.h"
#include "driver/envelope.h"
#include "driver/eval_json.h"
#include "driver/eval_text.h"
#include "driver/input_hash.h"
#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Value;
using check::ValueKind;

namespace {

struct Run {
  const Options& options;
  std::vector<OpenedFile> files;
  std::vector<ChosenDesign> designs;

  std::string emit() const {
    std::string text;
    if (options.emit == "ast") {
      for (const OpenedFile& file : files) {
        if (file.module) text += astText(file);
      }
      return text;
    }
    for (const ChosenDesign& design : designs) {
      text += options.emit == "typed"    ? typedText(design)
              : options.emit == "values" ? valuesText(design)
                                         : graphText(design);
    }
    return text;
  }

  std::string get() const;
  std::string texts() const;
  std::string json() const;
};

/// A bare value in SI base units; empty after a report where the expression has none.
std::string bareValue(Session& session, const std::string& origin, const Value& value, Span span) {
  check::Checker& checker = *session.checker;
  if (value.bad()) return {};
  if (value.kind == ValueKind::Word || value.kind == ValueKind::Text) return checker.text(value);
  if (!value.scalar()) {
    auto& d = session.diagnostics.report(
        Code::E0305, span,
        fmt::format("`{}` prints one value, not {}", origin, checker.describeKind(value)));
    if (value.kind == ValueKind::Record) {
      std::string fields;
      for (const check::Field& field : value.record->schema->fields) {
        fields += fmt::format("{}`{}`", fields.empty() ? "" : ", ", checker.str(field.name));
      }
      d.helpText("name one of its fields: " + fields);
    }
    return {};
  }
  auto word = checker.formulas.resolve(value.formula);
  if (!word) {
    checker.real(value, span);  // reports what is wrong with it
    return {};
  }
  if (value.number == Number::Bool) return word->integer ? "true" : "false";
  return value.number == Number::Int ? std::to_string(word->integer)
                                     : fmt::format("{}", word->real);
}

std::string Run::get() const {
  std::string text;
  bool named = designs.size() > 1;
  for (const ChosenDesign& chosen : designs) {
    Session& session = *chosen.file->session;
    EvaluatedDesign& design = session.evaluateDesign(chosen.name, chosen.record);
    if (!design.results) continue;
    Value value = session.evaluateText("<--get>", options.get, chosen.record);
    if (value.scalar()) session.settle(value.formula);
    std::string bare = bareValue(session, "--get", value, chosen.record->span);
    if (bare.empty()) continue;
    text += named ? fmt::format("{}\t{}\n", session.names.text(chosen.name), bare) : bare + "\n";
  }
  return text;
}

std::string Run::texts() const {
  std::string text;
  for (const ChosenDesign& chosen : designs) {
    EvaluatedDesign& design = chosen.file->session->evaluateDesign(chosen.name, chosen.record);
    if (!design.results) continue;
    if (!text.empty()) text += "\n";
    text += designText(chosen, design);
  }
  return text;
}

std::string Run::json() const {
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "eval", options.paths);
  json.member("edition", kEdition);
  json.key("input_hash");
  bool anyRead = std::ranges::any_of(files, &OpenedFile::readable);
  if (anyRead)
    json.value(inputHash(files, options.changes));
  else
    json.null();
  json.key("designs");
  json.beginArray();
  for (const ChosenDesign& chosen : designs) {
    Session& session = *chosen.file->session;
    writeDesign(json, chosen, session.evaluateDesign(chosen.name, chosen.record));
  }
  json.endArray();
  return finishEnvelope(json, files, options);
}

}  // namespace

Exit runEval(const Options& options, Output& output) {
  Run run{options, {}, {}};
  for (const std::string& path : options.paths) run.files.push_back(openFile(path, options));
  if (options.emit != "ast")
    run.designs = chooseDesigns(run.files, options.design, options.changes);
  if (options.format == Format::Json) {
    output.results(run.json());
  } else if (!options.emit.empty()) {
    output.results(run.emit());
  } else {
    std::string text = options.get.empty() ? run.texts() : run.get();
    if (options.format != Format::Sarif) output.results(text);
  }
  return conclude(run.files, options, output);
}

}  // namespace sysdl
