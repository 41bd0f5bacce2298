// The pages of docs/diagnostics/, embedded in the program: what a code means, why the language refuses
// it, a wrong and a right example.
#pragma once

#include <string>
#include <string_view>

#include "ir/support/diagnostic.h"

namespace sysdl {

/// The page of a code, in Markdown without its heading; empty where there is none.
std::string_view explainPage(Code code);

/// A page for a terminal: blocks are indented below "Wrong:", "says:" and "Right:".
std::string renderPage(std::string_view markdown);

}  // namespace sysdl
