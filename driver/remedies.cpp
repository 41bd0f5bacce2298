// Which single change would make a design fit in memory: each that the library lists is tried.
#include "driver/remedies.h"

#include "driver/render/quantity.h"
#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Record;
using check::Value;

namespace {

/// Bytes that the design needs with a change, where it then fits.
std::optional<double> peakWith(Session& session, Record* changed) {
  EvaluatedDesign& design = session.evaluateDesign(changed->label, changed);
  if (!design.results) return std::nullopt;
  auto fits = numberAt(*session.checker, changed, "fits");
  if (!fits || *fits == 0) return std::nullopt;
  return design.results->memory.peak;
}

}  // namespace

std::string remediesOf(Session& session, Record* design) {
  check::Checker& checker = *session.checker;
  Value listed = session.evaluateText("<remedies>", "memory_remedies", design);
  if (listed.kind != check::ValueKind::Record) return {};
  Value tries = checker.get(listed.record, "tries");
  if (tries.kind != check::ValueKind::List) return {};
  std::string fitting;
  for (const Value& item : tries.list->items) {
    std::string change = checker.text(item);
    std::string path = change.substr(0, change.find(' '));
    size_t said = session.diagnostics.size();
    Record* changed = checker.amendText(design, "<try>", change);
    bool applies = changed != design && session.diagnostics.size() == said;
    auto peak = applies ? peakWith(session, changed) : std::nullopt;
    if (peak) {
      fitting += fmt::format("{}`{} = {}` ({})", fitting.empty() ? "" : ", or ", path,
                             checker.text(valueAt(checker, changed, path)), withPrefix(*peak, "B"));
    }
    if (changed != design) session.forget(changed);
    session.diagnostics.takeFrom(said);
  }
  return fitting.empty() ? "none of recompute, ZeRO, smaller micro-batches or one more split of "
                           "tensors, stages or sequences is enough by itself"
                         : "it would fit with " + fitting;
}

}  // namespace sysdl
