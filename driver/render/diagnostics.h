// The diagnostics of a run, for people (text), for scripts (JSON), and for tools (GitHub, SARIF).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/json.h"
#include "driver/options.h"
#include "driver/render/style.h"
#include "ir/support/diagnostic.h"

namespace sysdl {

/// Renders diagnostics as they are added; nothing added is referred to afterwards.
class Report {
public:
  /// Shows at most `maxErrors` errors as text (0: all), and counts the others.
  Report(Format format, Style style, size_t maxErrors)
      : format_(format), style_(style), maxErrors_(maxErrors) {}

  /// Adds one, unless it was added before.
  void add(const Diagnostic& diagnostic, const SourceMap& sources);
  /// Adds one that has no place in a file.
  void add(const Diagnostic& diagnostic) { add(diagnostic, SourceMap()); }

  size_t errors() const { return errors_; }
  /// Every diagnostic, as text or as annotations.
  const std::string& texts() const { return text_; }
  /// A line that counts them; empty where there are none.
  std::string summary() const;
  /// The array `diagnostics`.
  void write(JsonWriter& json) const;
  /// The log of SARIF; `ran` as there.
  std::string sarif(bool ran) const;

private:
  Format format_;
  Style style_;
  size_t maxErrors_;
  size_t errors_ = 0, warnings_ = 0;
  std::string text_;
  std::vector<std::string> json_, sarif_;
  std::set<Code> codes_;
  std::set<std::string> seen_;
};

}  // namespace sysdl
