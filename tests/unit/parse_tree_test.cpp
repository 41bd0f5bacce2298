// Valid texts and the trees they make: one line a construct.
#include <catch2/catch.hpp>

#include "tests/unit/parse_support.h"

namespace {

using namespace sysdl;
using namespace sysdl::test;

struct Case {
  std::string text;
  std::string tree;
};

// clang-format off
const Case kItems[] = {
    {"import std.chips.nvidia",
     R"((Import "std.chips.nvidia" module))"},
    {"import std.chips.nvidia as nv",
     R"((Import nv "std.chips.nvidia" module))"},
    {R"(import "pods/selene.sysdl" as selene)",
     R"((Import selene "pods/selene.sysdl"))"},
    {"dimension Time",
     "(Dimension Time -)"},
    {"dimension Bandwidth = Data / Time",
     "(Dimension Bandwidth (/ Data Time))"},
    {"unit s: Time",
     "(Unit s Time - -)"},
    {"unit byte: Data prefixes decimal, binary = 8 bit",
     "(Unit byte Data 8[bit] (Names decimal binary))"},
    {"unit TB = 1000 GB prefixes decimal",
     "(Unit TB - 1000[GB] (Names decimal))"},
    {"unit %: Real = 0.01",
     "(Unit % Real 0.01 -)"},
    {"enum Format { fp16, bf16 }",
     "(Enum Format fp16 bf16)"},
    {"enum Kind {\n  source\n  input\n}",
     "(Enum Kind source input)"},
    {"abstract schema shape { }",
     "(Schema shape abstract - (Body))"},
    {"schema moe: gpt.decoder_model { }",
     "(Schema moe gpt.decoder_model (Body))"},
    {"operator norm(x: tensor[.., hidden], w: t? = a) { nonlinear }",
     "(Operator norm (Params (Param x (Type tensor (Type rest) hidden) -) (Param w (Type t optional) a)) (Body (Nonlinear)))"},
    {"block layer for m: model (x: tensor[batch, seq]) { yield x }",
     "(Block layer (Param m model -) (Params (Param x (Type tensor batch seq) -)) (Body (Yield x)))"},
    {"fn f(a: Int, b: Real = 2): map[Format, Rate] = a * b",
     "(Fn f (Params (Param a Int -) (Param b Real 2)) (Type map Format Rate) (* a b))"},
    {R"(test "a \"title\" {x}" { expect a == 1 s within 5% })",
     R"((Test "a \"title\" {x}" (Body (Expect (== a 1[s]) 5[%]))))"},
    {"chip A { }",
     "(Decl A chip (Body) -)"},
    {"chip B = A { x = 1 }",
     "(Decl B chip - (Amend A (Body (Assign (Path x) 1 -))))"},
    {"gpt.model C = base",
     "(Decl C gpt.model - base)"},
    {"source over = 3",
     "(Decl over source - 3)"},
};

const Case kMembers[] = {
    {"heads: Int in 1.. = hidden",
     "(Field heads Int (Range 1 -) hidden -)"},
    {"zero: Int in 0..3 = 0",
     "(Field zero Int (Range 0 3) 0 -)"},
    {R"(rate: Real? = 3 source "page 2" as fitted)",
     R"((Field rate (Type Real optional) - 3 (Origin fitted "page 2")))"},
    {"x: std.process.node in list",
     "(Field x std.process.node list - -)"},
    {"derived work: Work = 2 FLOP * m",
     "(Field work derived Work - (* 2[FLOP] m) -)"},
    {"derived result t: Time",
     "(Field t derived result Time - - -)"},
    {"input m: Int",
     "(Field m input Int - - -)"},
    {"result: Int",
     "(Field result Int - - -)"},
    {"input result: Time",
     "(Field result input Time - - -)"},
    {"children memory: memory_level",
     "(Children memory memory_level)"},
    {R"(rate[bf16] = 312 TFLOP/s source "A100 data sheet" as datasheet)",
     R"((Assign (Path rate (PathIndex bf16)) 312[TFLOP/s] (Origin datasheet "A100 data sheet")))"},
    {"memory.hbm[0].stacks = 4",
     "(Assign (Path memory hbm (PathIndex 0) stacks) 4 -)"},
    {"plan { sp = false; recompute = full }",
     "(Nest (Path plan) (Body (Assign (Path sp) false -) (Assign (Path recompute) full -)))"},
    {"memory.hbm { stacks = 4 }",
     "(Nest (Path memory hbm) (Body (Assign (Path stacks) 4 -)))"},
    {"engine tensor { rate = 1 }",
     "(Child tensor engine (Body (Assign (Path rate) 1 -)) -)"},
    {"mesh dense = [tp, cp]",
     "(Child dense mesh - (List tp cp))"},
    {"level over { }",
     "(Child over level (Body) -)"},
    {"store main { }",
     "(Child main store (Body) -)"},
    {"new memory hbm = base",
     "(Child hbm new memory - base)"},
    {"drop memory hbm",
     "(Child hbm drop memory - -)"},
    {"let y = x + a @ w_o",
     "(Let y (+ x (@ a w_o)))"},
    {"require tp * cp == devices as E0510",
     "(Require E0510 (== (* tp cp) devices) -)"},
    {"require a <= b\n  else \"no {a.b} of {{x}}\"",
     "(Require (<= a b) (Text 'no ' (Select b a) ' of {x}'))"},
    {R"(warn if bubble > 20%: "bubble is {bubble}")",
     "(Warn (> bubble 20[%]) (Text 'bubble is ' bubble))"},
    {R"(source "Thakur, \"2005\"" as datasheet)",
     R"((Origin datasheet "Thakur, \"2005\""))"},
    {"param norm: [hidden]",
     "(Weight norm - (Names hidden) -)"},
    {"param w_q: [hidden -> heads, head_dim]",
     "(Weight w_q - (Names hidden) (Names heads head_dim))"},
    {"param w: [experts: hidden -> ffn]",
     "(Weight w (Names experts) (Names hidden) (Names ffn))"},
    {"fuse w_q, w_k,\n  w_v",
     "(Fuse (Names w_q w_k w_v))"},
    {"shard seq over tp if sp where residual",
     "(Shard (Names seq) tp sp residual)"},
    {"shard heads, kv_heads over tp",
     "(Shard (Names heads kv_heads) tp - -)"},
    {"store weights over dp * cp if zero >= 3",
     "(Store (Names weights) (* dp cp) (>= zero 3))"},
    {"stages over pp",
     "(Stages pp)"},
    {"nonlinear",
     "(Nonlinear)"},
    {"yield y + combine(f, r)",
     "(Yield (+ y (Call combine (= f) (= r))))"},
    {"yield [a, b]",
     "(Yield (List a b))"},
    {"yield[a] = b",
     "(Assign (Path yield (PathIndex a)) b -)"},
    {"yield = 0.9",
     "(Assign (Path yield) 0.9 -)"},
    {"sweep plan.tp in [1, 2]",
     "(Sweep (Path plan tp) (List 1 2))"},
    {"keep where fits",
     "(Keep fits)"},
    {"pareto min a.b, max 5 min",
     "(Pareto (Goal min (Select b a)) (Goal max 5[min]))"},
    {"top 20 by step_time",
     "(Top 20 step_time)"},
    {"minimize cost.per_step",
     "(Best min (Select per_step cost))"},
    {"maximize (a)",
     "(Best max (Group a))"},
    {"minimize: Int",
     "(Field minimize Int - - -)"},
    {"plot a against b.c",
     "(Plot a (Select c b))"},
    {"expect (design { a = 1 }).x == 1 s within 5%",
     "(Expect (== (Select x (Group (Amend design (Body (Assign (Path a) 1 -))))) 1[s]) 5[%])"},
    {"expect a <= b",
     "(Expect (<= a b) -)"},
    {"source = 3",
     "(Assign (Path source) 3 -)"},
    {"top: Int",
     "(Field top Int - - -)"},
};

