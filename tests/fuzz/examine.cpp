// What must hold of any file at all.
#include <cmath>

#include "driver/commands.h"
#include "driver/session.h"
#include "driver/tests.h"
#include "fmt/format.h"
#include "frontend/parse/parse.h"
#include "frontend/syntax/format.h"
#include "tests/fuzz/text_maker.h"

namespace sysdl::test {
namespace {

std::string wrongResult(const StepResults& r) {
  const std::pair<const char*, double> numbers[] = {
      {"step time", r.time.step},
      {"forward", r.time.forward},
      {"backward", r.time.backward},
      {"recompute", r.time.recompute},
      {"bubble", r.time.bubble},
      {"optimizer", r.time.optimizer},
      {"peak memory", r.memory.peak},
      {"weights", r.memory.weights},
      {"activations", r.memory.activations},
      {"FLOPs", r.modelFlops},
      {"traffic", r.hbmBytes},
      {"wire", r.wireBytes},
  };
  for (auto [what, number] : numbers) {
    if (!std::isfinite(number) || number < 0) return fmt::format("{} is {}", what, number);
  }
  return {};
}

std::string wrongDiagnostics(const Session& session) {
  for (const Diagnostic& d : session.diagnostics.sorted(session.sources)) {
    if (d.labels.empty()) return fmt::format("{} has no place: {}", nameOf(d.code), d.message);
    for (const std::string& text : {d.message, d.help}) {
      if (text.find("report it") != std::string::npos) return "a fault of ours: " + d.message;
    }
  }
  return {};
}

/// The formatter on a file without syntax errors: stable, and its text parses.
std::string wrongFormat(const std::string& text) {
  std::string last = text, first;
  for (int round = 0; round < 2; ++round) {
    SourceMap sources;
    NameTable names;
    Diagnostics diagnostics;
    syntax::Tree tree = parse(sources.add("fuzz.sysdl", last), sources, names, diagnostics);
    if (diagnostics.hasErrors()) return round ? "the formatted text does not parse" : "";
    last = syntax::format(tree, sources, names);
    if (round == 0) first = last;
  }
  return first == last ? "" : "formatting twice changes the text";
}

}  // namespace

std::string examine(const std::string& text) {
  if (std::string wrong = wrongFormat(text); !wrong.empty()) return wrong;
  Session session;
  check::Module* module = session.openText("fuzz.sysdl", text);
  checkAll(session);
  if (std::string wrong = wrongDiagnostics(session); !wrong.empty()) return wrong;
  if (session.diagnostics.hasErrors()) return {};
  for (auto [name, record] : session.designs(*module)) {
    size_t errors = session.diagnostics.errorCount();
    EvaluatedDesign& design = session.evaluateDesign(name, record);
    bool silent = !design.results && session.diagnostics.errorCount() == errors;
    if (silent) return "a design has neither results nor errors";
    if (!design.results) continue;
    if (std::string wrong = wrongResult(*design.results); !wrong.empty()) return wrong;
  }
  runTests(session, *module);
  return wrongDiagnostics(session);
}

}  // namespace sysdl::test
