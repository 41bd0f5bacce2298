// Exact positive rationals: literals and unit scales, rounded to a double once, at the very end.
//
// So `0.5 TB/s` and `500 GB/s` are the same bits, and no unit conversion drifts.
#pragma once

#include <optional>
#include <string_view>

#include "llvm/ADT/APInt.h"

namespace sysdl {

class Exact {
public:
  Exact() : numerator_(64, 0), denominator_(64, 1) {}
  static Exact integer(uint64_t value);
  /// A decimal such as "3_500.25e-3"; empty where it has too many digits or too large an exponent.
  static std::optional<Exact> decimal(std::string_view text);

  bool zero() const { return numerator_ == 0; }
  Exact times(const Exact& other) const;
  Exact over(const Exact& other) const;  // other must not be zero
  Exact power(int exponent) const;
  /// The nearest double, ties to even; infinity where it is too large.
  double toDouble() const;
  /// The value where it is a whole number that fits in 63 bits.
  std::optional<int64_t> toInteger() const;

private:
  void reduce();
  // Each as narrow as its value allows, in whole machine words: few need more than one.
  llvm::APInt numerator_, denominator_;
};

}  // namespace sysdl
