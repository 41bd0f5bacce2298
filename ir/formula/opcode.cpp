// The operations of formulas: what each does, used by constant folding and by the machine alike.
#include "ir/formula/opcode.h"

#include <cmath>

namespace sysdl {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;

std::optional<FaultKind> toInteger(double value, Word& result) {
  if (!std::isfinite(value)) return FaultKind::NotFinite;
  if (value < -kTwo63 || value >= kTwo63) return FaultKind::Overflow;
  result.integer = static_cast<int64_t>(value);
  return std::nullopt;
}

std::optional<FaultKind> finite(double value, Word& result) {
  if (!std::isfinite(value)) return FaultKind::NotFinite;
  result.real = value;
  return std::nullopt;
}

std::optional<FaultKind> integer(bool overflowed) {
  if (overflowed) return FaultKind::Overflow;
  return std::nullopt;
}

std::optional<FaultKind> applyInteger(Opcode op, int64_t a, int64_t b, Word& result) {
  switch (op) {
  case Opcode::AddI: return integer(__builtin_add_overflow(a, b, &result.integer));
  case Opcode::SubtractI: return integer(__builtin_sub_overflow(a, b, &result.integer));
  case Opcode::MultiplyI: return integer(__builtin_mul_overflow(a, b, &result.integer));
  case Opcode::NegateI: return integer(__builtin_sub_overflow(int64_t{0}, a, &result.integer));
  case Opcode::MinI: result.integer = a < b ? a : b; return std::nullopt;
  case Opcode::MaxI: result.integer = a < b ? b : a; return std::nullopt;
  case Opcode::LessI: result.integer = a < b; return std::nullopt;
  case Opcode::LessEqualI: result.integer = a <= b; return std::nullopt;
  case Opcode::EqualI: result.integer = a == b; return std::nullopt;
  case Opcode::IntToReal: result.real = static_cast<double>(a); return std::nullopt;
  default: break;
  }
  // Division: by zero, and the one quotient that overflows.
  if (b == 0) return FaultKind::DivideByZero;
  if (b == -1 && a == INT64_MIN) return FaultKind::Overflow;
  if (op == Opcode::ModI) {
    int64_t rest = a % b;
    result.integer = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return std::nullopt;
  }
  if (a % b != 0) return FaultKind::NotWhole;
  result.integer = a / b;
  return std::nullopt;
}

std::optional<FaultKind> applyReal(Opcode op, double a, double b, Word& result) {
  switch (op) {
  case Opcode::AddF: return finite(a + b, result);
  case Opcode::SubtractF: return finite(a - b, result);
  case Opcode::MultiplyF: return finite(a * b, result);
  case Opcode::DivideF:
    if (b == 0) return FaultKind::DivideByZero;
    return finite(a / b, result);
  case Opcode::NegateF: result.real = -a; return std::nullopt;
  case Opcode::PowerF: return finite(std::pow(a, b), result);
  case Opcode::MinF: result.real = a < b ? a : b; return std::nullopt;
  case Opcode::MaxF: result.real = a < b ? b : a; return std::nullopt;
  case Opcode::CeilF: return toInteger(std::ceil(a), result);
  case Opcode::FloorF: return toInteger(std::floor(a), result);
  case Opcode::RoundF: return toInteger(std::round(a), result);
  case Opcode::Log2F: return finite(std::log2(a), result);
  case Opcode::SqrtF: return finite(std::sqrt(a), result);
  case Opcode::ExpF: return finite(std::exp(a), result);
  case Opcode::RealToInt:
    if (a != std::floor(a)) return std::isfinite(a) ? FaultKind::NotWhole : FaultKind::NotFinite;
    return toInteger(a, result);
  case Opcode::LessF: result.integer = a < b; return std::nullopt;
  case Opcode::LessEqualF: result.integer = a <= b; return std::nullopt;
  case Opcode::EqualF: result.integer = a == b; return std::nullopt;
  default: return FaultKind::NotFinite;
  }
}

}  // namespace

std::string_view describe(FaultKind kind) {
  switch (kind) {
  case FaultKind::Overflow: return "the whole number does not fit in 64 bits";
  case FaultKind::NotFinite: return "the result is not a finite number";
  case FaultKind::DivideByZero: return "division by zero";
  case FaultKind::NotWhole: return "the result is not a whole number";
  }
  return {};
}

std::optional<FaultKind> apply(Opcode op, Word a, Word b, Word c, Word& result) {
  switch (op) {
  case Opcode::And: result.integer = a.integer & b.integer; return std::nullopt;
  case Opcode::Or: result.integer = a.integer | b.integer; return std::nullopt;
  case Opcode::Not: result.integer = 1 - a.integer; return std::nullopt;
  case Opcode::Select: result = a.integer ? b : c; return std::nullopt;
  case Opcode::AddI:
  case Opcode::SubtractI:
  case Opcode::MultiplyI:
  case Opcode::NegateI:
  case Opcode::ModI:
  case Opcode::MinI:
  case Opcode::MaxI:
  case Opcode::DivideExactI:
  case Opcode::LessI:
  case Opcode::LessEqualI:
  case Opcode::EqualI:
  case Opcode::IntToReal: return applyInteger(op, a.integer, b.integer, result);
  default: return applyReal(op, a.real, b.real, result);
  }
}

}  // namespace sysdl
