// Hands out the table that the generated assembler file defines.
#include "stdlib/embedded.h"

extern "C" const sysdl::stdlib::EmbeddedFile sysdl_stdlib_files[];
extern "C" const std::size_t sysdl_stdlib_count;

namespace sysdl::stdlib {

std::span<const EmbeddedFile> files() { return {sysdl_stdlib_files, sysdl_stdlib_count}; }

}  // namespace sysdl::stdlib