const Case kExpressions[] = {
    {"1_000.5e-3 TFLOP/s",
     "1_000.5e-3[TFLOP/s]"},
    {"5% + 5 %",
     "(+ 5[%] 5[%])"},
    {"80 GB",
     "80[GB]"},
    {"9 defect/cm^2",
     "9[defect/cm^2]"},
    {"5 min",
     "5[min]"},
    {"0..1",
     "(Range 0 1)"},
    {"a.b.c[1].d",
     "(Select d (Index (Select c (Select b a)) 1))"},
    {"f(x, causal = true, k = m.k,)",
     "(Call f (= x) (causal = true) (k = (Select k m)))"},
    {"a + b * c ^ d ^ e",
     "(+ a (* b (^ c (^ d e))))"},
    {"-a ^ 2 * b",
     "(* (Negate (^ a 2)) b)"},
    {"2 ^ -1",
     "(^ 2 (Negate 1))"},
    {"not a == b and c or not d",
     "(or (and (Not (== a b)) c) (Not d))"},
    {"a - b - c",
     "(- (- a b) c)"},
    {"a mod b @ c",
     "(@ (mod a b) c)"},
    {"(a + b) * c",
     "(* (Group (+ a b)) c)"},
    {"if a > 1 then b else if c then d else e",
     "(If (> a 1) b (If c d e))"},
    {"if a\n  then b\n  else c",
     "(If a b c)"},
    {"[]",
     "(List)"},
    {R"([1, 2 GB, "x"])",
     "(List 1 2[GB] (Text 'x'))"},
    {"[x * 2 for x in list if x > 1]",
     "(Comprehension x (* x 2) list (> x 1))"},
    {"A { b = 1; c { d = 2 } }.e",
     "(Select e (Amend A (Body (Assign (Path b) 1 -) (Nest (Path c) (Body (Assign (Path d) 2 -))))))"},
    {R"("plain")",
     "(Text 'plain')"},
    {R"("")",
     "(Text)"},
    {R"("a {b.c} d{e}")",
     "(Text 'a ' (Select c b) ' d' e)"},
    {R"("tab\t quote\" brace {{ }} {x}")",
     "(Text 'tab\t quote\" brace { } ' x)"},
    {"a +\n  b",
     "(+ a b)"},
    {"f(a,\n  b = 1\n)",
     "(Call f (= a) (b = 1))"},
    {"1..experts",
     "(Range 1 experts)"},
    {"µ + μ",
     "(+ µ μ)"},
};
// clang-format on

}  // namespace

TEST_CASE("parse: declarations", "[parse]") {
  for (const Case& c : kItems) {
    INFO(c.text);
    CHECK(treeOf("sysdl 2026\n" + c.text, As::File) == c.tree);
  }
}

TEST_CASE("parse: members", "[parse]") {
  for (const Case& c : kMembers) {
    INFO(c.text);
    CHECK(treeOf(c.text, As::Member) == c.tree);
    // The same inside of a file.
    Parsed parsed("sysdl 2026\nschema a {\n  " + c.text + "\n}\n");
    CHECK(parsed.errors().empty());
  }
}

TEST_CASE("parse: expressions", "[parse]") {
  for (const Case& c : kExpressions) {
    INFO(c.text);
    CHECK(treeOf(c.text, As::Expression) == c.tree);
    CHECK(treeOf("x = " + c.text, As::Member).find(c.tree) != std::string::npos);
  }
}
