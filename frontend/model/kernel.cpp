// Kernels of the library as formulas.
#include "frontend/model/kernel.h"

namespace sysdl {

using namespace check;

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
  cost.memoryTime = output("memory_time");
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
