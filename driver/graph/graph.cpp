// `sysdlc graph`: the kernels and collectives that designs lower to, as text, JSON or for Graphviz.
#include "driver/commands.h"
#include "driver/emit.h"
#include "driver/envelope.h"
#include "driver/graph/dot.h"
#include "driver/graph/json.h"

namespace sysdl {
namespace {

std::string jsonText(const std::vector<OpenedFile>& files, const std::vector<ChosenDesign>& designs,
                     const Options& options) {
  JsonWriter json;
  json.beginObject();
  writeEnvelope(json, "graph", options.paths);
  json.key("designs");
  json.beginArray();
  for (const ChosenDesign& chosen : designs) {
    writeGraph(json, chosen, chosen.file->session->evaluateDesign(chosen.name, chosen.record));
  }
  json.endArray();
  return finishEnvelope(json, files, options);
}

/// Empty where a design has errors: half a picture would look like a whole one.
std::string dotText(const std::vector<ChosenDesign>& designs) {
  std::string clusters;
  for (size_t i = 0; i < designs.size(); ++i) {
    Session& session = *designs[i].file->session;
    const EvaluatedDesign& design = session.evaluateDesign(designs[i].name, designs[i].record);
    if (!design.results || session.diagnostics.hasErrors()) return {};
    clusters += dotOf(designs[i], design, i);
  }
  return clusters.empty() ? clusters : dotFile(clusters);
}

}  // namespace

Exit runGraph(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  for (const std::string& path : options.paths) files.push_back(openFile(path, options));
  const std::vector<ChosenDesign> designs = chooseDesigns(files, options.design, options.changes);
  if (options.table == "json") {
    output.results(jsonText(files, designs, options));
  } else if (options.table == "dot") {
    output.results(dotText(designs));
  } else {
    std::string text;
    for (const ChosenDesign& design : designs) text += pricedGraphText(design);
    output.results(text);
  }
  return conclude(files, options, output);
}

}  // namespace sysdl
