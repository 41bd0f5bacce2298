// What identifies the inputs of an answer: a hash of what the files say, not of how they spell it.
#pragma once

#include <string>
#include <vector>

#include "driver/opened.h"

namespace sysdl {

/// Forty hexadecimal digits over the files, all that they import, and the `-D` changes. Comments,
/// layout, the order of lines and declarations, and the spelling of a quantity's unit do not matter.
/// The standard library is not part of it: its version stands beside the hash.
std::string inputHash(const std::vector<OpenedFile>& files,
                      const std::vector<std::string>& changes);

}  // namespace sysdl
