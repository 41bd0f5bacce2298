// Calibrations of texts, for tests.
#pragma once

#include <catch2/catch.hpp>

#include <optional>
#include <string>

#include "driver/calibrate/calibrate.h"
#include "fmt/format.h"

namespace sysdl::test {

/// A calibration of measurements given as text.
class CalibrateText {
public:
  CalibrateText(const std::string& text, const Options& options) {
    bool products = options.kind == "gemm";
    Diagnostic fault{Code::E0904, {}, {}, {}, {}, {}, false};
    auto what = calibrate::findNamed(session, {}, products ? "chip" : "network",
                                     products ? options.chip : options.network, "--chip", fault);
    REQUIRE(what);
    result = calibrate::calibrate(session, options, *what, session.sources.add("log.txt", text));
  }

  /// "3 `m` is `x`, and must be …": lines with messages, in order.
  std::string faults() {
    std::string text;
    for (const Diagnostic& d : session.diagnostics.sorted(session.sources)) {
      REQUIRE(d.code == Code::E0906);
      text += fmt::format("{} {}\n", session.sources.resolve(d.labels.front().span.begin).line,
                          d.message);
    }
    return text;
  }
  double constant(size_t group, std::string_view name) {
    INFO(faults());
    REQUIRE(result);
    const auto& fitted = result->groups.at(group);
    for (size_t i = 0; i < fitted.model.constants.size(); ++i) {
      if (fitted.model.constants[i].name == name) return fitted.fit.constants[i].value;
    }
    FAIL("there is no such constant");
    return 0;
  }
  const calibrate::Fit& fit(size_t group = 0) {
    INFO(faults());
    REQUIRE(result);
    return result->groups.at(group).fit;
  }

  Session session;
  std::optional<calibrate::Calibration> result;
};

inline Options productOptions(const std::string& chip = "H100_SXM_80GB") {
  Options options;
  options.kind = "gemm";
  options.chip = chip;
  options.measurements = "log.txt";
  return options;
}

inline Options collectiveOptions(const std::string& network = "DGX_A100") {
  Options options;
  options.kind = "collectives";
  options.network = network;
  options.measurements = "log.txt";
  return options;
}

/// What is wrong with a file, checked: empty where nothing is.
inline std::string checked(const std::string& text) {
  Session session;
  session.openText("fit.sysdl", text);
  std::string faults;
  for (const Diagnostic& d : session.diagnostics.sorted(session.sources))
    faults += fmt::format("{} {}\n", nameOf(d.code), d.message);
  return faults;
}

}  // namespace sysdl::test
