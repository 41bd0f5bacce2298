// What is known at a syntax error, and the message made of it: found, expected, what was likely
// meant.
#pragma once

#include <bitset>

#include "frontend/parse/session.h"

namespace sysdl::parsing {

struct SyntaxError {
  const Tokens& tokens;  // of the item
  size_t at;             // the token that does not fit
  size_t statement;      // the first token of the statement or declaration around it
  std::bitset<128> expected;
  std::string_view rule;  // the innermost rule of SysdlParser.g4

  bool expects(Tok type) const { return expected[static_cast<size_t>(type)]; }
  Tok typeAt(size_t index) const { return index < tokens.size() ? tokens[index].type : Tok::None; }
  Tok found() const { return typeAt(at); }
  Tok before(size_t distance = 1) const {
    return at >= distance ? tokens[at - distance].type : Tok::None;
  }
  /// Whether the token that does not fit is the first of its statement.
  bool atStart() const { return at == statement; }
};

/// Reports the error in plain words.
void report(Session& session, const SyntaxError& error);

/// Adds help, and a fix where it is sure, if the likely intention is known (hints.cpp).
void addHint(const Session& session, const SyntaxError& error, Diagnostic& diagnostic);

}  // namespace sysdl::parsing
