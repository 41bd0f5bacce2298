// `sysdlc check`: is it well formed, do the dimensions agree, do the rules on inputs hold?
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/explore/exploration.h"
#include "driver/tests.h"

namespace sysdl {

void checkAll(Session& session) {
  check::Checker& checker = *session.checker;
  std::vector<check::PendingRule> waiting;  // for results: rules that `eval` judges
  for (check::Module* module : session.ownModules(*session.opened().back())) {
    for (auto [name, design] : checker.recordsOf(*module, checker.preludeSchema("design"))) {
      checker.walk(design, waiting);
    }
    checkTests(session, *module);
    checkExplorations(session, *module);
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
