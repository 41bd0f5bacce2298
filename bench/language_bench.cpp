// What the language itself costs: reading and checking text of a given size, chains of amends, many
// instances and many children.
#include <benchmark/benchmark.h>

#include "driver/session.h"
#include "fmt/format.h"

namespace {

using namespace sysdl;

constexpr const char* kDisk = "sysdl 2026\n\nschema disk {\n  a: Int = 1\n  b: Int = a + 1\n"
                              "  c: Real = b / 2\n}\n\n";

/// Schemas, instances, units, rules and texts: about `bytes` of them.
std::string mixed(int64_t bytes) {
  std::string text = kDisk;
  for (int i = 0; static_cast<int64_t>(text.size()) < bytes; ++i) {
    text += fmt::format(R"(/// Link number {0}.
schema link{0} {{
  size: Data = {1} GB
  rate: Bandwidth in 1 MB/s.. = 3.5 GB/s
  derived time: Time = size / rate + 3 us * {0}
  require size >= 1 GB
    else "too small: {{size}}"
}}

link{0} l{0} = link{0} {{
  size = {2} GiB
  rate = {3} Gbit/s
}}

)",
                        i, i + 1, i + 2, i % 40 + 1);
  }
  return text;
}

void check(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    Session session;
    check::Module* module = session.checker->loadText("big.sysdl", text);
    session.checker->checkModule(*module);
    if (session.diagnostics.hasErrors()) state.SkipWithError("the text has errors");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void checkText(benchmark::State& state) { check(state, mixed(state.range(0))); }
BENCHMARK(checkText)
    ->Name("parse and check (bytes)")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000'000)
    ->Arg(5'000'000);

void amendChain(benchmark::State& state) {
  std::string text = std::string(kDisk) + "disk d0 = disk {}\n";
  for (int64_t i = 1; i < state.range(0); ++i)
    text += fmt::format("disk d{} = d{} {{ a = {} }}\n", i, i - 1, i);
  check(state, text);
}
BENCHMARK(amendChain)
    ->Name("a chain of amends")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000)
    ->Arg(10'000);

void instances(benchmark::State& state) {
  std::string text = kDisk;
  for (int64_t i = 0; i < state.range(0); ++i)
    text += fmt::format("disk d{} = disk {{ a = {} }}\n", i, i);
  check(state, text);
}
BENCHMARK(instances)
    ->Name("instances of a schema")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000)
    ->Arg(10'000);

void children(benchmark::State& state) {
  std::string text = std::string(kDisk) + "schema box {\n  children disk: disk\n  total: Real = "
                                          "sum([d.c for d in disk])\n}\n\nbox B {\n";
  for (int64_t i = 0; i < state.range(0); ++i)
    text += fmt::format("  disk d{} {{ a = {} }}\n", i, i);
  check(state, text + "}\n");
}
BENCHMARK(children)
    ->Name("children of a record")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000)
    ->Arg(10'000);

/// What every command pays for the standard library where nothing of it is imported.
void prelude(benchmark::State& state) { check(state, "sysdl 2026\n"); }
BENCHMARK(prelude)->Name("an empty file, the prelude known")->Unit(benchmark::kMillisecond);

void wholeLibrary(benchmark::State& state) {
  for (auto _ : state) {
    Session session;
    session.checker->checkLibrary();
    if (session.diagnostics.hasErrors()) state.SkipWithError("the library has errors");
  }
}
BENCHMARK(wholeLibrary)
    ->Name("all of the standard library, checked")
    ->Unit(benchmark::kMillisecond);

}  // namespace
