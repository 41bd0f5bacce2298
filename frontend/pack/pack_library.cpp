// A program of the build: parses the files of the standard library and writes their trees as bytes.
//
// pack_library FOLDER FILE OUTPUT [FILE OUTPUT]...: files are named below FOLDER. Faults are printed
// and end the build.
#include <cstdio>
#include <string>

#include "fmt/format.h"
#include "frontend/parse/parse.h"
#include "frontend/syntax/pack.h"
#include "llvm/Support/MemoryBuffer.h"

namespace {

bool packFile(const std::string& folder, const std::string& name, const char* output) {
  auto file = llvm::MemoryBuffer::getFile(folder + "/" + name);
  if (!file) {
    fmt::print(stderr, "{}: {}\n", name, file.getError().message());
    return false;
  }
  sysdl::SourceMap sources;
  sysdl::NameTable names;
  sysdl::Diagnostics diagnostics;
  sysdl::Loc start = sources.add(name, (*file)->getBuffer().str());
  sysdl::syntax::Tree tree = sysdl::parse(start, sources, names, diagnostics);
  for (const sysdl::Diagnostic& d : diagnostics.sorted(sources)) {
    auto at = d.labels.empty() ? sysdl::LineColumn{} : sources.resolve(d.labels[0].span.begin);
    fmt::print(stderr, "stdlib/{}:{}:{}: {}\n", name, at.line, at.column, d.message);
  }
  if (diagnostics.hasErrors()) return false;
  std::string bytes = sysdl::syntax::pack(tree, names, start);
  std::FILE* out = std::fopen(output, "wb");
  if (!out) return false;
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  return std::fclose(out) == 0 && ok;
}

}  // namespace

int main(int argc, char** argv) {
  bool ok = true;
  for (int i = 2; i + 1 < argc; i += 2) ok &= packFile(argv[1], argv[i], argv[i + 1]);
  return ok ? 0 : 1;
}
