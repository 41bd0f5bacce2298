// A text dump of a syntax tree, for `--emit ast` and for tests.
#pragma once

#include <string>

#include "frontend/syntax/tree.h"

namespace sysdl::syntax {

std::string_view nameOf(Kind kind);
/// The operator's sign, as in the language: "+", "mod"; empty for `None`.
std::string_view signOf(Op op);

/// One node a line, children two columns further in; an absent child is the line `-`. With
/// `places`, each line ends in the node's first and last line and column.
std::string dump(const Tree& tree, const SourceMap& sources, const NameTable& names,
                 bool places = true);

}  // namespace sysdl::syntax
