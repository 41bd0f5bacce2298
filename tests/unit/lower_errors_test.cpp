// What lowering reports: axes and layers that do not divide, unused tensors, networks too small.
#include <catch2/catch.hpp>

#include "tests/unit/part_builder.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

/// The design's source: spans of axes and mesh axes are made up from it.
struct Source {
  SourceMap map;
  Loc start = map.add("design.sysdl", std::string(1000, ' '));
  Span at(uint32_t offset) const { return {{start.offset + offset}, {start.offset + offset + 2}}; }
};

std::vector<Diagnostic> failed(Design& design, const Source& source = {}) {
  CHECK_FALSE(design.lowered());
  return design.diagnostics.sorted(source.map);
}

}  // namespace

TEST_CASE("an axis that does not divide is reported once, with what would", "[lower]") {
  Source source;
  GptSizes sizes;
  sizes.heads = 16;
  sizes.vocab = 1000;
  GptPlan plan;
  plan.tp = 6;
  Design design(sizes, plan);
  design.plan.mesh[kTp].span = source.at(10);
  design.model.axes[design.axis("heads")].span = source.at(100);
  auto list = failed(design, source);
  REQUIRE(list.size() == 3);  // heads, ffn (512), vocab
  for (const Diagnostic& d : list) {
    CHECK(d.code == Code::E0516);
    CHECK(d.labels.front().span == source.at(10));
    CHECK(d.labels.front().text == "tp = 6");
  }
  auto heads = std::find_if(list.begin(), list.end(), [](const Diagnostic& d) {
    return d.message == "axis `heads` of size 16 does not divide over tp = 6";
  });
  REQUIRE(heads != list.end());
  CHECK(heads->help == "tp can be 4 or 8");
  REQUIRE(heads->labels.size() == 2);
  CHECK(heads->labels[1].span == source.at(100));
  CHECK(heads->labels[1].text == "heads = 16");
}

TEST_CASE("a degree above the size of an axis", "[lower]") {
  GptSizes sizes;
  sizes.heads = 8;
  GptPlan plan;
  plan.tp = 16;
  Design design(sizes, plan);
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].message == "axis `heads` of size 8 does not divide over tp = 16");
  CHECK(list[0].help == "tp can be 8");
}

TEST_CASE("a sequence that does not divide where residual", "[lower]") {
  GptSizes sizes;
  sizes.seq = 63;
  GptPlan plan;
  plan.tp = 4;
  Design without(sizes, plan);
  CHECK(without.lowered());
  plan.sp = true;
  Design design(sizes, plan);
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].message == "axis `seq` of size 63 does not divide over tp = 4");
  CHECK(list[0].help == "tp can be 3 or 7");
}

TEST_CASE("key and value heads that cannot be replicated evenly", "[lower]") {
  GptSizes sizes;
  sizes.heads = 12;
  sizes.kvHeads = 4;
  sizes.hidden = 768;
  sizes.vocab = 768;
  GptPlan plan;
  plan.tp = 6;
  Design design(sizes, plan);
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].message == "axis `kv_heads` of size 4 does not divide over tp = 6");
  CHECK(list[0].help == "tp can be 4 or 8");
}

TEST_CASE("an axis on the mesh axis of the stages", "[lower]") {
  GptPlan plan;
  plan.pp = 2;
  Design design({}, plan);
  design.plan.shards.push_back({design.axis("vocab"), {kTp, kPp}, false, {}});
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].message == "axis `vocab` cannot lie on `pp`, which holds the pipeline's stages");
}

TEST_CASE("a network that is too small", "[lower]") {
  GptPlan plan;
  plan.tp = 8;
  plan.dp = 4;
  plan.pp = 4;
  Design design({}, plan);
  design.machine.levels[1].size = 8;
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].code == Code::E0605);
  CHECK(list[0].message == "the plan needs 128 devices, the network connects 64");
  CHECK(list[0].notes == std::vector<std::string>{"plan: tp 8 * dp 4 * pp 4 = 128",
                                                  "network: node 8 * cluster 8 = 64"});
  design.machine.levels.clear();
  CHECK_FALSE(design.lowered());
  plan.tp = plan.dp = plan.pp = 1;
  Design single({}, plan);
  single.machine.levels.clear();
  CHECK(single.lowered());
}

TEST_CASE("degrees whose product does not fit 64 bits", "[lower]") {
  GptPlan plan;
  plan.tp = plan.dp = plan.pp = int64_t{1} << 40;
  Design design({}, plan);
  auto list = failed(design);
  REQUIRE(list.size() == 1);
  CHECK(list[0].code == Code::E0605);
}

TEST_CASE("tensors and parameters that nothing uses", "[lower]") {
  Design design({}, {});
  PartBuilder b(design, "tail", 1);
  TensorId x = b.input("x", {"batch", "seq", "hidden"});
  b.parameter("unused", {"hidden"});
  b.contract("lost", x, {"hidden"}, {"ffn"}, "w");
  TensorId loss = b.tensor("loss", {"batch", "seq"});
  b.apply("loss", {x}, loss);
  b.finish();
  design.model.parts.erase(design.model.parts.begin() + kHead);
  auto list = failed(design);
  REQUIRE(list.size() == 2);
  CHECK(list[0].code == Code::E0602);
  CHECK(list[0].message == "parameter `unused` of `tail` is never used");
  CHECK(list[1].message == "tensor `lost` of `tail` is never used");
}

TEST_CASE("a mesh axis that shards nothing is a warning", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  plan.dp = 4;
  Design design({}, plan);
  design.plan.shards.pop_back();  // batch over dp
  CHECK(design.lowered());
  auto list = design.diagnostics.sorted(SourceMap());
  REQUIRE(list.size() == 1);
  CHECK(list[0].code == Code::W0605);
  CHECK(list[0].message == "mesh axis `dp` shards nothing: its 4 ranks all do the same work");
}

TEST_CASE("formulas of what is kept that fault are located", "[lower]") {
  Source source;
  Design design({}, {});
  Operation* attention = nullptr;
  for (Operation& o : design.model.parts[kLayer].operations) {
    if (design.names.text(o.name) == "attention") attention = &o;
  }
  REQUIRE(attention);
  attention->span = source.at(50);
  Program& program = design.model.programs[attention->program];
  program.constants[1] = wordOf(1e308);  // 5 bytes a score
  program.spans.assign(program.spans.size(), source.at(20));
  auto list = failed(design, source);
  REQUIRE(list.size() == 1);
  CHECK(list[0].code == Code::E0412);
  CHECK(list[0].labels.front().span == source.at(20));
  CHECK(list[0].labels[1].span == source.at(50));
}
