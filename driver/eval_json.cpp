// An evaluated design as JSON.
#include "driver/eval_json.h"

#include "driver/kernel_cost.h"
#include "driver/names.h"
#include "driver/results.h"

namespace sysdl {

using check::Checker;
using check::Value;
using check::ValueKind;

namespace {

void writeValue(JsonWriter& json, Checker& checker, const Value& value) {
  if (value.kind == ValueKind::Word || value.kind == ValueKind::Text) {
    return json.value(checker.text(value));
  }
  auto word = value.scalar() ? checker.formulas.resolve(value.formula) : std::nullopt;
  if (!word) return json.null();
  if (value.number == Number::Bool) return json.value(word->integer != 0);
  if (value.number == Number::Int) return json.value(word->integer);
  json.value(word->real);
}

void writeResults(JsonWriter& json, Checker& checker, const std::vector<ResultNode>& nodes) {
  json.beginObject();
  for (const ResultNode& node : nodes) {
    json.key(node.name);
    if (node.fields.empty())
      writeValue(json, checker, node.value);
    else
      writeResults(json, checker, node.fields);
  }
  json.endObject();
}

void writeKernels(JsonWriter& json, const EvaluatedDesign& design, const NameTable& names) {
  json.key("kernels");
  json.beginArray();
  auto write = [&](const KernelResult& kernel) {
    json.beginObject(JsonWriter::Inline);
    json.member("name", kernelName(design, kernel, names));
    json.member("phase", phaseOf(design, kernel));
    json.member("count", kernel.count);
    writeCost(json, kernel, names);
    json.endObject();
  };
  if (design.results) {
    for (const KernelResult& kernel : design.results->kernels) write(kernel);
    if (design.results->optimizer.count > 0) write(design.results->optimizer);
  }
  json.endArray();
}

void writeCollectives(JsonWriter& json, const EvaluatedDesign& design, const NameTable& names) {
  json.key("collectives");
  json.beginArray();
  for (size_t i = 0; design.results && i < design.results->collectives.size(); ++i) {
    const CollectiveResult& result = design.results->collectives[i];
    const CollectiveNode& node = design.graph->collectives[result.node];
    json.beginObject(JsonWriter::Inline);
    json.member("name", collectiveName(design, node, names));
    json.member("kind", nameOf(node.kind));
    json.member("phase", nameOf(node.phase));
    json.member("axis", axesOf(design, node, names));
    json.member("ranks", node.group.ranks);
    json.member("count", result.count);
    json.member("bytes", result.bytes);
    json.member("wire_bytes", result.wireBytes);
    json.member("algorithm", names.text(result.algorithm));
    json.member("level", levelOf(design, node, names));
    json.member("time", result.time);
    json.member("exposed", result.exposed);
    json.member("extrapolated", result.extrapolated);
    json.member("why", node.why);
    json.endObject();
  }
  json.endArray();
}

void writeRules(JsonWriter& json, Checker& checker, const EvaluatedDesign& design) {
  json.key("rules");
  json.beginArray();
  for (const RuleState& rule : rulesOf(checker, design.record)) {
    json.beginObject(JsonWriter::Inline);
    json.member("code", rule.code);
    json.member("text", rule.text);
    json.member("holds", rule.holds);
    json.endObject();
  }
  json.endArray();
}

}  // namespace

void writeDesign(JsonWriter& json, const ChosenDesign& chosen, const EvaluatedDesign& design) {
  Session& session = *chosen.file->session;
  Checker& checker = *session.checker;
  json.beginObject();
  json.member("name", session.names.text(chosen.name));
  json.member("file", chosen.file->path);
  json.key("results");
  if (design.results)
    writeResults(json, checker, resultsOf(checker, design.record));
  else
    json.null();
  writeKernels(json, design, session.names);
  writeCollectives(json, design, session.names);
  writeRules(json, checker, design);
  json.endObject();
}

}  // namespace sysdl
