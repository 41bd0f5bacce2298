// An evaluated design as a short text that fits a review comment.
#pragma once

#include <string>

#include "driver/opened.h"

namespace sysdl {

/// About fifteen lines: what it is, how fast, where the time goes, what fills memory, what it costs,
/// what binds. All numbers are fields of the design.
std::string designText(const ChosenDesign& chosen, const EvaluatedDesign& design);

}  // namespace sysdl
