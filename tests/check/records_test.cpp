// Records: late binding on chains of amends, identities of amending, children, scopes, cycles.
#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

const std::string kStack = R"(
schema stack {
  stacks: Int in 1..
  per_stack: Data = 16 GB
  capacity: Data = stacks * per_stack
  derived half: Data = capacity / 2
}
schema chip2 {
  children memory: stack
  clock: Frequency = 1 GHz
  total: Data = sum([m.capacity for m in memory])
}
)";

TEST_CASE("amending is late binding along a chain") {
  CheckText t(kStack + R"(
stack A { stacks = 5 }
stack B = A { stacks = 6 }
stack C = B { per_stack = 24 GB }
stack D = C { capacity = 1 GB }
stack E = D { stacks = 1 }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("A", "capacity") == 80e9);
  CHECK(t.number("B", "capacity") == 96e9);
  CHECK(t.number("C", "half") == 72e9);
  CHECK(t.number("D", "half") == 0.5e9);
  CHECK(t.number("E", "capacity") == 1e9);
  CHECK(t.number("A", "half") == 40e9);  // the base is unchanged
}

TEST_CASE("an empty amend changes nothing, disjoint amends commute, the last one wins") {
  CheckText t(kStack + R"(
stack A { stacks = 5 }
stack Same = A {}
stack XY = A { stacks = 7 } { per_stack = 8 GB }
stack YX = A { per_stack = 8 GB } { stacks = 7 }
stack Last = A { stacks = 7 } { stacks = 9 }
)");
  CHECK(t.faults() == "");
  for (const char* field : {"stacks", "per_stack", "capacity", "half"}) {
    CHECK(t.number("A", field) == t.number("Same", field));
    CHECK(t.number("XY", field) == t.number("YX", field));
  }
  CHECK(t.number("Last", "stacks") == 9);
}

TEST_CASE("children are amended by label, added by new, removed by drop") {
  CheckText t(kStack + R"(
chip2 A {
  memory hbm { stacks = 2 }
  memory ddr { stacks = 1 }
}
chip2 B = A {
  memory.hbm.stacks = 4
  new memory cxl { stacks = 10 }
  drop memory ddr
}
chip2 C = A { memory hbm { per_stack = 32 GB } }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("A", "total") == 48e9);
  CHECK(t.number("B", "total") == 64e9 + 160e9);
  CHECK(t.number("C", "total") == 80e9);
}

TEST_CASE("children of an amended copy bind to the copy") {
  CheckText t(R"(
schema part { count: Int }
schema board {
  n: Int
  children slot: part
}
board A {
  n = 3
  slot x { count = 2 * n }
}
board B = A { n = 5 }
schema view { b: board; derived seen: Int = b.slot.x.count }
view V = view { b = B }
view W = view { b = A }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("V", "seen") == 10);
  CHECK(t.number("W", "seen") == 6);
}

TEST_CASE("on the right of a name the name is the outer one") {
  CheckText t(R"(
schema inner { rate: Real }
schema outer {
  rate: Real
  part: inner = inner { rate = rate * 2 }
}
outer A { rate = 3 }
schema view { o: outer; derived seen: Real = o.part.rate }
view V = view { o = A }
)");
  CHECK(t.faults() == "");
  CHECK(t.number("V", "seen") == 6);
}

TEST_CASE("order of members and declarations has no meaning") {
  CheckText a(
      "schema s { a: Int = b + 1; b: Int = c * 2; c: Int }\ns X { c = 4 }\ns Y = X { b = 1 }\n");
  CheckText b(
      "s Y = X { b = 1 }\ns X { c = 4 }\nschema s { c: Int; b: Int = c * 2; a: Int = b + 1 }\n");
  CHECK(a.faults() == "");
  CHECK(b.faults() == "");
  for (const char* name : {"X", "Y"}) {
    for (const char* field : {"a", "b", "c"}) CHECK(a.number(name, field) == b.number(name, field));
  }
}

TEST_CASE("faults of records are found with their lines, in source order, without cascades") {
  CheckText t(kStack + R"(
stack A { stacks = 5; stack = 3 }
stack B { per_stack = 3 GB }
stack C { stacks = 0 }
stack D { stacks = 1; half = 2 GB }
stack E { stacks = 1; stacks = 2 }
chip2 F { memory hbm { stacks = 2 } }
chip2 G = F { memory ddr { stacks = 2 } }
chip2 H = F { drop memory ddr }
chip2 I = F { new memory hbm { stacks = 2 } }
chip2 J = F { memory.hbm = 3 }
stack K = F
stack L { stacks = 2.5 }
stack M { stacks = N.stacks }
stack N { stacks = M.stacks }
)");
  CHECK(t.faults() ==
        "E0301:15 E0302:16 E0309:17 E0304:18 E0303:19 E0306:21 E0308:22 E0307:23 E0305:24 E0305:25 "
        "E0411:26 E0310:27");
}

TEST_CASE("what follows the edition on its line counts") {
  CheckText t("");
  check::Module* module =
      t.checker.loadText("one_line.sysdl", "sysdl 2026; schema s { n: Nonsense }");
  REQUIRE(module);
  t.checker.checkModule(*module);
  CHECK(t.faults() == "E0202:1");
}

TEST_CASE("imports: by path, in circles, missing, and only once") {
  CheckText t("import \"lib/a.sysdl\" as a\nschema v { x: Int = a.A.n }\nv V = v {}\n",
              {{"lib/a.sysdl", "sysdl 2026\nimport \"b.sysdl\"\nb.s A { n = 3 }\n"},
               {"lib/b.sysdl", "sysdl 2026\nschema s { n: Int }\n"}});
  CHECK(t.faults() == "");
  CHECK(t.number("V", "x") == 3);
  CheckText circle("import \"a.sysdl\"\n", {{"a.sysdl", "sysdl 2026\nimport \"b.sysdl\"\n"},
                                            {"b.sysdl", "sysdl 2026\nimport \"a.sysdl\"\n"}});
  CHECK(circle.faults() == "E0204:2");
  CheckText missing("import \"c.sysdl\"\nimport std.chips.nvidea\n");
  CHECK(missing.faults() == "E0203:2 E0203:3");
}

TEST_CASE("the standard library itself has no faults") {
  CheckText t("");
  t.checker.checkLibrary();
  CHECK(t.faults() == "");
}

}  // namespace
}  // namespace sysdl::test
