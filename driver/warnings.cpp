// Allowed, denied and waived warnings.
#include "driver/warnings.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"

namespace sysdl {
namespace {

constexpr llvm::StringRef kAll = "warnings";

bool isWarning(llvm::StringRef word) {
  auto code = codeOf(std::string_view(word));
  return code && severityOf(*code) == Severity::Warning;
}

bool names(const std::vector<std::string>& words, Code code) {
  return std::ranges::any_of(
      words, [&](const auto& word) { return word == kAll || word == nameOf(code); });
}

/// The waivers of a file: which codes on which lines.
class Waivers {
public:
  explicit Waivers(Session& session) : session_(session) {
    for (check::Module* opened : session.opened()) {
      for (const check::Module* module : session.ownModules(*opened)) {
        for (const syntax::Comment& comment : module->tree.comments) read(comment);
      }
    }
  }

  bool waive(const Diagnostic& d) const {
    if (d.labels.empty()) return false;
    LineColumn at = session_.sources.resolve(d.labels.front().span.begin);
    return waived_.contains({std::string(at.path), at.line, d.code});
  }

private:
  void read(const syntax::Comment& comment) {
    llvm::StringRef text = session_.sources.text(comment.span);
    text = text.ltrim('/').trim();
    if (!text.consume_front("allow ")) return;
    auto [codes, reason] = text.split(':');
    llvm::SmallVector<llvm::StringRef, 2> words;
    codes.split(words, ',');
    // Other sentences may begin with this word.
    if (words.front().trim().size() != 5 || !isUpper(words.front().trim().front())) return;
    LineColumn at = session_.sources.resolve(comment.span.begin);
    for (llvm::StringRef word : words) {
      if (!isWarning(word.trim())) {
        complain(comment,
                 fmt::format("`{}` is not the code of a warning", std::string_view(word.trim())));
        continue;
      }
      if (reason.trim().empty()) {
        complain(comment, "a waiver gives its reason");
        continue;
      }
      uint32_t line = at.line + (standsAlone(comment) ? 1 : 0);
      waived_.insert({std::string(at.path), line, *codeOf(std::string_view(word.trim()))});
    }
  }

  static bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

  bool standsAlone(const syntax::Comment& comment) const {
    llvm::StringRef line = session_.sources.lineText(comment.span.begin);
    return line.take_front(session_.sources.resolve(comment.span.begin).column - 1).trim().empty();
  }

  void complain(const syntax::Comment& comment, std::string message) {
    session_.diagnostics.report(Code::W0206, comment.span, std::move(message))
        .helpText("write `// allow W0403: reason`");
  }

  Session& session_;
  std::set<std::tuple<std::string, uint32_t, Code>> waived_;
};

}  // namespace

std::string wrongWord(const WarningPolicy& policy) {
  for (const auto* words : {&policy.allow, &policy.deny}) {
    for (const std::string& word : *words) {
      if (word != kAll && !isWarning(word)) return word;
    }
  }
  return {};
}

std::vector<Diagnostic> settled(Session& session, const WarningPolicy& policy) {
  Waivers waivers(session);
  std::vector<Diagnostic> result;
  for (Diagnostic& d : session.diagnostics.sorted(session.sources)) {
    if (severityOf(d.code) == Severity::Warning) {
      if (waivers.waive(d)) continue;
      d.denied = names(policy.deny, d.code);
      if (!d.denied && names(policy.allow, d.code)) continue;
    }
    result.push_back(std::move(d));
  }
  return result;
}

}  // namespace sysdl
