// Dimensions: lane arithmetic and how a dimension is written in a message.
#include "ir/units/dimension.h"

namespace sysdl {
namespace {

std::string powerOf(const std::string& name, int twice) {
  if (twice == 2) return name;
  if (twice % 2 == 0) return name + "^" + std::to_string(twice / 2);
  return name + "^(" + std::to_string(twice) + "/2)";
}

}  // namespace

std::optional<Dimension> multiply(Dimension a, Dimension b) {
  Dimension result;
  for (size_t i = 0; i < Dimension::kLanes; ++i) {
    int sum = a.lanes_[i] + b.lanes_[i];
    if (sum < -127 || sum > 127) return std::nullopt;
    result.lanes_[i] = static_cast<int8_t>(sum);
  }
  return result;
}

std::optional<Dimension> divide(Dimension a, Dimension b) {
  auto inverse = power(b, -2);
  return inverse ? multiply(a, *inverse) : std::nullopt;
}

std::optional<Dimension> power(Dimension a, int twiceExponent) {
  Dimension result;
  for (size_t i = 0; i < Dimension::kLanes; ++i) {
    long scaled = static_cast<long>(a.lanes_[i]) * twiceExponent;
    if (scaled % 2 != 0 || scaled < -254 || scaled > 254) return std::nullopt;
    result.lanes_[i] = static_cast<int8_t>(scaled / 2);
  }
  return result;
}

std::optional<Dimension> DimensionTable::addBase(std::string name) {
  if (bases_.size() == Dimension::kLanes) return std::nullopt;
  Dimension d = Dimension::base(static_cast<int>(bases_.size()));
  bases_.push_back(name);
  named_.emplace_back(std::move(name), d);
  return d;
}

void DimensionTable::addNamed(std::string name, Dimension dimension) {
  named_.emplace_back(std::move(name), dimension);
}

std::string DimensionTable::formula(Dimension d) const {
  std::string text;
  for (size_t i = 0; i < bases_.size(); ++i) {
    int twice = d.twice(static_cast<int>(i));
    if (twice == 0) continue;
    if (!text.empty()) text += " * ";
    text += powerOf(bases_[i], twice);
  }
  return text.empty() ? "a plain number" : text;
}

std::string DimensionTable::describe(Dimension d) const {
  for (const auto& [name, dimension] : named_) {
    if (dimension == d) return name;
  }
  return formula(d);
}

std::string withArticle(std::string_view noun) {
  bool vowel =
      !noun.empty() && std::string_view("AEIOUaeiou").find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

}  // namespace sysdl
