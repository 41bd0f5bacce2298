// Any bytes as a file, a member and an expression: no crash, no hang, every error located, every node inside
// its parent.
#include <cstdlib>
#include <string>

#include "tests/unit/parse_support.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sysdl::test;
  for (As what : {As::File, As::Member, As::Expression}) {
    Parsed parsed(std::string(reinterpret_cast<const char*>(data), size), what);
    if (!parsed.spansAreNested()) std::abort();
    for (const sysdl::Diagnostic& error : parsed.diagnostics.sorted(parsed.sources)) {
      bool internal = error.message.find("internal fault") != std::string::npos;
      if (internal || error.labels.empty()) std::abort();
    }
    for (const sysdl::syntax::Node& node : parsed.tree.nodes) {
      // A Bad node without an error would be passed over in silence.
      bool silent = node.kind == sysdl::syntax::Kind::Bad && !parsed.diagnostics.hasErrors();
      if (silent) std::abort();
    }
  }
  return 0;
}
