// Source lines with their labels underlined.
#include "driver/render/excerpt.h"

#include <algorithm>
#include <map>

#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

constexpr size_t kLineWidth = 110;  // columns of source shown of one line
constexpr size_t kLead = 24;        // bytes shown before the first label of a line that is cut
constexpr std::string_view kTab = "    ";
constexpr std::string_view kCut = "…";

/// A label on one line, in bytes of the line's text.
struct Mark {
  size_t begin = 0, end = 0;
  bool primary = false;
  std::string text;
};

struct Line {
  std::string_view text;
  std::vector<Mark> marks;
};

struct File {
  std::string_view path;
  Place place;                     // of its first label
  std::map<uint32_t, Line> lines;  // by number
};

std::vector<File> filesOf(const std::vector<Label>& labels, const SourceMap& sources) {
  std::vector<File> files;
  for (const Label& label : labels) {
    if (!label.span.valid()) continue;
    LineColumn at = sources.resolve(label.span.begin);
    auto file = std::ranges::find(files, at.path, &File::path);
    if (file == files.end()) {
      files.push_back({at.path, placeOf(label.span.begin, sources), {}});
      file = std::prev(files.end());
    }
    Line& line = file->lines[at.line];
    line.text = sources.lineText(label.span.begin);
    Mark mark;
    mark.primary = &label == labels.data();
    mark.text = printable(label.text);
    mark.begin = std::min<size_t>(at.column - 1, line.text.size());
    // A span over several lines is underlined to the end of its first.
    size_t length = label.span.end.offset - std::min(label.span.begin, label.span.end).offset;
    mark.end = std::min(mark.begin + length, std::max(mark.begin, line.text.size()));
    line.marks.push_back(std::move(mark));
  }
  return files;
}

/// Text with the column at which each of its bytes is shown.
struct Shown {
  std::string text;
  std::vector<size_t> columns;  // one more than bytes
};

Shown show(std::string_view line, size_t begin, size_t end) {
  Shown shown;
  size_t column = 0;
  if (begin > 0) {
    shown.text = kCut;
    column = 1;
  }
  shown.columns.assign(line.size() > end ? end + 1 : line.size() + 1, column);
  for (size_t i = begin; i < end;) {
    size_t length = characterLength(line, i);
    size_t bytes = std::max<size_t>(1, length);
    for (size_t b = i; b < i + bytes && b < shown.columns.size(); ++b) shown.columns[b] = column;
    if (line[i] == '\t') {
      shown.text += kTab;
      column += kTab.size();
    } else {
      shown.text += printable(line.substr(i, bytes));
      column += characterWidth(line, i, length);
    }
    i += bytes;
  }
  shown.columns.back() = column;
  if (end < line.size()) shown.text += kCut;
  return shown;
}

/// What is drawn under one line of source.
class Underline {
public:
  Underline(const std::vector<Mark>& marks, const Shown& shown, Role primary, const Style& style)
      : style_(style), primary_(primary) {
    for (const Mark& mark : marks) {
      size_t last = shown.columns.size() - 1;
      size_t begin = shown.columns[std::min(mark.begin, last)];
      size_t end = shown.columns[std::min(mark.end, last)];
      placed_.push_back({begin, std::max(end, begin + 1), mark.primary, mark.text});
    }
    std::ranges::stable_sort(placed_, {}, &Mark::begin);
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> result{signs()};
    std::vector<const Mark*> texts;
    for (const Mark& mark : placed_) {
      if (!mark.text.empty()) texts.push_back(&mark);
    }
    bool rightmost = texts.size() == 1 && std::ranges::all_of(placed_, [&](const Mark& mark) {
                       return mark.end <= texts[0]->end;
                     });
    if (rightmost) {
      result[0] += " " + style_.paint(roleOf(*texts[0]), texts[0]->text);
      return result;
    }
    while (!texts.empty()) {
      const Mark* mark = texts.back();
      texts.pop_back();
      result.push_back(hanging(*mark, texts));
    }
    return result;
  }

private:
  Role roleOf(const Mark& mark) const { return mark.primary ? primary_ : Role::Secondary; }

