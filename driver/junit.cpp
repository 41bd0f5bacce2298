// JUnit XML.
#include "driver/junit.h"

#include <algorithm>

#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\n': out += "&#10;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string lineOf(const Expectation& e) {
  std::string line = fmt::format("{}: predicted {}, expected {}", e.text,
                                 e.predicted.empty() ? "nothing" : e.predicted, e.expected);
  if (!e.tolerance.empty()) line += fmt::format(" within {}", e.tolerance);
  if (!e.error.empty()) line += fmt::format(" ({})", e.error);
  return line;
}

std::string caseText(const TestFile& file, const TestOutcome& test) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">\n",
                  escaped(file.path), escaped(test.title), escaped(file.path), test.line);
  std::string held, failed;
  for (const Expectation& e : test.expectations) (e.holds ? held : failed) += lineOf(e) + "\n";
  if (!test.passed) {
    std::string first =
        failed.empty() ? "the test has errors" : failed.substr(0, failed.find('\n'));
    out += fmt::format("      <failure message=\"{}\">{}</failure>\n", escaped(first),
                       escaped(failed));
  }
  if (!held.empty()) out += fmt::format("      <system-out>{}</system-out>\n", escaped(held));
  return out + "    </testcase>\n";
}

size_t failuresOf(const TestFile& file) {
  return static_cast<size_t>(std::ranges::count(file.tests, false, &TestOutcome::passed));
}

}  // namespace

std::string junitText(const std::vector<TestFile>& files) {
  size_t tests = 0, failures = 0;
  std::string suites;
  for (const TestFile& file : files) {
    if (file.tests.empty()) continue;
    tests += file.tests.size();
    failures += failuresOf(file);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                          escaped(file.path), file.tests.size(), failuresOf(file));
    for (const TestOutcome& test : file.tests) suites += caseText(file, test);
    suites += "  </testsuite>\n";
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
                     tests, failures, suites);
}

}  // namespace sysdl
