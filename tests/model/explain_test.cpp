// Explanations: every result of a design has one, sums add up, and the knobs are those that were read.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "driver/explain/reason.h"
#include "driver/results.h"
#include "ir/formula/formula.h"

using namespace sysdl;

namespace {

struct Explained {
  Explained() {
    check::Module* module = session.open(SYSDL_SOURCE_DIR "/examples/gpt3_175b.sysdl");
    REQUIRE(module);
    auto designs = session.designs(*module);
    REQUIRE(designs.size() == 1);
    record = designs[0].second;
    design = &session.evaluateDesign(designs[0].first, record);
    REQUIRE(design->results);
  }
  Session session;
  check::Record* record = nullptr;
  EvaluatedDesign* design = nullptr;
};

void paths(const std::vector<ResultNode>& nodes, const std::string& above,
           std::vector<std::string>& all) {
  for (const ResultNode& node : nodes) {
    std::string path = above.empty() ? node.name : above + "." + node.name;
    if (node.fields.empty())
      all.push_back(path);
    else
      paths(node.fields, path, all);
  }
}

double sumOf(const Reason& reason) {
  double sum = 0;
  for (const Reason& part : reason.parts) sum += part.number;
  return sum;
}

}  // namespace

TEST_CASE("every result of a design is explained", "[model]") {
  Explained e;
  std::vector<std::string> all;
  paths(resultsOf(*e.session.checker, e.record), "", all);
  REQUIRE(all.size() > 30);
  for (const std::string& path : all) {
    INFO(path);
    Reason reason = Reasoner(e.session, e.record, e.design, 4).field(path);
    CHECK(reason.name == path);
    CHECK_FALSE(reason.value.empty());
    auto number = numberAt(*e.session.checker, e.record, path);
    if (number) CHECK(reason.number == *number);
  }
  CHECK_FALSE(e.session.diagnostics.hasErrors());
}

TEST_CASE("the parts of a step and of memory add up, down to the kernels", "[model]") {
  Explained e;
  Reasoner reasoner(e.session, e.record, e.design, 4);
  Reason step = reasoner.field("step_time");
  CHECK(sumOf(step) == Approx(step.number).epsilon(1e-9));
  CHECK(step.number == e.design->results->time.step);
  for (const Reason& part : step.parts) {
    bool sum = part.name != "time.bubble";  // what it waits for is no sum
    INFO(part.name);
    if (sum) CHECK(sumOf(part) == Approx(part.number).epsilon(1e-6));
  }
  Reason memory = reasoner.field("memory.peak");
  CHECK(sumOf(memory) == Approx(memory.number).epsilon(1e-9));
}

TEST_CASE("a kernel's formula has the sizes of the kernel", "[model]") {
  // w_up of GPT-3 on tp 8: 2,048 tokens times 12,288 by 4 x 12,288 / 8 columns.
  Explained e;
  Reasoner reasoner(e.session, e.record, e.design, 3);
  Reason kernel = reasoner.node("layer.w_up forward");
  auto work = std::find_if(kernel.parts.begin(), kernel.parts.end(),
                           [](const Reason& r) { return r.name == "work"; });
  REQUIRE(work != kernel.parts.end());
  CHECK(work->number == 2.0 * 2048 * 12288 * (4.0 * 12288 / 8));
  CHECK(work->filled == "2 FLOP * 1 * 2048 * 6144 * 12288");
  for (const std::string& name : reasoner.nodes()) {
    INFO(name);
    CHECK(Reasoner(e.session, e.record, e.design, 1).node(name).name == name);
  }
}

TEST_CASE("the knobs of a result are those that were read", "[model]") {
  Explained e;
  auto knobsOf = [&](const std::string& path) {
    Reasoner reasoner(e.session, e.record, e.design, 3);
    reasoner.field(path);
    std::string names;
    for (const Knob& knob : reasoner.knobs()) names += knob.name + " ";
    return names;
  };
  auto has = [](const std::string& all, const char* name) {
    return all.find(name) != std::string::npos;
  };
  std::string step = knobsOf("step_time"), cost = knobsOf("cost.per_hour");
  CHECK(has(step, "a100_gemm.sustained "));
  CHECK(has(step, "a100_node.efficiency "));
  CHECK_FALSE(has(step, "h100"));       // another chip's
  CHECK_FALSE(has(step, "attention"));  // its attention is not fused
  CHECK_FALSE(has(step, "cost."));
  CHECK(has(cost, "cost.average_load "));
  CHECK_FALSE(has(cost, "a100_gemm"));  // an hour costs the same however fast the chip is
  CHECK(has(knobsOf("cost.per_million_tokens"), "a100_gemm.sustained "));
}

TEST_CASE("a run that reads a curve outside its range says so", "[model]") {
  Formulas formulas;
  FormulaId x = formulas.input(Number::Real, false, {});
  FormulaId y = formulas.curve(Curve{{1, 2}, {10, 20}}, {}, x);
  Program program = formulas.compile(std::span(&x, 1), std::span(&y, 1));
  Scratch scratch;
  for (auto [input, outside] :
       {std::pair(1.5, false), std::pair(2.5, true), std::pair(1.0, false), std::pair(0.5, true)}) {
    Word in = wordOf(input), out;
    CHECK_FALSE(run(program, std::span(&in, 1), std::span(&out, 1), scratch));
    CHECK(scratch.extrapolated == outside);
  }
}