  /// The row of `^^^` and `---`; where they overlap, the shorter and then the primary one is seen.
  std::string signs() const {
    std::vector<const Mark*> order;
    order.reserve(placed_.size());
    for (const Mark& mark : placed_) order.push_back(&mark);
    std::ranges::stable_sort(order, [](const Mark* a, const Mark* b) {
      size_t lengthA = a->end - a->begin, lengthB = b->end - b->begin;
      return lengthA != lengthB ? lengthA > lengthB : a->primary < b->primary;
    });
    std::vector<const Mark*> cells;
    for (const Mark* mark : order) {
      if (cells.size() < mark->end) cells.resize(mark->end, nullptr);
      std::fill(cells.begin() + static_cast<std::ptrdiff_t>(mark->begin),
                cells.begin() + static_cast<std::ptrdiff_t>(mark->end), mark);
    }
    std::string row;
    for (size_t i = 0; i < cells.size();) {
      size_t end = i;
      while (end < cells.size() && cells[end] == cells[i]) ++end;
      if (!cells[i])
        row.append(end - i, ' ');
      else
        row += style_.paint(roleOf(*cells[i]), std::string(end - i, cells[i]->primary ? '^' : '-'));
      i = end;
    }
    return row;
  }

  /// A label's text under its first column, with a bar down to each that follows below.
  std::string hanging(const Mark& mark, const std::vector<const Mark*>& left) const {
    std::string row;
    size_t column = 0;
    for (const Mark* other : left) {
      if (other->begin < column || other->begin >= mark.begin) continue;
      row.append(other->begin - column, ' ');
      row += style_.paint(roleOf(*other), "|");
      column = other->begin + 1;
    }
    row.append(mark.begin - column, ' ');
    return row + style_.paint(roleOf(mark), mark.text);
  }

  const Style& style_;
  Role primary_;
  std::vector<Mark> placed_;  // in columns
};

/// The marks of a line in groups that are shown together, and the part of the line that each shows.
struct Window {
  size_t begin = 0, end = 0;
  std::vector<Mark> marks;
};

std::vector<Window> windowsOf(const Line& line) {
  bool isShort = line.text.size() <= kLineWidth ||
                 (line.text.size() <= 4 * kLineWidth && textWidth(line.text) <= kLineWidth);
  if (isShort) return {{0, line.text.size(), line.marks}};
  std::vector<Mark> marks = line.marks;
  std::ranges::stable_sort(marks, {}, &Mark::begin);
  auto isBoundary = [&](size_t at) {
    return at >= line.text.size() || (static_cast<unsigned char>(line.text[at]) & 0xc0) != 0x80;
  };
  std::vector<Window> windows;
  for (Mark& mark : marks) {
    if (windows.empty() || mark.begin + kLead > windows.back().end) {
      Window window;
      window.begin = mark.begin - std::min(mark.begin, kLead);
      // A continuation byte begins no character; more than three of them in a row are no text.
      for (int i = 0; i < 3 && window.begin > 0 && !isBoundary(window.begin); ++i) --window.begin;
      window.end = std::min(window.begin + kLineWidth, line.text.size());
      for (int i = 0; i < 3 && !isBoundary(window.end); ++i) --window.end;
      windows.push_back(std::move(window));
    }
    windows.back().marks.push_back(std::move(mark));
  }
  return windows;
}

}  // namespace

Place placeOf(Loc loc, const SourceMap& sources) {
  LineColumn at = sources.resolve(loc);
  if (at.line == 0) return {};
  std::string_view before = sources.lineText(loc).substr(0, at.column - 1);
  size_t beyond = at.column - 1 - before.size();  // at the newline, or past it
  return {std::string(at.path), at.line,
          static_cast<uint32_t>(characterCount(before) + beyond + 1)};
}

size_t gutterWidth(const std::vector<Label>& labels, const SourceMap& sources) {
  uint32_t last = 1;
  for (const Label& label : labels) last = std::max(last, sources.resolve(label.span.begin).line);
  return std::to_string(last).size();
}

std::string excerpt(const std::vector<Label>& labels, Role primary, const SourceMap& sources,
                    const Style& style, size_t gutter) {
  std::string out;
  std::string margin(gutter, ' ');
  std::string bar = style.paint(Role::Gutter, margin + " |");
  for (const File& file : filesOf(labels, sources)) {
    out += fmt::format("{}{} {}:{}:{}\n", margin, style.paint(Role::Gutter, "-->"),
                       printable(file.place.path), file.place.line, file.place.column);
    out += bar + "\n";
    uint32_t previous = 0;
    for (const auto& [number, line] : file.lines) {
      if (previous != 0 && number > previous + 1) out += style.paint(Role::Gutter, "...") + "\n";
      previous = number;
      for (const Window& window : windowsOf(line)) {
        Shown shown = show(line.text, window.begin, window.end);
        out += style.paint(Role::Gutter, fmt::format("{:>{}} |", number, gutter));
        out.append(shown.text.empty() ? "" : " ").append(shown.text).append("\n");
        for (const std::string& row : Underline(window.marks, shown, primary, style).rows()) {
          out.append(bar).append(" ").append(row).append("\n");
        }
      }
    }
  }
  return out;
}

}  // namespace sysdl
