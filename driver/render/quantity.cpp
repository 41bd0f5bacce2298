// Numbers for people.
#include "driver/render/quantity.h"

#include <cmath>

#include "fmt/format.h"

namespace sysdl {
namespace {

/// `digits` significant digits, never an exponent for what a person reads at a glance.
std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  double magnitude = std::floor(std::log10(std::abs(value)));
  if (magnitude < -6 || magnitude > 14) return fmt::format("{:.{}g}", value, digits);
  int decimals = std::max(0, digits - 1 - static_cast<int>(magnitude));
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string withPrefix(double value, std::string_view unit, int digits) {
  static constexpr std::pair<double, const char*> kPrefixes[] = {
      {1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},
      {1e3, "k"},  {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"},
  };
  bool isTime = unit == "s";
  for (const auto& [scale, prefix] : kPrefixes) {
    if (isTime && scale > 1) continue;
    if (std::abs(value) >= scale * 0.99995) {
      bool whole = isTime && value >= 1000;
      std::string number = whole ? grouped(value) : significant(value / scale, digits);
      bool bare = scale == 1 && unit.empty();
      return fmt::format("{}{}{}{}", number, bare ? "" : " ", prefix, unit);
    }
  }
  return fmt::format("{}{}{}", significant(value, digits), unit.empty() ? "" : " ", unit);
}

std::string grouped(double value, int digits) {
  bool whole = value == std::floor(value);
  if (!(std::abs(value) < 1e15) || (!whole && std::abs(value) < 999.5)) {
    return significant(value, digits);
  }
  std::string text = fmt::format("{:.0f}", value);
  for (size_t at = text.size(); at > 3 + size_t{value < 0};) text.insert(at -= 3, ",");
  return text;
}

std::string dollars(double value) {
  if (std::abs(value) >= 999.5) return "$" + grouped(value);
  if (std::abs(value) >= 0.995) return fmt::format("${:.2f}", value);
  return "$" + significant(value, 3);
}

std::string duration(double seconds) {
  if (seconds >= 2 * 86400.0) return grouped(seconds / 86400, 3) + " days";
  if (seconds >= 2 * 3600.0) return grouped(seconds / 3600, 3) + " hours";
  if (seconds >= 120) return grouped(seconds / 60, 3) + " min";
  return withPrefix(seconds, "s", 3);
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

}  // namespace sysdl
