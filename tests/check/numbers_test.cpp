// Numbers: exact literals, dimensions as a group, whole numbers, curves, faults instead of infinities.
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

TEST_CASE("a literal is the double nearest to what is written, as strtod finds it") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text = std::to_string(random() % 100'000'000'000ull);
    if (i % 2) text += "." + std::to_string(random() % 10'000'000'000'000ull);
    if (i % 3 == 0) text += "e" + std::to_string(static_cast<int>(random() % 600) - 300);
    double expected = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(expected)) continue;
    INFO(text);
    auto exact = Exact::decimal(text);
    REQUIRE(exact);
    CHECK(exact->toDouble() == expected);
  }
}

TEST_CASE("the spelling of a unit changes no bit") {
  CheckText t(R"(
schema s { rate: Bandwidth; energy: Energy; time: Time; price: Price }
s A { rate = 0.5 TB/s; energy = 7 pJ; time = 0.1 us; price = 2.4 USD/hour }
s B { rate = 500 GB/s; energy = 0.007 nJ; time = 100 ns; price = 57.6 USD/day }
s C { rate = 4_000_000 Mbit/s; energy = 7e-12 W*s; time = 1e-7 s; price = 240 USD/hour / 100 }
)");
  CHECK(t.faults() == "");
  for (const char* field : {"rate", "energy", "time"}) {
    CHECK(t.number("A", field) == t.number("B", field));
    CHECK(t.number("A", field) == t.number("C", field));
  }
  CHECK(t.number("A", "price") == t.number("B", "price"));
}

TEST_CASE("dimensions are an abelian group under multiplication") {
  std::mt19937 random(11);
  auto any = [&] {
    Dimension d;
    for (int lane = 0; lane < Dimension::kLanes; ++lane) {
      auto p = power(Dimension::base(lane), static_cast<int>(random() % 9) - 4);
      d = *multiply(d, *p);
    }
    return d;
  };
  for (int i = 0; i < 500; ++i) {
    Dimension a = any(), b = any(), c = any();
    CHECK(*multiply(a, b) == *multiply(b, a));
    CHECK(*multiply(*multiply(a, b), c) == *multiply(a, *multiply(b, c)));
    CHECK(*multiply(a, Dimension()) == a);
    CHECK(divide(a, a)->none());
    CHECK(*divide(*multiply(a, b), b) == a);
    CHECK(*power(*power(a, 4), 1) == a);  // the square root of the square
  }
  CHECK(!power(Dimension::base(0), 200));  // out of range is refused, not wrapped
}

TEST_CASE("decimal and binary prefixes, bits and bytes differ") {
  CheckText t(R"(
schema s { d: Data }
s GB { d = 1 GB }
s GiB { d = 1 GiB }
s Gbit { d = 1 Gbit }
)");
  CHECK(t.number("GB", "d") == 1e9);
  CHECK(t.number("GiB", "d") == 1073741824.0);
  CHECK(t.number("Gbit", "d") == 1.25e8);
}

TEST_CASE("faults of numbers") {
  CheckText t(R"(
schema s {
  t: Time = 1 s
  n: Int = 1
  r: Real = 1
}
s A { t = 3 }
s B { t = 3 GB }
s C { t = 3 sec }
s D { t = 1 s + 2 }
s E { t = 1 s + 2 s * 3 B }
s F { n = 9_223_372_036_854_775_807 + 1 }
s G { n = 7 / 2 }
s H { r = 1 / 0 }
s I { r = 10.0 ^ 400 }
s J { n = 5 mod 0 }
s K { r = log2(0) }
s L { r = sqrt(2 s) }
s M { t = 5 KB }
s N { n = 99_999_999_999_999_999_999 }
s O { r = if 1 > 2 then 1 / 0 else 2 }
s P { t = 3 kK }
s Q { r = 1 s < 2 GB }
s R { n = 6 / 2 }
)");
  CHECK(t.faults() == "E0403:8 E0402:9 E0401:10 E0402:11 E0402:12 E0410:13 E0411:14 E0412:15 "
                      "E0412:16 E0412:17 E0412:18 "
                      "E0402:19 E0401:20 E0410:21 E0405:23 E0402:24");
}

TEST_CASE("curves interpolate, and clamp at their ends") {
  CheckText t(R"(
schema s {
  c: curve[Data, Real] = curve(x = [1 KiB, 3 KiB, 5 KiB], y = [0.2, 0.6, 0.7])
  at: Data
  derived read: Real = c(at)
}
s A { at = 2 KiB }
s B { at = 1 B }
s C { at = 1 GiB }
s D { at = 3 KiB }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("A", "read") == Approx(0.4));
  CHECK(t.number("B", "read") == 0.2);
  CHECK(t.number("C", "read") == 0.7);
  CHECK(t.number("D", "read") == 0.6);
}

