// Grammar-made text through check, evaluation, tests and the formatter.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/text_maker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = sysdl::test::makeText({data, size});
  std::string wrong = sysdl::test::examine(text);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n%s\n", wrong.c_str(), text.c_str());
  std::abort();
}
