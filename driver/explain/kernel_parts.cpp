// What is told of one kernel: what it moves at each memory level, and what of its time is roofline, quantization, fitted
// curve and overhead.
#include "driver/explain/reason.h"
#include "driver/render/quantity.h"
#include "fmt/format.h"

namespace sysdl {

Reason Reasoner::levels(const KernelResult& k) {
  Reason reason;
  reason.name = "levels";
  reason.number = k.traffic > 0 ? k.work / k.traffic : 0;
  reason.value = grouped(reason.number) + " FLOP/B";
  reason.note = "arithmetic intensity at the main memory";
  auto add = [&](std::string_view name, std::string what, double bytes, double time) {
    Reason part;
    part.name = name;
    part.number = bytes;
    part.value = std::move(what);
    part.note = fmt::format("{}, {} of the kernel", withPrefix(time, "s"),
                            percent(k.time > 0 ? time / k.time : 0));
    reason.parts.push_back(std::move(part));
  };
  add(k.engine, withPrefix(k.work, "FLOP"), k.work, k.computeTime);
  for (const LevelResult& use : k.levels) {
    add(session_.names.text(use.level), withPrefix(use.bytes, "B"), use.bytes, use.time);
  }
  return reason;
}

Reason Reasoner::efficiency(const KernelResult& k, check::Record* kernel) {
  auto field = [&](std::string_view name) {
    auto index = kernel->schema->index.find(c_.name(name).id);
    return index == kernel->schema->index.end()
               ? Reason{}
               : slot({kernel, index->second}, std::string(name), 1);
  };
  Reason ideal = field("ideal"), overhead = field("overhead");
  const double quantized = field("quantized").number;
  Reason reason;
  reason.name = "efficiency";
  if (ideal.name.empty() || overhead.name.empty() || k.time <= 0) return {};
  reason.number = ideal.number / k.time;
  reason.value = percent(reason.number);
  reason.note = "the roofline over the time; what the rest is:";
  auto add = [&](Reason part, double seconds, std::string_view what) {
    part.number = seconds;
    part.value = withPrefix(seconds, "s");
    part.note = fmt::format("{}{}{}", percent(seconds / k.time), what.empty() ? "" : ", ", what);
    part.parts.clear();
    reason.parts.push_back(std::move(part));
  };
  Reason lost, curve;
  lost.name = "quantization";
  curve.name = "curve";
  curve.extrapolated = k.extrapolated;
  add(ideal, ideal.number, "engine at its peak, levels at their bandwidth");
  add(lost, quantized - ideal.number, "last tiles and last wave");
  add(curve, k.time - overhead.number - quantized, "what the fitted constants below cost");
  add(overhead, overhead.number, "launch and ramp");
  return reason;
}

}  // namespace sysdl
