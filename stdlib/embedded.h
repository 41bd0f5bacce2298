// The standard library's files as they were when the program was built. Read-only data of the program, so a pointer into
// it stays valid; nothing is read or copied at start.
#pragma once

#include <cstddef>
#include <span>

namespace sysdl::stdlib {

/// Of what the library says; an answer is stamped with it.
inline constexpr const char* kVersion = "2026.1";

struct EmbeddedFile {
  const char* path;  // below stdlib/, for instance "chips/nvidia.sysdl"
  const char* data;  // data[size] is 0
  std::size_t size;
  const char* tree;  // its syntax tree, as frontend/syntax/pack.h writes it
  std::size_t treeSize;
};

// Sorted by path, as bytes.
std::span<const EmbeddedFile> files();

}  // namespace sysdl::stdlib
