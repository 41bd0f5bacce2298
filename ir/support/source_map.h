// Source positions: a 32-bit location in one global offset space over all loaded files.
//
// Every file added gets a disjoint range of offsets, so a location costs four bytes and its file is
// found by binary search. Offset 0 is "nowhere". Lines and columns count from 1; columns count bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sysdl {

struct Loc {
  uint32_t offset = 0;
  bool valid() const { return offset != 0; }
  friend auto operator<=>(Loc, Loc) = default;
};

/// Half-open range [begin, end) of source text, within one file.
struct Span {
  Loc begin;
  Loc end;
  bool valid() const { return begin.valid(); }
  friend bool operator==(Span, Span) = default;
};

struct LineColumn {
  std::string_view path;
  uint32_t line = 0;
  uint32_t column = 0;
};

class SourceMap {
public:
  /// Adds a file and returns the location of its first byte. `displayPath` is what messages show.
  Loc add(std::string displayPath, std::string text);

  /// Path, line and column of a location; an empty path for an invalid one.
  LineColumn resolve(Loc loc) const;
  /// The whole text of the line that holds `loc`, without its newline.
  std::string_view lineText(Loc loc) const;
  /// The text a span covers; empty where the span is invalid.
  std::string_view text(Span span) const;
  /// The text of the file that holds `loc`.
  std::string_view fileText(Loc loc) const;
  /// The position of a file in the order of loading; files sort by path in reports, not by this.
  size_t fileIndex(Loc loc) const;
  size_t fileCount() const { return files_.size(); }

private:
  struct File {
    std::string path;
    std::string text;
    uint32_t start = 0;
    std::vector<uint32_t> lines;  // offset of each line's first byte, from the file's start
  };
  const File* find(Loc loc) const;

  std::vector<std::unique_ptr<File>> files_;
  uint32_t next_ = 1;
};

}  // namespace sysdl
