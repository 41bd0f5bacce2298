// Exact positive rationals on LLVM's arbitrary-precision integers.
#include "ir/units/exact.h"

#include <cmath>
#include <limits>

#include "llvm/ADT/APFloat.h"

namespace sysdl {
namespace {

constexpr int kMaxDigits = 40;
constexpr int kMaxExponent = 400;

llvm::APInt wide(uint64_t value) { return llvm::APInt(Exact::kBits, value); }

llvm::APInt powerOfTen(int exponent) {
  llvm::APInt result = wide(1);
  for (int i = 0; i < exponent; ++i) result *= wide(10);
  return result;
}

}  // namespace

Exact Exact::integer(uint64_t value) {
  Exact result;
  result.numerator_ = wide(value);
  return result;
}

std::optional<Exact> Exact::decimal(std::string_view text) {
  Exact result;
  int digits = 0;
  int exponent = 0;
  bool fraction = false;
  size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '_') continue;
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    if (++digits > kMaxDigits && text[i] != '0') return std::nullopt;
    if (digits > kMaxExponent) return std::nullopt;
    result.numerator_ *= wide(10);
    result.numerator_ += wide(static_cast<uint64_t>(text[i] - '0'));
    if (fraction) --exponent;
  }
  if (i < text.size()) {
    bool negative = text[i + 1] == '-';
    int written = 0;
    for (i += text[i + 1] == '-' || text[i + 1] == '+' ? 2 : 1; i < text.size(); ++i) {
      written = written * 10 + (text[i] - '0');
      if (written > kMaxExponent) return std::nullopt;
    }
    exponent += negative ? -written : written;
  }
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  if (exponent > 0) result.numerator_ *= powerOfTen(exponent);
  if (exponent < 0) result.denominator_ = powerOfTen(-exponent);
  result.reduce();
  return result;
}

void Exact::reduce() {
  if (numerator_ == 0) {
    denominator_ = wide(1);
    return;
  }
  // Small values dominate; a machine-word gcd is far cheaper than the wide one.
  if (numerator_.getActiveBits() <= 64 && denominator_.getActiveBits() <= 64) {
    uint64_t a = numerator_.getZExtValue();
    uint64_t b = denominator_.getZExtValue();
    while (b) {
      uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    numerator_ = wide(numerator_.getZExtValue() / a);
    denominator_ = wide(denominator_.getZExtValue() / a);
    return;
  }
  // Products stay far below kBits unless they grow without end: reduce only then.
  if (numerator_.getActiveBits() + denominator_.getActiveBits() < kBits / 2) return;
  llvm::APInt divisor = llvm::APIntOps::GreatestCommonDivisor(numerator_, denominator_);
  numerator_ = numerator_.udiv(divisor);
  denominator_ = denominator_.udiv(divisor);
}

Exact Exact::times(const Exact& other) const {
  Exact result;
  result.numerator_ = numerator_ * other.numerator_;
  result.denominator_ = denominator_ * other.denominator_;
  result.reduce();
  return result;
}

Exact Exact::over(const Exact& other) const {
  Exact result;
  result.numerator_ = numerator_ * other.denominator_;
  result.denominator_ = denominator_ * other.numerator_;
  result.reduce();
  return result;
}

Exact Exact::power(int exponent) const {
  Exact result = integer(1);
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) result = result.times(*this);
  return exponent < 0 ? integer(1).over(result) : result;
}

double Exact::toDouble() const {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  if (numerator_.ule(kExact) && denominator_.ule(kExact)) {
    return static_cast<double>(numerator_.getZExtValue()) /
           static_cast<double>(denominator_.getZExtValue());
  }
  // A quotient of at least 66 bits and a sticky last bit round like the exact value.
  int shift = 66 + static_cast<int>(denominator_.getActiveBits()) -
              static_cast<int>(numerator_.getActiveBits());
  llvm::APInt numerator = numerator_.zext(2 * kBits);
  llvm::APInt denominator = denominator_.zext(2 * kBits);
  if (shift > 0) numerator <<= static_cast<unsigned>(shift);
  if (shift < 0) denominator <<= static_cast<unsigned>(-shift);
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(numerator, denominator, quotient, rest);
  quotient <<= 1;
  if (rest != 0) quotient |= llvm::APInt(2 * kBits, 1);
  llvm::APFloat rounded(llvm::APFloat::IEEEdouble());
  rounded.convertFromAPInt(quotient, false, llvm::APFloat::rmNearestTiesToEven);
  return std::ldexp(rounded.convertToDouble(), -shift - 1);
}

std::optional<int64_t> Exact::toInteger() const {
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(numerator_, denominator_, quotient, rest);
  if (rest != 0 || quotient.getActiveBits() > 63) return std::nullopt;
  return static_cast<int64_t>(quotient.getZExtValue());
}

}  // namespace sysdl
