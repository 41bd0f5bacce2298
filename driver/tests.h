// The `test` blocks of a file: what they expect, and whether it is so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/session.h"

namespace sysdl {

/// One `expect` of a test, judged.
struct Expectation {
  std::string text;       // what is predicted, as written: "baseline.step_time"
  std::string predicted;  // for people; empty where it has no value
  std::string expected;   // "13.75 s", "<= 8 %"
  std::string tolerance;  // "5%", as written; empty without `within`
  std::string error;      // "+2.1 %"; empty where it makes no sense
  std::optional<double> predictedNumber, expectedNumber;  // in SI base units
  bool holds = false;
};

struct TestOutcome {
  std::string title;
  std::string source;  // what the test says its numbers come from
  uint32_t line = 0;
  std::vector<Expectation> expectations;
  bool passed = false;
};

/// Runs the tests of a module in the order of the text. Expectations that fail are reported as E0801,
/// a test without one as E0802.
std::vector<TestOutcome> runTests(Session& session, check::Module& module);

/// Names, dimensions and types of the tests of a module, without evaluating a design.
void checkTests(Session& session, check::Module& module);

}  // namespace sysdl
