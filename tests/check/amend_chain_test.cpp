// Long chains of amends, and `base`: values by a model of their own (the last one to set a path wins),
// however many layers the checker leaves out on the way.
#include <map>
#include <random>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

const std::string kMachine = R"(
schema part {
  a: Int = 1
  b: Int = 2
  derived both: Int = 1_000 * a + b
}
schema machine {
  x: Int = 3
  y: Int = x + 1
  left: part = part {}
  right: part = part { b = x }
  derived total: Int = x + y + left.both + right.both
}
machine m0 = machine {}
)";

/// What a chain set last, by path; what was never set follows from the schema.
struct Chain {
  std::map<std::string, int64_t> set;
  int64_t at(const std::string& path) const {
    auto found = set.find(path);
    if (found != set.end()) return found->second;
    if (path == "x") return 3;
    if (path == "y") return at("x") + 1;
    if (path == "right.b") return at("x");
    return path.ends_with(".a") ? 1 : 2;
  }
  int64_t total() const {
    return at("x") + at("y") + 1000 * at("left.a") + at("left.b") + 1000 * at("right.a") +
           at("right.b");
  }
};

TEST_CASE("a chain of amends in any spelling says what was said last") {
  const char* paths[] = {"x", "y", "left.a", "left.b", "right.a", "right.b"};
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Chain chain;
    std::vector<int64_t> wanted;
    std::string text = kMachine;
    for (int i = 1; i <= 120; ++i) {
      std::string body;
      // Some chains never touch `x`, so that what follows from it follows through all of them.
      std::string path = paths[seed % 2 + random() % (6 - seed % 2)];
      const int64_t value = static_cast<int64_t>(random() % 900);
      const size_t dot = path.find('.');
      if (dot != std::string::npos && random() % 2)
        body = fmt::format("{} {{ {} = {} }}", path.substr(0, dot), path.substr(dot + 1), value);
      else
        body = fmt::format("{} = {}", path, value);
      chain.set[path] = value;
      if (random() % 8 == 0) {
        body = fmt::format("left = part {{ b = {} }}", value);
        chain.set["left.b"] = value;
        chain.set.erase("left.a");
        if (path.starts_with("left.")) path.clear();
        if (!path.empty() && path[0] != 'l') body += fmt::format("; {} = {}", path, value);
      }
      text += fmt::format("machine m{} = m{} {{ {} }}\n", i, i - 1, body);
      wanted.push_back(chain.total());
    }
    INFO(text);
    CheckText t(text);
    REQUIRE(t.faults() == "");
    for (int i = 1; i <= 120; ++i) {
      INFO("m" << i);
      REQUIRE(t.number(fmt::format("m{}", i), "total") ==
              static_cast<double>(wanted[static_cast<size_t>(i - 1)]));
    }
  }
}

TEST_CASE("what amends do besides setting values stays, however long the chain") {
  std::string text = R"(
schema s {
  a: Int = 1
  rate: map[Format, Int]
  children kid: k
}
schema k { n: Int }
s m0 = s {
  rate[bf16] = 1
  kid first { n = 1 }
}
s m1 = m0 { require a <= 100 }
s m2 = m1 { new kid second { n = 2 } }
s m3 = m2 { rate[fp8] = 2 }
)";
  for (int i = 4; i <= 150; ++i) text += fmt::format("s m{} = m{} {{ a = {} }}\n", i, i - 1, i);
  text +=
      "schema v { derived n: Int = count([1 for c in m99.kid]) + m99.rate[fp8] + m99.rate[bf16] }\n"
      "v V = v {}\n";
  CheckText t(text);
  std::string wanted;
  for (int i = 101; i <= 150; ++i) wanted += fmt::format("{}E0501:{}", i > 101 ? " " : "", i + 12);
  CHECK(t.faults() == wanted);
  CHECK(t.number("V", "n") == 5);
}

TEST_CASE("amends that cannot be left out are bounded") {
  std::string rules = "schema s { a: Int = 1 }\ns m0 = s {}\n";
  std::string bases = rules;
  for (int i = 1; i <= 2'000; ++i) {
    rules += fmt::format("s m{} = m{} {{ require a < {} }}\n", i, i - 1, i + 5);
    bases += fmt::format("s m{} = m{} {{ a = base.a + 1 }}\n", i, i - 1);
  }
  CHECK(CheckText(rules).faults() == "E0120:1002");
  CHECK(CheckText(bases).faults() == "E0120:36");
}

TEST_CASE("a long chain is evaluated in any order of the file, and circles are found") {
  std::string text = "schema s { a: Int = 1; b: Int = a + 1 }\n";
  for (int i = 20'000; i > 0; --i) text += fmt::format("s m{} = m{} {{ a = {} }}\n", i, i - 1, i);
  CheckText t(text + "s m0 = s {}\n");
  CHECK(t.faults() == "");
  CHECK(t.number("m20000", "b") == 20'001);
  CheckText circle("schema s { a: Int = 1 }\ns x = y { a = 2 }\ns y = z {}\ns z = y { a = 1 }\n");
  CHECK(circle.faults() == "E0310:5");
}

TEST_CASE("base.x is x without the body that says so, and late bound") {
  CheckText t(R"(
schema stack {
  stacks: Int = 5
  per_stack: Data = 16 GB
  capacity: Data = stacks * per_stack
}
schema machine {
  mem: stack = stack {}
  n: Int = 2
  children slot: stack
}
stack A = stack { capacity = base.capacity * 90% }
stack B = A { stacks = 10 }
stack C = B { capacity = base.capacity - 1 GB }
stack Late = C { per_stack = 32 GB }
machine M {
  mem { stacks = base.stacks * 2 }
  slot one { stacks = 1 }
}
machine N = M {
  mem { capacity = base.capacity * 2 }
  n = base.n + base.mem.stacks
  slot.one { stacks = base.stacks + 3 }
  new slot two { stacks = base.stacks + 10 }
}
schema view { derived seen: Int = N.slot.one.stacks * 100 + N.slot.two.stacks }
view V = view {}
)");
  CHECK(t.faults() == "");
  CHECK(t.number("A", "capacity") == Approx(72e9));
  CHECK(t.number("B", "capacity") == Approx(144e9));
  CHECK(t.number("C", "capacity") == Approx(143e9));
  CHECK(t.number("Late", "capacity") == Approx(287e9));
  CHECK(t.number("N", "n") == 12);
  CHECK(t.checker.real(t.checker.get(t.value("N", "mem").record, "capacity"), {}) ==
        std::optional<double>(320e9));
  CHECK(t.number("V", "seen") == 415);  // 1 + 3, and the 5 of the schema + 10
}

TEST_CASE("base where there is nothing below, and where it is another name") {
  CheckText t(R"(
schema s { q: Int; base: Int = 4; r: Int = 1 }
schema u { q: Int; r: Int = 1 }
u A { q = base.q + 1 }
u B { q = 1; r = base.rr }
s C { q = base + 1 }
u D { q = 1; r = base + 1 }
)");
  CHECK(t.faults() == "E0302:5 E0301:6 E0201:8");
  CHECK(t.number("C", "q") == 5);
  CheckText named("schema u { q: Int }\nu base { q = 1 }\nu A = base { q = base.q + 6 }\n"
                  "u B = A { q = base.q + 6 }\n");
  CHECK(named.faults() == "");
  CHECK(named.number("B", "q") == 7);
}

}  // namespace
}  // namespace sysdl::test
