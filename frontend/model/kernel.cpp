// Kernels of the library as formulas.
#include "frontend/model/kernel.h"

namespace sysdl {

using namespace check;

namespace {

/// The memory levels that a kernel uses, each with what it moves and the time of that.
bool readLevels(Checker& c, Record* kernel, std::vector<FormulaId>& outputs, KernelCost& cost) {
  Value levels = c.get(kernel, "levels");
  if (levels.kind != ValueKind::List) return false;
  for (const Value& use : levels.list->items) {
    if (use.kind != ValueKind::Record) return false;
    Value level = c.get(use.record, "level");
    Value moved = c.get(use.record, "moved");
    Value time = c.get(use.record, "time");
    if (level.kind != ValueKind::Record || !moved.scalar() || !time.scalar()) return false;
    const auto first = static_cast<uint32_t>(outputs.size());
    outputs.push_back(c.toReal(moved, kernel->span).formula);
    outputs.push_back(c.toReal(time, kernel->span).formula);
    cost.levels.push_back({level.record->label, first, first + 1});
  }
  return true;
}

}  // namespace

std::optional<KernelCost> readKernel(Checker& c, Record* record, Record* chip,
                                     std::vector<FormulaId>& outputs, FormulaSources& sources) {
  Value on;
  on.kind = ValueKind::Record;
  on.record = chip;
  Record* kernel = c.amendFixed(record, {{c.name("on"), on}});
  Span span = record->span;
  bool ok = true;
  auto output = [&](std::string_view field) {
    Value result = c.get(kernel, field);
    if (!result.scalar()) {
      ok = false;
      return 0u;
    }
    outputs.push_back(c.toReal(result, span).formula);
    return static_cast<uint32_t>(outputs.size() - 1);
  };
  KernelCost cost;
  cost.work = output("work");
  cost.matrixWork = output("matrix_work");
  cost.traffic = output("traffic");
  cost.time = output("time");
  cost.computeTime = output("compute_time");
  if (!readLevels(c, kernel, outputs, cost)) ok = false;
  Value deferrable = c.get(kernel, "deferrable");
  if (deferrable.scalar()) cost.deferrable = c.integer(deferrable, span).value_or(0) != 0;
  Value engine = c.get(kernel, "engine");
  if (engine.kind == ValueKind::Word) cost.engine = engine.words->words[engine.word];
  Value label = c.get(kernel, "label");
  if (label.kind == ValueKind::Text && !c.text(label).empty()) cost.name = c.name(c.text(label));
  if (!ok) return std::nullopt;
  cost.source = static_cast<uint32_t>(sources.kernels.size());
  sources.kernels.push_back({kernel, {}});
  return cost;
}

}  // namespace sysdl
