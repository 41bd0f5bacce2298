// Source positions: files, lines and columns behind a 32-bit offset.
#include "ir/support/source_map.h"

#include <algorithm>

namespace sysdl {

Loc SourceMap::add(std::string displayPath, std::string text) {
  auto file = std::make_unique<File>();
  file->path = std::move(displayPath);
  file->text = std::move(text);
  file->start = next_;
  file->lines.push_back(0);
  for (size_t i = 0; i < file->text.size(); ++i) {
    if (file->text[i] == '\n') file->lines.push_back(static_cast<uint32_t>(i + 1));
  }
  // One offset more than the text, so that the end of the file has a location of its own.
  next_ += static_cast<uint32_t>(file->text.size()) + 1;
  files_.push_back(std::move(file));
  return Loc{files_.back()->start};
}

const SourceMap::File* SourceMap::find(Loc loc) const {
  if (!loc.valid() || loc.offset >= next_) return nullptr;
  auto after =
      std::upper_bound(files_.begin(), files_.end(), loc.offset,
                       [](uint32_t offset, const auto& file) { return offset < file->start; });
  return after == files_.begin() ? nullptr : std::prev(after)->get();
}

LineColumn SourceMap::resolve(Loc loc) const {
  const File* file = find(loc);
  if (!file) return {};
  uint32_t offset = loc.offset - file->start;
  auto after = std::upper_bound(file->lines.begin(), file->lines.end(), offset);
  auto line = static_cast<uint32_t>(after - file->lines.begin());
  return {file->path, line, offset - *std::prev(after) + 1};
}

std::string_view SourceMap::lineText(Loc loc) const {
  const File* file = find(loc);
  if (!file) return {};
  uint32_t line = resolve(loc).line;
  size_t begin = file->lines[line - 1];
  size_t end = line < file->lines.size() ? file->lines[line] - 1 : file->text.size();
  if (end > begin && file->text[end - 1] == '\r') --end;
  return std::string_view(file->text).substr(begin, end - begin);
}

std::string_view SourceMap::text(Span span) const {
  const File* file = find(span.begin);
  if (!file || span.end < span.begin) return {};
  return std::string_view(file->text)
      .substr(span.begin.offset - file->start, span.end.offset - span.begin.offset);
}

std::string_view SourceMap::fileText(Loc loc) const {
  const File* file = find(loc);
  return file ? std::string_view(file->text) : std::string_view();
}

size_t SourceMap::fileIndex(Loc loc) const {
  const File* file = find(loc);
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].get() == file) return i;
  }
  return files_.size();
}

}  // namespace sysdl
