// The `test` blocks of a file: what they expect, and whether it is so.
#pragma once

#include <string>
#include <vector>

#include "driver/session.h"

namespace sysdl {

/// Names, dimensions and types of the tests of a module, without evaluating a design.
void checkTests(Session& session, check::Module& module);

}  // namespace sysdl
