// Diagnostics as a log of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/support/diagnostic.h"

namespace sysdl {

/// A `result` object: its rule, level, message, place, secondary labels as related locations, and the
/// fix where there is one. Columns count UTF-16 units.
std::string sarifResult(const Diagnostic& diagnostic, const SourceMap& sources);

/// The whole log: one run with its `rules` and `results`. `ran` is false where the command could not
/// do what it was asked for.
std::string sarifLog(const std::vector<std::string>& results, const std::set<Code>& rules,
                     bool ran);

}  // namespace sysdl
