// Is it text? What is checked of a file's bytes before any of them is read as a token.
#pragma once

#include "frontend/parse/session.h"

namespace sysdl::parsing {

/// Reports a file that is too large, holds a NUL byte or is not UTF-8; false where it must not be
/// read on. `begin` is set past a byte order mark.
bool checkBytes(Session& session, uint32_t& begin);

}  // namespace sysdl::parsing
