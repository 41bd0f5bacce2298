// The message of a syntax error, from the state of the tokens: what was found, what could stand
// there.
#include "frontend/parse/syntax_error.h"

#include "fmt/format.h"

namespace sysdl::parsing {

void report(Session& session, const SyntaxError& error) {
  session.error(Code::E0110, session.span(error.tokens[error.at]), "unexpected", "here");
}

}  // namespace sysdl::parsing
