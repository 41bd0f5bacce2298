// What a kernel costs, as members of a JSON object and as one line of text.
#include "driver/kernel_cost.h"

#include "driver/render/quantity.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// What comes next after what binds: the longest other of engine and levels.
std::string_view nextOf(const KernelResult& kernel, const NameTable& names) {
  std::string_view next;
  double longest = 0;
  for (const LevelResult& use : kernel.levels) {
    std::string_view level = names.text(use.level);
    if (level == kernel.bound || use.time <= longest) continue;
    longest = use.time;
    next = level;
  }
  const bool engine = kernel.bound == kernel.engine;
  return !engine && kernel.computeTime > longest ? std::string_view(kernel.engine) : next;
}

}  // namespace

double intensityOf(const KernelResult& kernel) {
  return kernel.traffic > 0 ? kernel.work / kernel.traffic : 0;
}

void writeCost(JsonWriter& json, const KernelResult& kernel, const NameTable& names) {
  json.member("flops", kernel.work);
  json.key("bytes");
  json.beginObject();
  for (const LevelResult& use : kernel.levels) json.member(names.text(use.level), use.bytes);
  json.endObject();
  json.member("intensity", intensityOf(kernel));
  json.member("time", kernel.time);
  json.key("times");
  json.beginObject();
  if (!kernel.engine.empty()) json.member(kernel.engine, kernel.computeTime);
  for (const LevelResult& use : kernel.levels) json.member(names.text(use.level), use.time);
  json.endObject();
  json.member("bound", kernel.bound);
  json.member("margin", kernel.margin);
  json.member("extrapolated", kernel.extrapolated);
}

std::string boundText(const KernelResult& kernel, const NameTable& names) {
  if (kernel.margin == 0) return kernel.bound;
  if (kernel.bound == "launch") {
    return fmt::format("launch, {} x the roofline", grouped(kernel.margin, 2));
  }
  return fmt::format("{}, {} x {}", kernel.bound, grouped(kernel.margin, 2), nextOf(kernel, names));
}

std::string costText(const KernelResult& kernel, const NameTable& names) {
  std::string text = withPrefix(kernel.work, "FLOP");
  for (const LevelResult& use : kernel.levels) {
    text += fmt::format(", {} {}", names.text(use.level), withPrefix(use.bytes, "B"));
  }
  text += fmt::format(", {} FLOP/B: {}, {}", grouped(intensityOf(kernel), 3),
                      withPrefix(kernel.time, "s"), boundText(kernel, names));
  if (kernel.extrapolated) text += ", extrapolated";
  return text;
}

}  // namespace sysdl
