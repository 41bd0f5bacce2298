// Text to syntax tree: the one door to the ANTLR parser, behind limits. Never throws.
#pragma once

#include "frontend/syntax/tree.h"
#include "ir/support/diagnostic.h"

namespace sysdl {

/// Bounds on what is accepted; beyond them E0120 is reported, with the limit's name and value.
struct ParseLimits {
  uint32_t maxBytes = 16u << 20;  // of one file
  uint32_t maxNesting = 256;      // brackets and `if`s inside one another
  uint32_t maxTokens = 500'000;   // of one top-level declaration: bounds memory
  uint32_t maxDepth = 2'000;      // of one expression's tree, as by a chain of operators
  uint32_t maxErrors = 20;        // reported, then one E0120 says that there are more
};

/// The edition that this tool knows: the year after `sysdl` on the first line.
inline constexpr uint32_t kEdition = 2026;

/// Parses the file that `sources` holds at `file`. Reports every fault found; what could be parsed
/// is in the tree (faulty declarations as `Bad` nodes). Errors: E0101, E0102, E0110, E0111, E0112,
/// E0120.
syntax::Tree parse(Loc file, const SourceMap& sources, NameTable& names, Diagnostics& diagnostics,
                   const ParseLimits& limits = {});

/// Parses one expression, as for `-D path=value`; `text` is a file of its own in `sources`.
syntax::Tree parseExpression(Loc file, const SourceMap& sources, NameTable& names,
                             Diagnostics& diagnostics, const ParseLimits& limits = {});

/// Parses one assignment (`path = value`) or path-with-body; the root is a Body with one member.
syntax::Tree parseMember(Loc file, const SourceMap& sources, NameTable& names,
                         Diagnostics& diagnostics, const ParseLimits& limits = {});

}  // namespace sysdl