TEST_CASE("the sum of nothing has the dimension of what is not there") {
  CheckText t(R"(
schema part { price: Money; share: Real = 1; count: Int = 1 }
schema box {
  children part: part
  extra: list[Data] = []
  derived price: Money = sum([p.price * p.count for p in part]) + 1 USD
  derived count: Int = sum([p.count for p in part])
  derived dear: Money = sum([p.price for p in part if p.price > 5 USD])
  derived data: Data = sum(extra) + sum([2 * d for d in extra])
}
box None {}
box One { part a { price = 3 USD } }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("None", "price") == 1);
  CHECK(t.number("One", "price") == 4);
  CHECK(t.number("One", "dear") == 0);
  CHECK(t.number("None", "data") == 0);
  CheckText wrong(
      "schema part { price: Money }\nschema box { children part: part; derived n: Data = "
      "sum([p.price for p in part]) }\nbox None {}\n");
  CHECK(wrong.faults() == "E0402:3");
}

TEST_CASE("functions over lists") {
  CheckText t(R"(
fn double(x: Real): Real = 2 * x
schema s {
  l: list[Int] = [n * n for n in 1..10 if n mod 2 == 0]
  derived a: Int = sum(l)
  derived b: Int = count(l)
  derived c: Int = max(l) - min(l)
  derived d: Int = product([1, 2, 3]) + l[1]
  derived e: Int = sum(divisors(28))
  derived f: Real = double(1.5)
  derived g: Int = argmin([3, 1, 2])
  derived h: Bool = all([x > 0 for x in l]) and not any([x > 100 for x in l])
  derived i: Int = ceil(2.1) + floor(2.9) + round(2.5)
}
s A = s {}
)");
  CHECK(t.faults() == "");
  CHECK(t.number("A", "a") == 4 + 16 + 36 + 64 + 100);
  CHECK(t.number("A", "b") == 5);
  CHECK(t.number("A", "c") == 96);
  CHECK(t.number("A", "d") == 22);
  CHECK(t.number("A", "e") == 56);
  CHECK(t.number("A", "f") == 3);
  CHECK(t.number("A", "g") == 1);
  CHECK(t.shown("A", "h") == "true");
  CHECK(t.number("A", "i") == 3 + 2 + 3);
}

TEST_CASE("a formula computes the same folded, resolved and compiled") {
  Formulas f;
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    double x = static_cast<double>(random() % 1000) / 7,
           y = static_cast<double>(random() % 1000) / 3 + 1;
    auto build = [&](FormulaId a, FormulaId b) {
      FormulaId sum = f.apply(Opcode::AddF, Number::Real, {}, a, b);
      FormulaId quotient = f.apply(Opcode::DivideF, Number::Real, {}, sum, b);
      FormulaId less = f.apply(Opcode::LessF, Number::Bool, {}, a, b);
      FormulaId root = f.apply(Opcode::SqrtF, Number::Real, {}, quotient);
      return f.apply(Opcode::Select, Number::Real, {}, less, root, quotient);
    };
    FormulaId folded = build(f.real(x, {}), f.real(y, {}));
    FormulaId a = f.input(Number::Real, false, {}), b = f.input(Number::Real, false, {});
    FormulaId symbolic = build(a, b);
    FormulaId inputs[] = {a, b}, outputs[] = {symbolic};
    Program program = f.compile(inputs, outputs);
    Word given[] = {wordOf(x), wordOf(y)}, found[1];
    Scratch scratch;
    REQUIRE(!run(program, given, found, scratch));
    f.bind(a, wordOf(x));
    f.bind(b, wordOf(y));
    CHECK(found[0].real == f[folded].value.real);
    CHECK(f.resolve(symbolic)->real == f[folded].value.real);
  }
}

TEST_CASE("a fault counts only where its value is used") {
  Formulas f;
  FormulaId x = f.input(Number::Real, false, {});
  FormulaId bad = f.apply(Opcode::DivideF, Number::Real, {}, f.real(1, {}), x);
  FormulaId zero = f.apply(Opcode::EqualF, Number::Bool, {}, x, f.real(0, {}));
  FormulaId guarded = f.apply(Opcode::Select, Number::Real, {}, zero, f.real(7, {}), bad);
  FormulaId inputs[] = {x}, outputs[] = {guarded, bad};
  Scratch scratch;
  Word given[] = {wordOf(0.0)}, found[2];
  auto fault = run(f.compile(inputs, outputs), given, found, scratch);
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::DivideByZero);
  CHECK(found[0].real == 7);
  FormulaId safe[] = {guarded};
  CHECK(!run(f.compile(inputs, safe), given, std::span<Word>(found, 1), scratch));
}

}  // namespace
}  // namespace sysdl::test
