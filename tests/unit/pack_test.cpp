// Packed syntax trees: what comes back is what went in, wherever the file then lies.
#include <catch2/catch.hpp>

#include "frontend/parse/parse.h"
#include "frontend/syntax/dump.h"
#include "frontend/syntax/pack.h"
#include "stdlib/embedded.h"

namespace sysdl {
namespace {

TEST_CASE("each file of the standard library is the same tree packed and parsed") {
  for (const stdlib::EmbeddedFile& file : stdlib::files()) {
    INFO(file.path);
    SourceMap sources;
    NameTable names;
    Diagnostics diagnostics;
    names.intern("so that ids differ from those of the build");
    sources.add("before", "some text ahead of it");
    Loc start = sources.add(file.path, std::string(file.data, file.size));
    syntax::Tree parsed = parse(start, sources, names, diagnostics);
    auto unpacked = syntax::unpack({file.tree, file.treeSize}, names, start);
    REQUIRE(unpacked);
    CHECK(!diagnostics.hasErrors());
    CHECK(syntax::dump(parsed, sources, names) == syntax::dump(*unpacked, sources, names));
    CHECK(parsed.comments.size() == unpacked->comments.size());
  }
}

TEST_CASE("bytes that are no packed tree are refused") {
  NameTable names;
  CHECK(!syntax::unpack("", names, Loc{1}));
  CHECK(!syntax::unpack("short", names, Loc{1}));
  const stdlib::EmbeddedFile& file = stdlib::files().front();
  std::string bytes(file.tree, file.treeSize);
  CHECK(!syntax::unpack(std::string_view(bytes).substr(0, bytes.size() - 1), names, Loc{1}));
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
  CHECK(!syntax::unpack(bytes, names, Loc{1}));
}

}  // namespace
}  // namespace sysdl
