// The outcome of tests as JUnit XML, for continuous integration.
#pragma once

#include <string>
#include <vector>

#include "driver/tests.h"

namespace sysdl {

/// The tests of one file.
struct TestFile {
  std::string path;
  std::vector<TestOutcome> tests;
};

/// One `testsuite` a file, one `testcase` a test, each expectation in its output or its failure.
std::string junitText(const std::vector<TestFile>& files);

}  // namespace sysdl
