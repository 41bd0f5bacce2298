// The error buffer of one parse.
#include "frontend/parse/session.h"

#include <algorithm>

#include "fmt/format.h"

namespace sysdl::parsing {

Diagnostic& Session::error(Code code, Span at, std::string message, std::string label) {
  Diagnostic& made = errors_.emplace_back();
  made.code = code;
  made.message = std::move(message);
  made.label(at, std::move(label));
  return made;
}

void Session::deliver(Diagnostics& diagnostics) {
  // Stages find faults one after another, each in source order; the reader wants one order.
  std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.labels.front().span.begin < b.labels.front().span.begin;
  });
  size_t shown = 0;
  for (Diagnostic& error : errors_) {
    Span at = error.labels.front().span;
    if (shown == limits.maxErrors) {
      diagnostics.report(Code::E0120, at,
                         fmt::format("too many errors: only the first {} are shown", shown),
                         "more from here on");
      break;
    }
    Diagnostic& made = diagnostics.report(error.code, at, {});
    made = std::move(error);
    ++shown;
  }
  errors_.clear();
}

}  // namespace sysdl::parsing
