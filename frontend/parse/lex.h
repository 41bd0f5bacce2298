// Text to raw tokens, by the generated lexer.
#pragma once

#include "frontend/parse/session.h"

namespace sysdl::parsing {

/// The tokens of the text at [begin, end), newlines among them; comments go to the tree.
Tokens lex(Session& session, uint32_t begin, uint32_t end);

}  // namespace sysdl::parsing
