// `sysdlc trace`: one training step for Perfetto or Chrome.
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/graph/trace_json.h"
#include "fmt/format.h"

namespace sysdl {

Exit runTrace(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  files.push_back(openFile(options.paths.front(), options));
  Session& session = *files.front().session;
  std::optional<ChosenDesign> chosen = chooseDesign(files, options.design, options.changes);
  if (!chosen) return conclude(files, options, output);
  const EvaluatedDesign& design = session.evaluateDesign(chosen->name, chosen->record);
  if (!design.results || session.diagnostics.hasErrors()) return conclude(files, options, output);
  const DesignInputs& inputs = *design.inputs;
  Scratch scratch;
  auto evaluated = evaluateStep(inputs.model, inputs.plan, inputs.machine, inputs.optimizer,
                                *design.graph, session.names, scratch);
  const auto* step = std::get_if<EvaluatedStep>(&evaluated);
  if (!step) return conclude(files, options, output);  // it would have had no results
  const std::string text = traceText(
      *chosen, design, eventsOf(inputs.model, *design.graph, inputs.plan, inputs.machine, *step));
  if (options.output.empty()) {
    output.results(text);
  } else if (std::string why; !writeFile(options.output, text, why)) {
    Diagnostic d{Code::E0901, {}, {}, {}, {}, {}, false};
    d.message = fmt::format("cannot write `{}`: {}", options.output, why);
    return refuse(d, options, output);
  }
  return conclude(files, options, output);
}

}  // namespace sysdl
