// Which single change would make a design fit in memory.
#pragma once

#include <string>

#include "driver/session.h"

namespace sysdl {

/// "it would fit with `plan.recompute = full` (62.1 GB)", of the changes that the library lists; says so
/// where none of them is enough. Empty where the library lists none.
std::string remediesOf(Session& session, check::Record* design);

}  // namespace sysdl
