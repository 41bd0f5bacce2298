// The part of `sysdlc explain` that is about the numbers of a file.
#pragma once

#include "driver/options.h"
#include "driver/output.h"

namespace sysdl {

/// Explains `options.result` of the file `options.code`.
Exit explainResult(const Options& options, Output& output);

}  // namespace sysdl
