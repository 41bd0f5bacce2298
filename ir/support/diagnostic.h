// Diagnostics: errors and warnings as values, buffered and sorted, rendered later in any format.
//
// A pass reports; it never prints and never throws. Errors about a value that is already known to be
// wrong are not reported again (no cascades): that is the reporter's duty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/source_map.h"

namespace sysdl {

enum class Code : uint16_t {
#define DIAGNOSTIC(code, severity, text) code,
#include "ir/support/diagnostics.def"
#undef DIAGNOSTIC
};

enum class Severity : uint8_t { Error, Warning };

Severity severityOf(Code code);
/// "E0402"
std::string_view nameOf(Code code);
/// The catalogue's one line.
std::string_view summaryOf(Code code);
/// The code of a name such as "E0510"; empty where there is none.
std::optional<Code> codeOf(std::string_view name);
/// Every code, in the order of the catalogue.
const std::vector<Code>& allCodes();

/// An underlined piece of source. The first label of a diagnostic is the primary one.
struct Label {
  Span span;
  std::string text;
};

/// A change that a machine can make: `text` replaces the span.
struct Fix {
  Span span;
  std::string text;
};

/// What a misspelt word may mean. `sure` where no other candidate is as near and most letters agree: then
/// the word can be replaced without asking.
struct Suggestion {
  std::string word;  // empty: nothing is near
  bool sure = false;
};

struct Diagnostic {
  Code code;
  std::string message;
  std::vector<Label> labels;
  std::vector<std::string> notes;  // "= note" lines, in order
  std::string help;                // "= help" line: what to write instead
  std::vector<Fix> fix;            // together, they make it right; empty where nobody can know how
  bool denied = false;             // a warning that counts as an error

  Diagnostic& label(Span span, std::string text) {
    labels.push_back({span, std::move(text)});
    return *this;
  }
  Diagnostic& note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  Diagnostic& helpText(std::string text) {
    help = std::move(text);
    return *this;
  }
  /// "did you mean …?", with a fix where that is sure. `span` is the misspelt word.
  Diagnostic& suggest(const Suggestion& meant, Span span);
  Diagnostic& replace(Span span, std::string text) {
    fix.push_back({span, std::move(text)});
    return *this;
  }
};

/// The catalogue's, or Error for a warning that is denied.
Severity severityOf(const Diagnostic& diagnostic);

class Diagnostics {
public:
  /// Adds a diagnostic whose primary label is `span`. The reference is good until the next report.
  Diagnostic& report(Code code, Span span, std::string message, std::string labelText = {});

  bool hasErrors() const { return errors_ > 0; }
  size_t errorCount() const { return errors_; }
  bool empty() const { return list_.empty(); }

  /// How many there are, for `takeFrom`.
  size_t size() const { return list_.size(); }
  /// Removes and returns those reported since there were `size` of them.
  std::vector<Diagnostic> takeFrom(size_t size);

  /// All of them, in source order (files by path), each text at each place once.
  std::vector<Diagnostic> sorted(const SourceMap& sources) const;

private:
  std::vector<Diagnostic> list_;
  size_t errors_ = 0;
};

/// The nearest of `candidates` to a misspelt word.
Suggestion suggestion(std::string_view word, const std::vector<std::string_view>& candidates);
/// The nearest of `candidates` to a misspelt word, or empty where none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace sysdl
