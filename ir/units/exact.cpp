// Exact positive rationals on LLVM's arbitrary-precision integers.
#include "ir/units/exact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "llvm/ADT/APFloat.h"

namespace sysdl {
namespace {

constexpr int kMaxDigits = 40;
constexpr int kMaxExponent = 400;

/// Products are reduced from here on, so that they do not grow without end.
constexpr unsigned kReduceBits = 2048;

llvm::APInt word(uint64_t value) { return llvm::APInt(64, value); }

unsigned wholeWords(unsigned bits) { return std::max(64u, (bits + 63) / 64 * 64); }

/// The same value with as many words as it needs.
llvm::APInt narrow(const llvm::APInt& value) {
  return value.zextOrTrunc(wholeWords(value.getActiveBits()));
}

llvm::APInt product(const llvm::APInt& a, const llvm::APInt& b) {
  unsigned width = wholeWords(a.getActiveBits() + b.getActiveBits());
  if (width == 64) return word(a.getZExtValue() * b.getZExtValue());
  return narrow(a.zextOrTrunc(width) * b.zextOrTrunc(width));
}

llvm::APInt powerOfTen(int exponent) {
  llvm::APInt result = word(1);
  for (; exponent >= 19; exponent -= 19)
    result = product(result, word(10'000'000'000'000'000'000u));
  uint64_t rest = 1;
  for (int i = 0; i < exponent; ++i) rest *= 10;
  return product(result, word(rest));
}

}  // namespace

Exact Exact::integer(uint64_t value) {
  Exact result;
  result.numerator_ = word(value);
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
    // A digit more is at most four bits more.
    unsigned width = wholeWords(result.numerator_.getActiveBits() + 4);
    if (width > result.numerator_.getBitWidth()) result.numerator_ = result.numerator_.zext(width);
    result.numerator_ *= llvm::APInt(width, 10);
    result.numerator_ += llvm::APInt(width, static_cast<uint64_t>(text[i] - '0'));
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
  if (exponent > 0) result.numerator_ = product(result.numerator_, powerOfTen(exponent));
  if (exponent < 0) result.denominator_ = powerOfTen(-exponent);
  result.reduce();
  return result;
}

void Exact::reduce() {
  if (numerator_ == 0) {
    denominator_ = word(1);
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
    numerator_ = word(numerator_.getZExtValue() / a);
    denominator_ = word(denominator_.getZExtValue() / a);
    return;
  }
  if (numerator_.getActiveBits() + denominator_.getActiveBits() < kReduceBits) return;
  unsigned width = std::max(numerator_.getBitWidth(), denominator_.getBitWidth());
  llvm::APInt top = numerator_.zextOrSelf(width), bottom = denominator_.zextOrSelf(width);
  llvm::APInt divisor = llvm::APIntOps::GreatestCommonDivisor(top, bottom);
  numerator_ = narrow(top.udiv(divisor));
  denominator_ = narrow(bottom.udiv(divisor));
}

Exact Exact::times(const Exact& other) const {
  Exact result;
  result.numerator_ = product(numerator_, other.numerator_);
  result.denominator_ = product(denominator_, other.denominator_);
  result.reduce();
  return result;
}

Exact Exact::over(const Exact& other) const {
  Exact result;
  result.numerator_ = product(numerator_, other.denominator_);
  result.denominator_ = product(denominator_, other.numerator_);
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
  // Wide enough for both, shifted, and for the sticky bit.
  unsigned width =
      wholeWords(numerator_.getActiveBits() + denominator_.getActiveBits() + 2 * 64 + 2);
  llvm::APInt numerator = numerator_.zextOrTrunc(width);
  llvm::APInt denominator = denominator_.zextOrTrunc(width);
  if (shift > 0) numerator <<= static_cast<unsigned>(shift);
  if (shift < 0) denominator <<= static_cast<unsigned>(-shift);
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(numerator, denominator, quotient, rest);
  quotient <<= 1;
  if (rest != 0) quotient |= llvm::APInt(width, 1);
  llvm::APFloat rounded(llvm::APFloat::IEEEdouble());
  rounded.convertFromAPInt(quotient, false, llvm::APFloat::rmNearestTiesToEven);
  return std::ldexp(rounded.convertToDouble(), -shift - 1);
}

std::optional<int64_t> Exact::toInteger() const {
  unsigned width = std::max(numerator_.getBitWidth(), denominator_.getBitWidth());
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(numerator_.zextOrSelf(width), denominator_.zextOrSelf(width), quotient,
                       rest);
  if (rest != 0 || quotient.getActiveBits() > 63) return std::nullopt;
  return static_cast<int64_t>(quotient.getZExtValue());
}

}  // namespace sysdl
