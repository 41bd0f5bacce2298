// Diagnostics: the catalogue as tables, the buffer, and did-you-mean.
#include "ir/support/diagnostic.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "llvm/ADT/StringRef.h"

namespace sysdl {
namespace {

struct Entry {
  std::string_view name;
  Severity severity;
  std::string_view summary;
};

constexpr Entry kCatalogue[] = {
#define DIAGNOSTIC(code, severity, text) {#code, Severity::severity, text},
#include "ir/support/diagnostics.def"
#undef DIAGNOSTIC
};

const Entry& entry(Code code) { return kCatalogue[static_cast<size_t>(code)]; }

}  // namespace

Severity severityOf(Code code) { return entry(code).severity; }
Severity severityOf(const Diagnostic& d) { return d.denied ? Severity::Error : severityOf(d.code); }
std::string_view nameOf(Code code) { return entry(code).name; }
std::string_view summaryOf(Code code) { return entry(code).summary; }

const std::vector<Code>& allCodes() {
  static const std::vector<Code> codes{
#define DIAGNOSTIC(code, severity, text) Code::code,
#include "ir/support/diagnostics.def"
#undef DIAGNOSTIC
  };
  return codes;
}

std::optional<Code> codeOf(std::string_view name) {
  for (size_t i = 0; i < std::size(kCatalogue); ++i) {
    if (kCatalogue[i].name == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

Diagnostic& Diagnostics::report(Code code, Span span, std::string message, std::string labelText) {
  list_.push_back(Diagnostic{code, std::move(message), {}, {}, {}, {}, false});
  if (span.valid()) list_.back().label(span, std::move(labelText));
  if (severityOf(code) == Severity::Error) ++errors_;
  return list_.back();
}

std::vector<Diagnostic> Diagnostics::takeFrom(size_t size) {
  auto first = list_.begin() + static_cast<std::ptrdiff_t>(size);
  std::vector<Diagnostic> taken(std::make_move_iterator(first),
                                std::make_move_iterator(list_.end()));
  list_.erase(first, list_.end());
  for (const Diagnostic& d : taken) {
    if (severityOf(d.code) == Severity::Error) --errors_;
  }
  return taken;
}

std::vector<Diagnostic> Diagnostics::sorted(const SourceMap& sources) const {
  std::vector<Diagnostic> result = list_;
  auto key = [&](const Diagnostic& d) {
    LineColumn at = d.labels.empty() ? LineColumn{} : sources.resolve(d.labels.front().span.begin);
    return std::tuple(at.path, at.line, at.column, nameOf(d.code), std::string_view(d.message));
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  auto same = [&](const auto& a, const auto& b) { return key(a) == key(b); };
  result.erase(std::unique(result.begin(), result.end(), same), result.end());
  return result;
}

Diagnostic& Diagnostic::suggest(const Suggestion& meant, Span span) {
  if (meant.word.empty()) return *this;
  helpText("did you mean `" + meant.word + "`?");
  return meant.sure ? replace(span, meant.word) : *this;
}

namespace {

/// Two letters beside each other have changed places: one slip of the fingers.
bool isSwapped(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] &&
         a.substr(i + 2) == b.substr(i + 2);
}

}  // namespace

Suggestion suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  auto lower = [](std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  // A third of the word may be wrong, and a difference of case alone counts least.
  std::string wanted = lower(word);
  unsigned best = static_cast<unsigned>(std::max<size_t>(1, (word.size() + 2) / 3)) * 2 + 1;
  std::string_view found;
  bool alone = false;
  for (std::string_view candidate : candidates) {
    std::string other = lower(candidate);
    unsigned distance =
        isSwapped(wanted, other) ? 2 : llvm::StringRef(wanted).edit_distance(other) * 2;
    if (distance == 0 && candidate != word) distance = 1;
    if (distance == best && candidate != found) alone = false;
    if (distance < best) alone = true;
    if (distance < best || (distance == best && !found.empty() && candidate < found)) {
      best = distance;
      found = candidate;
    }
  }
  return {std::string(found),
          alone && !found.empty() && (best <= 1 || size_t{best} * 3 <= 2 * word.size())};
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  return suggestion(word, candidates).word;
}

}  // namespace sysdl
