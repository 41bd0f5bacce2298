// Hands out the table that the generated assembler file defines.
#include "stdlib/embedded.h"

extern "C" const sysdl::stdlib::EmbeddedFile sysdlStdlibFiles[];
extern "C" const std::size_t sysdlStdlibCount;

namespace sysdl::stdlib {

std::span<const EmbeddedFile> files() { return {sysdlStdlibFiles, sysdlStdlibCount}; }

}  // namespace sysdl::stdlib
