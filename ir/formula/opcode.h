// The operations of formulas, shared by the expression graph, the compiled program and its machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sysdl {

/// How a scalar is held: an exact 64-bit integer, a double in SI base units, or a truth value.
enum class Number : uint8_t { Int, Real, Bool };

union Word {
  double real;
  int64_t integer;  // also 0 or 1 of a Bool
};

inline Word wordOf(double value) { return Word{.real = value}; }
inline Word wordOf(int64_t value) { return Word{.integer = value}; }

/// Suffix I works on integers (overflow is a fault), F on doubles (a non-finite result is a fault).
enum class Opcode : uint8_t {
  Constant,
  Input,  // leaves of the expression graph; never in a program
  AddI,
  SubtractI,
  MultiplyI,
  NegateI,
  ModI,
  MinI,
  MaxI,
  DivideExactI,
  AddF,
  SubtractF,
  MultiplyF,
  DivideF,
  NegateF,
  PowerF,
  MinF,
  MaxF,
  CeilF,
  FloorF,
  RoundF,  // double to integer
  Log2F,
  SqrtF,
  ExpF,
  IntToReal,
  RealToInt,  // a fault where the value is not whole
  LessI,
  LessEqualI,
  EqualI,
  LessF,
  LessEqualF,
  EqualF,
  And,
  Or,
  Not,
  Select,  // a ? b : c
  Curve,   // piecewise-linear interpolation of a in curve number b, clamped at the ends
};

enum class FaultKind : uint8_t { Overflow, NotFinite, DivideByZero, NotWhole };

std::string_view describe(FaultKind kind);

/// Applies an operation to words, or says which fault it is. `Curve` is not among these.
std::optional<FaultKind> apply(Opcode op, Word a, Word b, Word c, Word& result);

}  // namespace sysdl
