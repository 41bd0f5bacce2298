// The canonical form of a file, for `sysdlc fmt`: one layout, no options.
#pragma once

#include <string>

#include "frontend/syntax/tree.h"

namespace sysdl::syntax {

/// The text of a file in its canonical form. `tree` is the whole file, parsed without errors. Tokens
/// and comments are those of the text, in the same order; only blanks, newlines, `;` and trailing
/// commas change, so the tree stays the same. What is formatted already does not change.
std::string format(const Tree& tree, const SourceMap& sources, const NameTable& names);

}  // namespace sysdl::syntax
