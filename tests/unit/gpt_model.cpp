// Builds the parts of a GPT operation by operation.
#include "tests/unit/gpt_model.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "frontend/lower/lower.h"
#include "tests/unit/part_builder.h"

namespace sysdl::test {
namespace {

void addEmbedding(Design& design, const GptSizes& sizes) {
  PartBuilder b(design, "embedding", 1);
  TensorId tokens = b.tensor("tokens", {"batch", "seq"});
  TensorId table = b.parameter("embedding.words", {"vocab", "hidden"});
  if (sizes.tied) b.at(table).tiedTo = design.names.intern("words");
  TensorId x = b.tensor("embedded", {"batch", "seq", "hidden"});
  b.apply("embedding", {tokens, table}, x).linear = true;
  if (sizes.positions) {
    TensorId positions = b.parameter("embedding.positions", {"seq", "hidden"});
    x = b.add("positioned", x, positions);
  }
  x = b.dropout("embedding.dropout", x);
  b.output(x);
  b.finish();
}

void addLayer(Design& design, const GptSizes& sizes) {
  const bool grouped = sizes.kvHeads != 0;
  const std::string_view kv = grouped ? "kv_heads" : "heads";
  PartBuilder b(design, "layer", sizes.layers);
  TensorId x = b.input("x", {"batch", "seq", "hidden"});
  TensorId h = b.norm("norm_1", x);
  TensorId q = b.contract("q0", h, {"hidden"}, {"heads", "head_dim"}, "attention.w_q");
  TensorId k = b.contract("k0", h, {"hidden"}, {kv, "head_dim"}, "attention.w_k");
  TensorId v = b.contract("v0", h, {"hidden"}, {kv, "head_dim"}, "attention.w_v");
  q = b.bias("q", q, "attention.b_q");
  k = b.bias("k", k, "attention.b_k");
  v = b.bias("v", v, "attention.b_v");
  TensorId context = b.tensor("context", {"batch", "seq", "heads", "head_dim"});
  Operation& attention = b.apply("attention", {q, k, v}, context);
  attention.saves = {q, k, v};
  attention.recomputedWhenSelective = true;
  // Two products of b * a * s * s * d each, and scores of 2 + 1 + 2 bytes.
  b.program(attention, {"batch", "seq", "heads", "head_dim"},
            {{4, {0, 1, 1, 2, 3}}, {5, {0, 2, 1, 1}}}, 1);
  TensorId a = b.contract("o0", context, {"heads", "head_dim"}, {"hidden"}, "attention.w_o");
  a = b.bias("o", a, "attention.b_o");
  a = b.dropout("attention.dropout", a);
  TensorId y = b.add("y", x, a);
  h = b.norm("norm_2", y);
  TensorId f = b.contract("f0", h, {"hidden"}, {"ffn"}, "ffn.w_1");
  f = b.bias("f", f, "ffn.b_1");
  TensorId g = b.like("g", f);
  b.apply("gelu", {f}, g).saves = {f};
  TensorId z = b.contract("z0", g, {"ffn"}, {"hidden"}, "ffn.w_2");
  z = b.bias("z", z, "ffn.b_2");
  z = b.dropout("ffn.dropout", z);
  b.output(b.add("out", y, z));
  b.finish();
}

void addHead(Design& design, const GptSizes& sizes) {
  PartBuilder b(design, "head", 1);
  TensorId x = b.input("x", {"batch", "seq", "hidden"});
  TensorId h = b.norm("norm", x);
  TensorId logits = b.contract("logits", h, {"hidden"}, {"vocab"}, "head.w");
  if (sizes.tied) b.at(logits - 1).tiedTo = design.names.intern("words");
  TensorId loss = b.tensor("loss", {"batch", "seq"});
  Operation& o = b.apply("cross_entropy", {logits}, loss);
  o.reduces = {design.axis("vocab")};
  o.statistics = 3;
  o.saves = {logits};
  b.finish();
}

}  // namespace

Design::Design(const GptSizes& sizes, const GptPlan& p) {
  auto add = [&](std::string_view name, int64_t size) {
    model.axes.push_back({names.intern(name), size, kNone, {}});
    return static_cast<AxisId>(model.axes.size() - 1);
  };
  model.batch = add("batch", sizes.batch);
  add("seq", sizes.seq);
  add("hidden", sizes.hidden);
  AxisId heads = add("heads", sizes.heads);
  AxisId kvHeads = add("kv_heads", sizes.kvHeads ? sizes.kvHeads : sizes.heads);
  if (sizes.kvHeads) model.axes[heads].groupedBy = kvHeads;
  add("head_dim", sizes.hidden / sizes.heads);
  add("ffn", 4 * sizes.hidden);
  add("vocab", sizes.vocab);
  addEmbedding(*this, sizes);
  addLayer(*this, sizes);
  addHead(*this, sizes);

  plan.mesh = {{names.intern("tp"), p.tp, {}},
               {names.intern("dp"), p.dp, {}},
               {names.intern("pp"), p.pp, {}}};
  for (std::string_view name : {"heads", "kv_heads", "ffn", "vocab"}) {
    plan.shards.push_back({axis(name), {kTp}, false, {}});
  }
  if (p.sp) plan.shards.push_back({axis("seq"), {kTp}, true, {}});
  plan.shards.push_back({axis("batch"), {kDp}, false, {}});
  const Stored stored[] = {Stored::OptimizerState, Stored::Gradients, Stored::Weights};
  for (int i = 0; i < p.zero; ++i) plan.stores.push_back({stored[i], {kDp}, {}});
  plan.stages = kPp;
  plan.data = kDp;
  plan.schedule.chunks = p.chunks;
  if (p.chunks > 1) plan.schedule.kind = ScheduleKind::Interleaved;
  plan.recompute = p.recompute;
  machine.levels = {{names.intern("node"), 8}, {names.intern("cluster"), 1 << 20}};
  optimizer.stateBytes = 12;
  optimizer.gradientBytes = 4;
}

std::optional<Graph> Design::lowered() {
  return lower(model, plan, machine, optimizer, names, diagnostics);
}

Graph Design::graph() {
  std::optional<Graph> result = lowered();
  for (const Diagnostic& d : diagnostics.sorted(SourceMap())) {
    UNSCOPED_INFO(nameOf(d.code) << ": " << d.message);
  }
  REQUIRE(result.has_value());
  return *std::move(result);
}

AxisId Design::axis(std::string_view name) const {
  for (AxisId id = 0; id < model.axes.size(); ++id) {
    if (names.text(model.axes[id].name) == name) return id;
  }
  FAIL("no axis " << name);
  return kNone;
}

const Part& Design::part(std::string_view name) const {
  for (const Part& p : model.parts) {
    if (names.text(p.name) == name) return p;
  }
  FAIL("no part " << name);
  return model.parts.front();
}

int64_t countCollectives(const Graph& graph, const std::vector<Issue>& issues, CollectiveKind kind,
                         MeshAxisId axis) {
  return std::count_if(issues.begin(), issues.end(), [&](const Issue& issue) {
    if (!issue.collective) return false;
    const CollectiveNode& node = graph.collectives[issue.index];
    return node.kind == kind && node.group.axes == std::vector<MeshAxisId>{axis};
  });
}

int64_t countCollectives(const Graph&, const std::vector<Issue>& issues) {
  return std::count_if(issues.begin(), issues.end(), [](const Issue& i) { return i.collective; });
}

}  // namespace sysdl::test
