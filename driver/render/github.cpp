// Workflow commands: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
#include "driver/render/github.h"

#include "driver/render/excerpt.h"
#include "driver/render/plain.h"
#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// In a property, what ends it is escaped too.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (char c : text) {
    bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string githubAnnotation(const Diagnostic& d, const SourceMap& sources) {
  std::string place;
  if (!d.labels.empty()) {
    Span span = d.labels.front().span;
    Place begin = placeOf(span.begin, sources);
    Place end = placeOf(span.end.valid() ? span.end : span.begin, sources);
    if (isFileOfUser(begin.path)) {
      place = fmt::format("file={},line={},endLine={}", escaped(begin.path, true), begin.line,
                          end.line);
      // Columns say something on one line only.
      if (begin.line == end.line) {
        place += fmt::format(",col={},endColumn={}", begin.column, end.column);
      }
      place += ',';
    }
  }
  const char* command = severityOf(d) == Severity::Error ? "error" : "warning";
  std::string title = fmt::format("{}: {}", nameOf(d.code), summaryOf(d.code));
  return fmt::format("::{} {}title={}::{}\n", command, place, escaped(title, true),
                     escaped(printable(plainText(d)), false));
}

}  // namespace sysdl
