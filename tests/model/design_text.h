// Designs given as text, checked and evaluated as a user's file would be.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "driver/session.h"
#include "fmt/format.h"

namespace sysdl::test {

/// A file of designs. What is wrong with it fails the test that asks for a design.
class DesignText {
public:
  explicit DesignText(const std::string& text, const std::string& path = "design.sysdl") {
    module_ = session_.checker->loadText(path, text);
    if (module_) session_.checker->checkModule(*module_);
  }

  /// The design of that name, evaluated.
  const EvaluatedDesign& operator[](const std::string& name) {
    const EvaluatedDesign& design = find(name, &Session::evaluateDesign);
    REQUIRE(design.results);
    return design;
  }
  /// The design of that name, lowered only: it may be too large for its machine.
  const EvaluatedDesign& lowered(const std::string& name) {
    const EvaluatedDesign& design = find(name, &Session::lowerDesign);
    REQUIRE(design.graph);
    return design;
  }
  const StepResults& results(const std::string& name) { return *(*this)[name].results; }

  /// A field of an evaluated design, in SI base units.
  double field(const std::string& design, std::string_view field) {
    check::Record* record = (*this)[design].record;
    auto value = session_.checker->real(session_.checker->get(record, field), record->span);
    REQUIRE(value);
    return *value;
  }
  /// The same as a user reads it: "13.75 s".
  std::string shown(const std::string& design, std::string_view field) {
    return session_.checker->text(session_.checker->get((*this)[design].record, field));
  }

  std::vector<std::string> designs() {
    std::vector<std::string> names;
    if (!module_) return names;
    for (const auto& [name, record] : session_.designs(*module_)) {
      names.emplace_back(session_.names.text(name));
    }
    return names;
  }

  /// What a design that must not be lowered is refused with.
  std::string refusal(const std::string& name) {
    for (const auto& [label, record] : session_.designs(*module_)) {
      if (session_.names.text(label) == name) session_.lowerDesign(label, record);
    }
    return faults();
  }

  /// Errors, a line each: "E0516 axis `vocab` …".
  std::string faults() {
    std::string text;
    for (const Diagnostic& d : session_.diagnostics.sorted(session_.sources)) {
      text += fmt::format("{} {}\n", nameOf(d.code), d.message);
    }
    return text;
  }

  const NameTable& names() const { return session_.names; }
  check::Checker& checker() { return *session_.checker; }

private:
  template <class Step>
  const EvaluatedDesign& find(const std::string& name, Step step) {
    REQUIRE(module_);
    check::Record* record = nullptr;
    for (const auto& [label, found] : session_.designs(*module_)) {
      if (session_.names.text(label) == name) record = found;
    }
    INFO(faults());
    REQUIRE(record);
    const EvaluatedDesign& design = (session_.*step)(session_.names.intern(name), record);
    INFO(faults());
    REQUIRE_FALSE(session_.diagnostics.hasErrors());
    return design;
  }

  Session session_;
  check::Module* module_ = nullptr;
};

/// A GPT on A100 as a design `d`, in the language.
struct GptText {
  int64_t layers = 8, hidden = 1024, heads = 16, vocabulary = 51'200, sequence = 2048;
  int64_t batch = 8, microbatch = 1;
  int64_t tp = 1, pp = 1, dp = 1, chunks = 1;
  bool sp = false;
  int zero = 0;
  std::string recompute = "none";
  std::string more;  // lines of the design

  std::string text() const {
    return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.gpt
import std.networks.dgx

design d {{
  model = gpt.gpt {{
    layers = {}
    hidden = {}
    heads = {}
    vocabulary = {}
    sequence = {}
  }}
  chip = nvidia.A100_SXM_80GB
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{
    batch = {}
    microbatch = {}
    precision = mixed(fp16)
  }}
  plan {{
    tp = {}
    pp = {}
    sp = {}
    zero = {}
    recompute = {}
    schedule = {}
  }}
  {}
}}
)",
                       layers, hidden, heads, vocabulary, sequence, tp * pp * dp, batch, microbatch,
                       tp, pp, sp, zero, recompute,
                       chunks > 1 ? fmt::format("interleaved(chunks = {})", chunks)
                                  : "one_forward_one_backward",
                       more);
  }
};

}  // namespace sysdl::test
