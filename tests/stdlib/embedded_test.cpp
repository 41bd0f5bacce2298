// The embedded standard library is what lies in stdlib/, sorted, each file followed by a zero.
#include "stdlib/embedded.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

TEST_CASE("embedded files are sorted and end with a zero") {
  const auto files = sysdl::stdlib::files();
  CHECK(std::is_sorted(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::string_view(a.path) < std::string_view(b.path);
  }));
  for (const auto& file : files) CHECK(file.data[file.size] == 0);
}

TEST_CASE("embedded files are those on disk") {
  const fs::path root = fs::path(SYSDL_SOURCE_DIR) / "stdlib";
  std::vector<std::string> onDisk;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".sysdl") {
      onDisk.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::sort(onDisk.begin(), onDisk.end());

  std::vector<std::string> embedded;
  for (const auto& file : sysdl::stdlib::files()) {
    embedded.emplace_back(file.path);
    std::ifstream in(root / file.path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK((std::string_view(file.data, file.size) == text));
  }
  CHECK(embedded == onDisk);
}
