// The builder of parts.
#include "tests/unit/part_builder.h"

#include <string>

namespace sysdl::test {
namespace {

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

}  // namespace

PartBuilder::PartBuilder(Design& design, std::string_view name, int64_t repeat) : design_(design) {
  part_.name = design.names.intern(name);
  part_.repeat = repeat;
}

TensorId PartBuilder::tensor(std::string_view name, const Axes& axes) {
  Tensor t;
  t.name = design_.names.intern(name);
  for (std::string_view axis : axes) t.axes.push_back(design_.axis(axis));
  t.elementBytes = 2;
  t.gradientElementBytes = 2;
  part_.tensors.push_back(std::move(t));
  return static_cast<TensorId>(part_.tensors.size() - 1);
}

TensorId PartBuilder::like(std::string_view name, TensorId x) {
  TensorId out = tensor(name, {});
  part_.tensors[out].axes = part_.tensors[x].axes;
  return out;
}

TensorId PartBuilder::parameter(std::string_view name, const Axes& axes) {
  TensorId id = tensor(name, axes);
  part_.tensors[id].parameter = true;
  part_.tensors[id].gradientElementBytes = 4;
  return id;
}

TensorId PartBuilder::input(std::string_view name, const Axes& axes) {
  part_.input = tensor(name, axes);
  part_.tensors[part_.input].residual = true;
  return part_.input;
}

void PartBuilder::output(TensorId id) {
  part_.output = id;
  part_.tensors[id].residual = true;
}

Operation& PartBuilder::apply(std::string_view name, std::vector<TensorId> inputs,
                              TensorId output) {
  Operation o;
  o.name = design_.names.intern(name);
  o.inputs = std::move(inputs);
  o.output = output;
  part_.operations.push_back(std::move(o));
  return part_.operations.back();
}

TensorId PartBuilder::add(std::string_view name, TensorId a, TensorId b) {
  TensorId out = like(name, a);
  const Tensor& left = part_.tensors[a];
  const Tensor& right = part_.tensors[b];
  part_.tensors[out].residual = (left.residual || right.residual) && !right.parameter;
  Operation& o = apply(name, {a, b}, out);
  o.kind = OperationKind::Add;
  o.linear = true;
  return out;
}

TensorId PartBuilder::contract(std::string_view name, TensorId x, const Axes& from, const Axes& to,
                               std::string_view parameterName) {
  Axes weightAxes = from, outAxes{"batch", "seq"};
  weightAxes.insert(weightAxes.end(), to.begin(), to.end());
  outAxes.insert(outAxes.end(), to.begin(), to.end());
  Axes sizes{"batch", "seq"};
  sizes.insert(sizes.end(), weightAxes.begin(), weightAxes.end());
  TensorId weight = parameter(parameterName, weightAxes);
  TensorId out = tensor(name, outAxes);
  Operation& o = apply(parameterName, {x, weight}, out);
  o.kind = OperationKind::Contract;
  o.linear = true;
  o.saves = {x};
  Product work{2, {}};
  for (uint32_t i = 0; i < sizes.size(); ++i) work.inputs.push_back(i);
  program(o, sizes, {work}, 0);
  return out;
}

TensorId PartBuilder::bias(std::string_view name, TensorId x, std::string_view parameterName) {
  TensorId weight = parameter(parameterName, {});
  const auto& axes = part_.tensors[x].axes;
  part_.tensors[weight].axes.assign(axes.begin() + 2, axes.end());
  return add(name, x, weight);
}

TensorId PartBuilder::norm(std::string_view name, TensorId x) {
  const std::string text(name);
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

TensorId PartBuilder::dropout(std::string_view name, TensorId x) {
  TensorId out = like(name, x);
  Operation& o = apply(name, {x}, out);
  program(o, {"batch", "seq", "hidden"}, {{0, {}}, {1, {0, 1, 2}}}, 1);
  return out;
}

void PartBuilder::program(Operation& operation, const Axes& sizes,
                          const std::vector<Product>& products, uint32_t buffers) {
  for (std::string_view axis : sizes) operation.sizes.push_back(design_.axis(axis));
  operation.program = static_cast<uint32_t>(design_.model.programs.size());
  design_.model.programs.push_back(productsOf(static_cast<uint32_t>(sizes.size()), products));
  KernelCost forward, backward;
  backward.backward = true;
  operation.kernels = {forward, backward, backward};
  const auto outputs = static_cast<uint32_t>(products.size());
  for (uint32_t i = outputs - buffers; i < outputs; ++i) {
    operation.buffers.push_back({operation.name, i});
  }
}

void PartBuilder::finish() { design_.model.parts.push_back(std::move(part_)); }

}  // namespace sysdl::test
