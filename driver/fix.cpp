// Applying fixes: all that do not overlap at once, then the files are checked anew in memory.
#include "driver/fix.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "driver/render/excerpt.h"
#include "driver/render/plain.h"
#include "driver/warnings.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

// Each round fixes what the last one uncovered, as what stands behind a missing edition.
constexpr int kRounds = 20;

struct Edit {
  uint32_t begin = 0, end = 0;  // bytes of the file
  AppliedFix fix;
};

using Rejected = std::set<std::tuple<std::string, Code, std::string, std::string>>;
using EditsByFile = std::map<std::string, std::vector<Edit>>;

auto keyOf(const AppliedFix& fix) { return std::tuple(fix.path, fix.code, fix.before, fix.after); }

/// The edits of one diagnostic, where all can be made.
std::vector<Edit> editsOf(const Diagnostic& d, Session& session) {
  std::vector<Edit> edits;
  for (const Fix& fix : d.fix) {
    Place at = placeOf(fix.span.begin, session.sources);
    if (!isFileOfUser(at.path)) return {};
    // The first byte of a file's text lies at its start in the space of all offsets.
    std::string_view text = session.sources.fileText(fix.span.begin);
    std::string_view covered = session.sources.text(fix.span);
    auto length = fix.span.end.offset - fix.span.begin.offset;
    const char* line = session.sources.lineText(fix.span.begin).data();
    auto begin = static_cast<uint32_t>(line - text.data()) +
                 session.sources.resolve(fix.span.begin).column - 1;
    Edit edit{begin, begin + length, {at.path, at.line, at.column, d.code, "", fix.text}};
    edit.fix.before = std::string(covered);
    edits.push_back(std::move(edit));
  }
  return edits;
}

bool overlaps(const Edit& a, const Edit& b) {
  return a.begin < b.end ? b.begin < a.end
                         : a.begin == b.begin || (a.begin < a.end && b.end > a.begin);
}

/// What can be changed at once.
EditsByFile collect(std::vector<OpenedFile>& files, const WarningPolicy& policy,
                    const Rejected& rejected) {
  EditsByFile byFile;
  for (OpenedFile& file : files) {
    for (const Diagnostic& d : settled(*file.session, policy)) {
      if (severityOf(d) != Severity::Error) continue;
      std::vector<Edit> edits = editsOf(d, *file.session);
      bool free = std::ranges::all_of(edits, [&](const Edit& edit) {
        return !rejected.contains(keyOf(edit.fix)) &&
               std::ranges::none_of(byFile[edit.fix.path],
                                    [&](const Edit& other) { return overlaps(edit, other); });
      });
      if (!free) continue;
      for (Edit& edit : edits) byFile[edit.fix.path].push_back(std::move(edit));
    }
  }
  std::erase_if(byFile, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [path, edits] : byFile) std::ranges::sort(edits, {}, &Edit::begin);
  return byFile;
}

/// Applies edits in order; they then say where the new text lies.
std::string edited(std::string_view text, std::vector<Edit>& edits) {
  std::string result;
  uint32_t done = 0;
  for (Edit& edit : edits) {
    result += text.substr(done, edit.begin - done);
    done = edit.end;
    edit.begin = static_cast<uint32_t>(result.size());
    result += edit.fix.after;
    edit.end = static_cast<uint32_t>(result.size());
  }
  return result + std::string(text.substr(done));
}

/// Edits whose new text is itself wrong.
Rejected wrongEdits(const std::vector<OpenedFile>& files, const EditsByFile& byFile) {
  Rejected wrong;
  for (const OpenedFile& file : files) {
    const SourceMap& sources = file.session->sources;
    for (const Diagnostic& d : file.session->diagnostics.sorted(sources)) {
      if (severityOf(d.code) != Severity::Error || d.labels.empty()) continue;
      Span span = d.labels.front().span;
      auto edits = byFile.find(std::string(sources.resolve(span.begin).path));
      if (edits == byFile.end()) continue;
      const char* text = sources.fileText(span.begin).data();
      auto begin = static_cast<uint32_t>(sources.lineText(span.begin).data() - text) +
                   sources.resolve(span.begin).column - 1;
      uint32_t end = begin + (span.end.offset - span.begin.offset);
      for (const Edit& edit : edits->second) {
        bool within = begin >= edit.begin && end <= edit.end && begin < edit.end;
        if (within) wrong.insert(keyOf(edit.fix));
      }
    }
  }
  return wrong;
}

