// Syntax trees as bytes: the standard library is parsed when the program is built, not when it runs.
//
// The form is this build's own (node layout, byte order); it is made and read by the same build.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/syntax/tree.h"

namespace sysdl::syntax {

/// `start` is the location of the file's first byte, from which positions are kept.
std::string pack(const Tree& tree, const NameTable& names, Loc start);

/// The tree again, its names interned in `names`, its positions counted from `start`. Empty where the
/// bytes are not a packed tree of this build.
std::optional<Tree> unpack(std::string_view bytes, NameTable& names, Loc start);

}  // namespace sysdl::syntax
