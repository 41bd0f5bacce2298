// Values for people: quantities in a fitting unit, words, records by label.
#include <cmath>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

namespace {

/// At most four significant digits, without trailing zeros: "13.7", "0.0312", "1536".
std::string digits(double value) {
  double magnitude = std::abs(value);
  if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-4)) return fmt::format("{:.4g}", value);
  if (magnitude >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace

std::string quantityText(double value, const std::string& unit, double scale, bool prefixes) {
  double number = value / scale;
  if (!prefixes || number == 0) return digits(number) + " " + unit;
  static constexpr std::pair<double, const char*> kSteps[] = {
      {1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},   {1e3, "k"},
      {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"},
  };
  for (const auto& [step, prefix] : kSteps) {
    if (std::abs(number) >= step * 0.9995) return digits(number / step) + " " + prefix + unit;
  }
  return digits(number * 1e12) + " p" + unit;
}

std::string Checker::text(const Value& value) {
  switch (value.kind) {
  case ValueKind::Scalar: {
    auto word = formulas.resolve(value.formula);
    if (!word) return formulas[value.formula].faulty ? "(no value)" : "(not known yet)";
    if (value.number == Number::Bool) return word->integer ? "true" : "false";
    if (value.number == Number::Int) return std::to_string(word->integer);
    if (value.dimension.none()) return digits(word->real);
    std::string unit = unitExample(value.dimension);
    if (unit.empty())
      return fmt::format("{} {}", digits(word->real), dimensions.formula(value.dimension));
    const Unit* first = units.find(unit.substr(0, unit.find_first_of("/*^")));
    UnitLookup lookup = units.parse(unit);
    return quantityText(word->real, unit, lookup.scale.toDouble(), first && first->decimalPrefixes);
  }
  case ValueKind::Text: {
    std::string result;
    for (const auto& [piece, inner] : value.text->pieces) {
      result += piece;
      if (!inner.bad()) result += text(inner);
    }
    return result;
  }
  case ValueKind::Word: return std::string(str(value.words->words[value.word]));
  case ValueKind::Record:
    return value.record->label ? std::string(str(value.record->label))
                               : std::string(str(value.record->schema->name));
  case ValueKind::List: {
    std::string result;
    for (const Value& item : value.list->items) result += (result.empty() ? "" : ", ") + text(item);
    return "[" + result + "]";
  }
  case ValueKind::Absent: return "nothing";
  default: return describeKind(value);
  }
}

}  // namespace sysdl::check
