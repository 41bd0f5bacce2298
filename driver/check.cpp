// `sysdlc check`: is it well formed, do the dimensions agree, do the rules on inputs hold?
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explore/exploration.h"
#include "driver/tests.h"

namespace sysdl {

void checkAll(Session& session) {
  check::Checker& checker = *session.checker;
  auto modules = session.ownModules(*session.opened().back());
  const check::Schema* schema = checker.preludeSchema("design");
  for (check::Module* module : modules) {
    for (auto [name, design] : checker.recordsOf(*module, schema))
      session.checkDesign(name, design);
    checkTests(session, *module);
    checkExplorations(session, *module);
  }
  // What placements say wrong is found by lowering, which would only repeat other faults.
  if (session.diagnostics.hasErrors()) return;
  for (check::Module* module : modules) {
    for (auto [name, design] : checker.recordsOf(*module, schema))
      session.lowerDesign(name, design);
  }
}

Exit runCheck(const Options& options, Output& output) {
  std::vector<OpenedFile> files;
  for (const std::string& path : options.paths) {
    files.push_back(openFile(path));
    if (files.back().module) checkAll(*files.back().session);
  }
  if (options.format == Format::Json) {
    JsonWriter json;
    json.beginObject();
    writeEnvelope(json, "check", options.paths);
    output.results(finishEnvelope(json, files, options));
  }
  return conclude(files, options, output);
}

}  // namespace sysdl
