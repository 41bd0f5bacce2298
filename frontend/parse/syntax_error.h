// What is known at a syntax error, and the message made of it: found, expected, and what was likely
// meant.
#pragma once

#include <bitset>

#include "frontend/parse/layout.h"

namespace sysdl::parsing {

struct SyntaxError {
  const Tokens& tokens;  // of the item
  size_t at;             // the token that does not fit
  size_t statement;      // the first token of the statement or declaration around it
  Form form;             // what the tokens are
  std::bitset<128> expected;
  std::string_view rule;  // the innermost rule of SysdlParser.g4

  void expect(Tok type) { expected.set(static_cast<size_t>(type)); }
  bool expects(Tok type) const { return expected[static_cast<size_t>(type)]; }
  Tok typeAt(size_t index) const { return index < tokens.size() ? tokens[index].type : Tok::None; }
  Tok found() const { return typeAt(at); }
  Tok before(size_t distance = 1) const {
    return at >= distance ? tokens[at - distance].type : Tok::None;
  }
  /// Whether the token that does not fit is the first of its statement.
  bool atStart() const { return at == statement; }
  /// Whether the statement is a declaration outside of all bodies.
  bool outside() const { return form == Form::File && statement == 0; }
  bool expectsExpression() const {
    return expects(Tok::Number) && expects(Tok::String) && expects(Tok::LParen);
  }
  bool expectsOperator() const { return expects(Tok::Plus) && expects(Tok::And); }
};

/// Reports the error in plain words.
void report(Session& session, const SyntaxError& error);

/// Adds help, and a fix where it is sure, if the likely intention is known.
void addHint(const Session& session, const SyntaxError& error, Diagnostic& diagnostic);

}  // namespace sysdl::parsing