/// The texts of the files as they are checked.
std::string textOf(const std::vector<OpenedFile>& files, const std::string& path) {
  for (const OpenedFile& file : files) {
    if (!file.module) continue;
    for (check::Module* module : file.session->ownModules(*file.module)) {
      if (module->path == path) return std::string(file.session->sources.fileText(module->start));
    }
  }
  return {};
}

}  // namespace

Fixing fixFiles(const CheckFiles& check, const WarningPolicy& policy) {
  Fixing result;
  result.files = check(result.texts);
  Rejected rejected;
  for (int round = 0; round < kRounds; ++round) {
    EditsByFile byFile = collect(result.files, policy, rejected);
    if (byFile.empty()) break;
    auto texts = result.texts;
    for (auto& [path, edits] : byFile) texts[path] = edited(textOf(result.files, path), edits);
    std::vector<OpenedFile> files = check(texts);
    Rejected wrong = wrongEdits(files, byFile);
    if (!wrong.empty()) {
      rejected.merge(wrong);
      continue;  // the same round without them
    }
    result.texts = std::move(texts);
    result.files = std::move(files);
    for (auto& [path, edits] : byFile) {
      for (Edit& edit : edits) result.applied.push_back(std::move(edit.fix));
    }
  }
  return result;
}

namespace {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// A line of both texts (' '), or of one of them.
struct DiffLine {
  char sign;
  std::string_view text;
};

/// The shortest script of edits by the longest common subsequence; of texts that are too long for
/// that, everything out and in.
std::vector<DiffLine> scriptOf(std::vector<std::string_view> a, std::vector<std::string_view> b) {
  constexpr size_t kMost = size_t{4} << 20;
  std::vector<DiffLine> script;
  size_t rows = a.size() + 1, columns = b.size() + 1;
  std::vector<uint32_t> common(rows * columns <= kMost ? rows * columns : 0);
  for (size_t i = rows - 1; !common.empty() && i-- > 0;) {
    for (size_t j = columns - 1; j-- > 0;) {
      common[i * columns + j] =
          a[i] == b[j] ? common[(i + 1) * columns + j + 1] + 1
                       : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
    }
  }
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j] && !common.empty()) {
      script.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() ||
               (i < a.size() &&
                (common.empty() || common[(i + 1) * columns + j] >= common[i * columns + j + 1]))) {
      script.push_back({'-', a[i++]});
    } else {
      script.push_back({'+', b[j++]});
    }
  }
  return script;
}

}  // namespace

std::string unifiedDiff(const std::string& path, std::string_view before, std::string_view after) {
  constexpr size_t kContext = 3;
  std::vector<DiffLine> script = scriptOf(linesOf(before), linesOf(after));
  std::string text = fmt::format("--- {0}\n+++ {0}\n", path);
  size_t oldLine = 1, newLine = 1;
  auto near = [&](size_t at) {  // to a line that differs
    size_t last = std::min(script.size(), at + kContext + 1);
    for (size_t i = at - std::min(at, kContext); i < last; ++i) {
      if (script[i].sign != ' ') return true;
    }
    return false;
  };
  for (size_t i = 0; i < script.size();) {
    std::string hunk;
    size_t removed = 0, added = 0;
    for (; i < script.size() && near(i); ++i) {
      removed += script[i].sign != '+' ? 1 : 0;
      added += script[i].sign != '-' ? 1 : 0;
      hunk += script[i].sign;
      hunk += script[i].text;
      if (!script[i].text.ends_with('\n')) hunk += "\n\\ No newline at end of file\n";
    }
    if (!hunk.empty()) {
      text += fmt::format("@@ -{},{} +{},{} @@\n", oldLine, removed, newLine, added) + hunk;
      oldLine += removed;
      newLine += added;
      continue;
    }
    ++i;
    ++oldLine;
    ++newLine;
  }
  return text;
}

}  // namespace sysdl
