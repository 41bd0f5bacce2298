// The `sysdlc` command.
#include "driver/session.h"
#include "fmt/format.h"
int main(int argc, char** argv) {
  sysdl::Session s;
  auto* m = s.open(argc > 1 ? argv[1] : "x");
  if (m) for (auto [name, record] : s.designs(*m, "")) {
    auto& d = s.evaluateDesign(name, record);
    if (d.results) fmt::print("{} {} peak {} params {}\n", s.names.text(name), d.results->time.step, d.results->memory.peak, d.results->parameters);
  }
  for (auto& d : s.diagnostics.sorted(s.sources)) {
    auto at = d.labels.empty() ? sysdl::LineColumn{} : s.sources.resolve(d.labels[0].span.begin);
    fmt::print("{}: {} {}:{}:{}\n", sysdl::nameOf(d.code), d.message, at.path, at.line, at.column);
  }
}
