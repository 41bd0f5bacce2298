// Dimensions: exponents over base dimensions, packed in one 128-bit word, compared as an integer.
//
// Sixteen lanes of signed eight bits hold twice the exponent of one base dimension each, so that
// square roots stay exact. Multiplying quantities adds lanes; a dimensionless number is all zero.
// Dimensions form an abelian group under `*` (tests/property).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/name.h"

namespace sysdl {

class Dimension {
public:
  static constexpr int kLanes = 16;

  constexpr Dimension() = default;
  static Dimension base(int lane) {
    Dimension d;
    d.lanes_[static_cast<size_t>(lane)] = 2;
    return d;
  }

  bool none() const { return lanes_ == std::array<int8_t, kLanes>{}; }
  /// Twice the exponent of a base dimension.
  int twice(int lane) const { return lanes_[static_cast<size_t>(lane)]; }

  /// Empty where an exponent would leave [-63.5, 63.5].
  friend std::optional<Dimension> multiply(Dimension a, Dimension b);
  friend std::optional<Dimension> divide(Dimension a, Dimension b);
  /// a^(numerator/2): empty where an exponent would not be a multiple of one half, or out of range.
  friend std::optional<Dimension> power(Dimension a, int twiceExponent);
  friend bool operator==(Dimension a, Dimension b) = default;

private:
  std::array<int8_t, kLanes> lanes_{};
};

std::optional<Dimension> multiply(Dimension a, Dimension b);
std::optional<Dimension> divide(Dimension a, Dimension b);
std::optional<Dimension> power(Dimension a, int twiceExponent);

/// The base dimensions in the order of declaration, and the named products of them.
class DimensionTable {
public:
  /// Declares a base dimension; empty where all lanes are taken.
  std::optional<Dimension> addBase(std::string name);
  void addNamed(std::string name, Dimension dimension);

  /// "Time^2 * Data^-1"; "a plain number" for none.
  std::string formula(Dimension d) const;
  /// The declared name where there is one (`Bandwidth`), else the formula.
  std::string describe(Dimension d) const;

private:
  std::vector<std::string> bases_;
  std::vector<std::pair<std::string, Dimension>> named_;
};

/// "a Time", "an Energy".
std::string withArticle(std::string_view noun);

}  // namespace sysdl
