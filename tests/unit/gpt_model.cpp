// Builds the parts of a GPT operation by operation.
#include "tests/unit/gpt_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frontend/lower/lower.h"

namespace sysdl::test {
namespace {

/// factor * the product of some of a program's inputs.
struct Product {
  double factor = 1;
  std::vector<uint32_t> inputs;
};

/// A program with one Real output for each product.
Program productsOf(uint32_t inputCount, const std::vector<Product>& products) {
  Program program;
  program.inputCount = inputCount;
  program.inputTypes.assign(inputCount, Number::Int);
  for (const Product& product : products) program.constants.push_back(wordOf(product.factor));
  const uint32_t constants = inputCount;
  auto next = static_cast<uint32_t>(inputCount + products.size());
  auto add = [&](Opcode op, uint32_t a, uint32_t b) {
    program.code.push_back({op, next, a, b, 0});
    program.spans.push_back({});
    return next++;
  };
  for (uint32_t p = 0; p < products.size(); ++p) {
    uint32_t value = constants + p;
    for (uint32_t input : products[p].inputs) {
      value = add(Opcode::MultiplyF, value, add(Opcode::IntToReal, input, input));
    }
    program.outputs.push_back(value);
    program.outputTypes.push_back(Number::Real);
  }
  return program;
}

class PartBuilder {
public:
  PartBuilder(Design& design, std::string_view name, int64_t repeat) : design_(design) {
    part_.name = design.names.intern(name);
    part_.repeat = repeat;
  }

  TensorId tensor(std::string_view name, const std::vector<std::string_view>& axes) {
    Tensor t;
    t.name = design_.names.intern(name);
    for (std::string_view axis : axes) t.axes.push_back(design_.axis(axis));
    t.elementBytes = 2;
    t.gradientElementBytes = 2;
    part_.tensors.push_back(std::move(t));
    return static_cast<TensorId>(part_.tensors.size() - 1);
  }
  TensorId parameter(std::string_view name, const std::vector<std::string_view>& axes) {
    TensorId id = tensor(name, axes);
    part_.tensors[id].parameter = true;
    part_.tensors[id].gradientElementBytes = 4;
    return id;
  }
  TensorId input(std::string_view name, const std::vector<std::string_view>& axes) {
    part_.input = tensor(name, axes);
    part_.tensors[part_.input].residual = true;
    return part_.input;
  }
  void output(TensorId id) {
    part_.output = id;
    part_.tensors[id].residual = true;
  }
  Tensor& at(TensorId id) { return part_.tensors[id]; }

  Operation& apply(std::string_view name, std::vector<TensorId> inputs, TensorId output) {
    Operation o;
    o.name = design_.names.intern(name);
    o.inputs = std::move(inputs);
    o.output = output;
    part_.operations.push_back(std::move(o));
    return part_.operations.back();
  }
  TensorId add(std::string_view name, TensorId a, TensorId b) {
    TensorId out = like(name, a);
    part_.tensors[out].residual =
        part_.tensors[a].residual && (part_.tensors[b].residual || !part_.tensors[b].parameter);
    Operation& o = apply(name, {a, b}, out);
    o.kind = OperationKind::Add;
    o.linear = true;
    return out;
  }
  /// x @ weight, with the FLOP of a matrix product: forward once, backward twice.
  TensorId contract(std::string_view name, TensorId x, const std::vector<std::string_view>& from,
                    const std::vector<std::string_view>& to, std::string_view parameterName) {
    std::vector<std::string_view> axes = from, outAxes, all{"batch", "seq"};
    axes.insert(axes.end(), to.begin(), to.end());
    all.insert(all.end(), axes.begin(), axes.end());
    outAxes = {"batch", "seq"};
    outAxes.insert(outAxes.end(), to.begin(), to.end());
    TensorId weight = parameter(parameterName, axes);
    TensorId out = tensor(name, outAxes);
    Operation& o = apply(parameterName, {x, weight}, out);
    o.kind = OperationKind::Contract;
    o.linear = true;
    o.saves = {x};
    program(o, all, {{2, {0, 1, 2, 3, 4}}}, 0);
    return out;
  }
  TensorId bias(std::string_view name, TensorId x, std::string_view parameterName) {
    std::vector<std::string_view> axes;
    for (size_t i = 2; i < part_.tensors[x].axes.size(); ++i) {
      axes.push_back(design_.names.text(design_.model.axes[part_.tensors[x].axes[i]].name));
    }
    TensorId weight = parameter(parameterName, axes);
    return add(name, x, weight);
  }
  TensorId norm(std::string_view name, TensorId x) {
    std::string text(name);
    TensorId gain = parameter(text + ".gain", {"hidden"});
    TensorId shift = parameter(text + ".shift", {"hidden"});
    TensorId out = like(name, x);
    Operation& o = apply(name, {x, gain, shift}, out);
    o.reduces = {design_.axis("hidden")};
    o.statistics = 2;
    o.backwardStatistics = 2;
    o.saves = {x};
    return out;
  }
  TensorId dropout(std::string_view name, TensorId x) {
    TensorId out = like(name, x);
    Operation& o = apply(name, {x}, out);
    program(o, {"batch", "seq", "hidden"}, {{0, {}}, {1, {0, 1, 2}}}, 1);
    return out;
  }
  TensorId like(std::string_view name, TensorId x) {
    TensorId out = tensor(name, {});
    part_.tensors[out].axes = part_.tensors[x].axes;
    return out;
  }
  /// A program whose first output is the work of the forward kernel (backward: two such kernels)
  /// and whose last `buffers` ones are bytes kept for backward. Fewer sizes than inputs are fine.
  void program(Operation& o, const std::vector<std::string_view>& sizes,
               std::vector<Product> products, uint32_t buffers) {
    for (std::string_view axis : sizes) o.sizes.push_back(design_.axis(axis));
    for (Product& p : products) {
      std::erase_if(p.inputs, [&](uint32_t i) { return i >= sizes.size(); });
    }
    const auto outputs = static_cast<uint32_t>(products.size());
    o.program = static_cast<uint32_t>(design_.model.programs.size());
    design_.model.programs.push_back(productsOf(static_cast<uint32_t>(sizes.size()), products));
    KernelCost cost;
    o.kernels = {cost, cost, cost};
    o.kernels[1].backward = o.kernels[2].backward = true;
    for (uint32_t i = outputs - buffers; i < outputs; ++i) o.buffers.push_back({o.name, i});
  }
  void finish() { design_.model.parts.push_back(std::move(part_)); }

private:
  Design& design_;
  Part part_;
};

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
