// What a failed rule says of the values that would pass.
#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

/// The help of the only fault of a file; its text where there is another.
std::string helpOf(const std::string& body) {
  CheckText t(body);
  std::vector<Diagnostic> list = t.diagnostics.sorted(t.sources);
  if (list.size() != 1) return t.faults();
  return list.front().help;
}

TEST_CASE("a failed rule names the whole numbers that would pass") {
  auto with = [](const std::string& rule, int n) {
    return helpOf(fmt::format("schema s {{ n: Int in 1..; k: Int = 2 * n; require {} }}\n"
                              "s A {{ n = {} }}\n",
                              rule, n));
  };
  CHECK(with("24 mod n == 0", 5) == "the rule holds for `n` = 1, 2, 3, 4, 6, 8, 12 or 24");
  CHECK(with("n <= 7", 9) == "the rule holds for `n` = 1 to 7");
  CHECK(with("n >= 7", 5) == "the rule holds for `n` = 7 and more");
  CHECK(with("n <= 1_000_000", 2'000'000) == "the rule holds for `n` = 1 to 1000000");
  CHECK(with("k == 6", 9) == "the rule holds for `n` = 3");
  CHECK(with("n mod 4 == 0", 101) ==
        "the rule holds for `n` = …, 88, 92, 96, 100, 104, 108, 112, 116, …");
  CHECK(with("n == n + 1", 5).empty());
  // Divisions by zero on the way count as values that do not pass.
  CHECK(with("12 / (n - 3) >= 6", 7) == "the rule holds for `n` = 4 or 5");
}

TEST_CASE("a failed rule names where quantities begin to pass, and keeps to their ranges") {
  auto with = [](const std::string& rule, const std::string& value) {
    return helpOf(
        fmt::format("schema s {{ p: Power in 1 W..1 MW; e: Energy = p * 2 s; require {} }}\n"
                    "s A {{ p = {} }}\n",
                    rule, value));
  };
  CHECK(with("p <= 1 kW", "1.2 kW") == "the rule holds for `p` = 1 kW or less");
  CHECK(with("e > 300 J", "10 W") == "the rule holds for `p` = 150 W or more");
  CHECK(with("p < 2 W or p > 2 kW", "700 W") ==
        "the rule holds for `p` = 2 W or less, 2 kW or more");
  CHECK(with("p > 1 GW", "700 W").empty());
}

TEST_CASE(
    "values that pass are found in parts of a record, and of each input that the rule reads") {
  CHECK(helpOf(R"(
schema part { n: Int = 1; derived double: Int = 2 * n }
schema whole {
  left: part = part {}
  limit: Int = 100
  require left.double <= limit
}
whole A { left { n = 60 } }
whole B = A { left.n = 7 }
)") == "the rule holds for `n` = 0 to 50");
  CHECK(helpOf(R"(
schema pair { a: Int in 1..; b: Int in 1..; require a * b == 12 }
pair A { a = 6; b = 3 }
)") == "the rule holds for `a` = 4; for `b` = 2");
}

}  // namespace
}  // namespace sysdl::test
