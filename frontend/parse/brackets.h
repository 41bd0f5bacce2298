// Brackets: finds the partner of each before parsing, so that one missing `}` is one error.
#pragma once

#include "frontend/parse/session.h"

namespace sysdl::parsing {

/// Reports unclosed brackets (E0111), stray closers (E0110) and brackets nested too deeply (E0120),
/// and repairs the tokens: afterwards every bracket has its partner, and a stray closer is
/// `Wrong` and marked as inserted. False where nesting is too deep to go on.
bool balanceBrackets(Session& session, Tokens& tokens);

/// The index of the closer of the opener at `open`; tokens.size() where there is none.
size_t partnerOf(const Tokens& tokens, size_t open);

/// Whether a line that starts at `at` can only be a statement or field: `path =`, `name:`,
/// `word name`, `word "text"`.
bool looksLikeStatement(const Session& session, const Tokens& tokens, size_t at);

}  // namespace sysdl::parsing
