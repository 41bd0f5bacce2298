// Operations: operators called on tensors, with their kernels compiled over local axis sizes.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/model/builder.h"
#include "frontend/model/kernel.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

namespace {

constexpr std::string_view kTensorBuiltins[] = {
    "apart", "bytes", "elements", "fill", "format_of", "kept", "product_format", "shared", "whole"};

bool contains(const std::vector<AxisId>& axes, AxisId axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

}  // namespace

bool ModelBuilder::isBuiltin(std::string_view name) const {
  return std::ranges::find(kTensorBuiltins, name) != std::end(kTensorBuiltins);
}

std::string ModelBuilder::axesText(const std::vector<AxisId>& axes) {
  std::string text;
  for (AxisId axis : axes)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", c_.str(model_.axes[axis].name));
  return "[" + text + "]";
}

Name ModelBuilder::uniqueName(std::string_view wanted) {
  int uses = ++usedNames_[c_.name(wanted).id];
  return uses == 1 ? c_.name(wanted) : c_.name(fmt::format("{}_{}", wanted, uses));
}

Value ModelBuilder::productOf(const std::vector<AxisId>& axes, Span span) {
  Value result = c_.integerValue(1, span);
  for (AxisId axis : axes) {
    Value size = this->axis(model_.axes[axis].name, span);
    result = c_.apply(Opcode::MultiplyI, Number::Int, {}, span, result, size);
  }
  return result;
}

/// Elements of one device's part of a tensor, as the operation being costed takes it.
Value ModelBuilder::elementsOf(const TensorValue& tensor, Span span) {
  Value result = c_.integerValue(1, span);
  for (AxisId axis : tensor.axes) {
    bool isWhole = std::ranges::any_of(
        whole_, [&](const WholeAlong& w) { return w.tensor == tensor.id && w.axis == axis; });
    Value size = isWhole ? c_.integerValue(model_.axes[axis].size, span)
                         : this->axis(model_.axes[axis].name, span);
    result = c_.apply(Opcode::MultiplyI, Number::Int, {}, span, result, size);
  }
  return result;
}

Value ModelBuilder::builtin(std::string_view name, const std::vector<Value>& arguments, Span span) {
  for (const Value& argument : arguments) {
    if (argument.bad()) return {};
  }
  auto isTensor = [](const Value& v) { return v.kind == ValueKind::Tensor; };
  if (name == "whole") {
    // The size of an axis on all devices together.
    for (const auto& [axis, size] : sizes_) {
      if (costing_ && arguments.size() == 1 && arguments[0].scalar() &&
          arguments[0].formula.index == size.index)
        return c_.integerValue(model_.axes[axis].size, span);
    }
    c_.diagnostics.report(Code::E0313, span, "`whole` takes an axis of an operator's tensors");
    return {};
  }
  size_t wanted = name == "kept" || name == "shared" || name == "apart" ? 2 : 1;
  bool ok = arguments.size() == wanted && costing_;
  auto isTensors = [&](const Value& v) {
    return v.kind == ValueKind::List && !v.list->items.empty() &&
           std::ranges::all_of(v.list->items, isTensor);
  };
  for (const Value& argument : arguments) ok &= isTensor(argument) || isTensors(argument);
  if (!ok) {
    c_.diagnostics.report(Code::E0313, span,
                          fmt::format("`{}` takes {} of an operator", name,
                                      wanted == 1 ? "a tensor" : "two tensors"));
    return {};
  }
  if (name == "format_of") return c_.get(context_.precision, "activations");
  if (name == "product_format") return c_.get(context_.precision, "compute");
  auto firstOf = [&](const Value& v) -> const TensorValue& {
    return isTensor(v) ? *v.tensor : *v.list->items.front().tensor;
  };
  auto axesOf = [&](const Value& v) -> const std::vector<AxisId>& { return firstOf(v).axes; };
  if (name == "fill") {
    // What of a tensor is no padding.
    double share = 1;
    for (AxisId axis : axesOf(arguments[0])) {
      const Axis& a = model_.axes[axis];
      if (a.unpadded) share *= static_cast<double>(a.unpadded) / static_cast<double>(a.size);
    }
    return c_.realValue(share, {}, span);
  }
  if (name == "elements" || name == "bytes") {
    Value count = elementsOf(firstOf(arguments[0]), span);
    if (name == "elements") return count;
    bool weight = isTensor(arguments[0]) && arguments[0].tensor->isWeight;
    Value size = c_.get(context_.precision, weight ? "weight_size" : "activation_size");
    if (size.bad()) return {};
    return c_.apply(Opcode::MultiplyF, Number::Real, size.dimension, span, c_.toReal(count, span),
                    size);
  }
  // kept: axes of the first that the second has not; of several weights, all that they make together.
  // shared: those of both, without those that a weight keeps apart; apart: these.
  const std::vector<AxisId>& other = axesOf(arguments[1]);
  bool wantShared = name == "shared";
  std::vector<AxisId> keptApart = firstOf(arguments[0]).apart;
  if (keptApart.empty()) keptApart = firstOf(arguments[1]).apart;
  if (name == "apart") return productOf(keptApart, span);
  std::vector<Value> firsts{arguments[0]};
  if (arguments[0].kind == ValueKind::List && !wantShared) firsts = arguments[0].list->items;
  Value sum;
  for (const Value& first : firsts) {
    std::vector<AxisId> axes;
    for (AxisId axis : axesOf(first)) {
      if (contains(keptApart, axis)) continue;
      if (contains(other, axis) == wantShared) axes.push_back(axis);
    }
    Value product = productOf(axes, span);
    sum = sum.bad() ? product : c_.apply(Opcode::AddI, Number::Int, {}, span, sum, product);
  }
  return sum;
}

Value ModelBuilder::binary(syntax::Op op, const Value& a, const Value& b, NodeId) {
  if (a.kind != ValueKind::Tensor || b.kind != ValueKind::Tensor) {
    const Value& tensor = a.kind == ValueKind::Tensor ? a : b;
    c_.diagnostics.report(Code::E0601, part_.tensors[tensor.tensor->id].span,
                          fmt::format("a tensor cannot be combined with {}",
                                      c_.describeKind(a.kind == ValueKind::Tensor ? b : a)));
    return {};
  }
  Span span = part_.tensors[b.tensor->id].span;
  if (op == syntax::Op::Contract) return contract(a, b, span);
  std::string_view name = op == syntax::Op::Add        ? "add"
                          : op == syntax::Op::Multiply ? "multiply"
                                                       : "";
  const Declaration* declaration = name.empty() ? nullptr : c_.preludeDeclaration(name);
  if (!declaration) {
    c_.diagnostics.report(Code::E0601, span, "tensors combine by `@`, `+` and `*` only");
    return {};
  }
  return operate(*declaration, {{c_.name("x"), a}, {c_.name("y"), b}}, uniqueName(name), span);
}

Value ModelBuilder::contract(const Value& x, const Value& w, Span span) {
  if (!w.tensor->isWeight || w.tensor->from.empty()) {
    c_.diagnostics.report(Code::E0601, span,
                          "`@` takes a weight on its right, declared `[from -> to]`");
    return {};
  }
  for (AxisId axis : w.tensor->from) {
    if (contains(x.tensor->axes, axis)) continue;
    c_.diagnostics.report(Code::E0601, span,
                          fmt::format("`{}` contracts `{}`, which its input {} has not",
                                      c_.str(part_.tensors[w.tensor->id].name),
                                      c_.str(model_.axes[axis].name), axesText(x.tensor->axes)),
                          "this weight");
    return {};
  }
  // Weights that are fused run as one kernel, charged to the first of them for each input.
  std::vector<Value> weights{w};
  auto group = fused_.find(w.tensor->id);
  if (group != fused_.end()) {
    auto key = std::pair(x.tensor->id, group->second.front());
    bool first = charged_.try_emplace(key, true).second;
    weights.clear();
    if (first) {
      for (TensorId id : group->second) {
        auto value = std::ranges::find(tensors_, id, &TensorValue::id);
        Value v;
        v.kind = ValueKind::Tensor;
        v.tensor = &*value;
        weights.push_back(v);
      }
    }
  }
  const Declaration* declaration = c_.preludeDeclaration("contract");
  if (!declaration) return {};
  Operation operation;
  operation.kind = OperationKind::Contract;
  operation.name = uniqueName(c_.str(part_.tensors[w.tensor->id].name));
  operation.linear = true;
  operation.inputs = {x.tensor->id, w.tensor->id};
  operation.span = span;
  if (weights.empty()) {
    operation.saves = {x.tensor->id};
  } else {
    Arguments arguments{{c_.name("x"), x}, {c_.name("weights"), c_.listValue(weights)}};
    if (!costs(*declaration, partsOf(*declaration), arguments, operation)) return {};
  }
  std::vector<AxisId> axes;
  for (AxisId axis : x.tensor->axes) {
    if (!contains(w.tensor->from, axis)) axes.push_back(axis);
  }
  for (AxisId axis : w.tensor->to) axes.push_back(axis);
  return finish(std::move(operation), std::move(axes), false, span);
}

Value ModelBuilder::finish(Operation operation, std::vector<AxisId> axes, bool residual,
                           Span span) {
  TensorId id = newTensor(label_ ? label_ : operation.name, axes, span);
  part_.tensors[id].residual = residual;
  operation.output = id;
  part_.operations.push_back(std::move(operation));
  TensorValue value;
  value.id = id;
  value.axes = std::move(axes);
  return tensorValue(std::move(value));
}

Value ModelBuilder::call(const Declaration& op, NodeId call, const Frame* frame) {
  const syntax::Tree& ot = op.module->tree;
  const syntax::Tree& t = frame->module->tree;
  const bool isBlock = op.kind == DeclarationKind::Block;
  auto params = ot.children(ot.child(op.node, isBlock ? 1 : 0));
  std::string_view opName = c_.str(ot[op.node].name);
  Span span = t[call].span;
  Arguments arguments;
  std::vector<NodeId> given(params.size());
  size_t position = 0;
  for (NodeId argument : t.children(call).subspan(1)) {
    size_t index = position;
    if (t[argument].name) {
      for (index = 0; index < params.size() && !(ot[params[index]].name == t[argument].name);)
        ++index;
    } else {
      ++position;
    }
    if (index >= params.size() || given[index].valid()) {
      c_.diagnostics.report(Code::E0313, t[argument].span,
                            fmt::format("`{}` does not take this argument", opName));
      return {};
    }
    given[index] = t.child(argument, 0);
  }
  Name label = label_;
  label_ = {};
  Frame* inner = c_.newFrame(&op.module->frame, op.module);
  for (size_t i = 0; i < params.size(); ++i) {
    NodeId preset = ot.child(params[i], 1);
    Value value;
    std::string what = fmt::format("`{}` of `{}`", c_.str(ot[params[i]].name), opName);
    if (given[i].valid()) {
      value = c_.evaluateTo(given[i], frame, *op.module, ot.child(params[i], 0), what);
    } else if (preset.valid()) {
      value = c_.evaluateTo(preset, inner, *op.module, ot.child(params[i], 0), what);
    } else {
      c_.diagnostics.report(Code::E0313, span,
                            fmt::format("`{}` needs `{}`", opName, c_.str(ot[params[i]].name)));
    }
    if (value.bad()) return {};
    arguments.emplace_back(ot[params[i]].name, value);
    inner->locals.emplace_back(ot[params[i]].name, value);
  }
  label_ = label;
  if (isBlock) return inlined(op, arguments, inner, span);
  return operate(op, arguments, uniqueName(opName), span);
}

OperatorParts ModelBuilder::partsOf(const Declaration& op) {
  const syntax::Tree& t = op.module->tree;
  OperatorParts parts;
  for (NodeId member : t.children(t.child(op.node, 1))) {
    const Node& n = t[member];
    if (n.kind == Kind::Nonlinear) parts.nonlinear = true;
    if (n.kind == Kind::Yield) parts.yield = t.child(member, 0);
    if (n.kind != Kind::Assign) continue;
    std::string_view name = c_.str(t[t.child(t.child(member, 0), 0)].name);
    NodeId value = t.child(member, 1);
    if (name == "forward")
      parts.forward = value;
    else if (name == "backward")
      parts.backward = value;
    else if (name == "saves")
      parts.saves = value;
    else if (name == "folds")
      parts.folds = value;
    else if (name == "gathers")
      parts.gathers = value;
    else if (name == "buffers")
      parts.buffers = value;
    else if (name == "statistics")
      parts.statistics = value;
    else if (name == "backward_statistics")
      parts.backwardStatistics = value;
    else if (name == "recompute")
      parts.selective = c_.str(t[value].name) == "selective";
    else if (name == "reduces") {
      for (NodeId item : t.children(value)) parts.reduces.push_back(t[item].name);
    } else {
      static constexpr std::string_view kMembers[] = {
          "forward",   "backward", "saves", "buffers", "statistics", "backward_statistics",
          "recompute", "reduces",  "folds", "gathers"};
      auto& d =
          c_.diagnostics.report(Code::E0301, n.span, fmt::format("an operator has no `{}`", name));
      Suggestion meant = suggestion(name, {std::begin(kMembers), std::end(kMembers)});
      meant.sure = false;  // the span is the whole member
      d.suggest(meant, n.span);
    }
  }
  return parts;
}

std::optional<std::vector<AxisId>> ModelBuilder::outputAxes(const Declaration& op,
                                                            const OperatorParts& parts,
                                                            const Arguments& arguments) {
  const syntax::Tree& t = op.module->tree;
  if (parts.yield.valid() && t[parts.yield].kind == Kind::List) {
    std::vector<AxisId> axes;
    for (NodeId item : t.children(parts.yield)) {
      auto id = axisOf(t[item].name, t[item].span);
      if (!id) return std::nullopt;
      axes.push_back(*id);
    }
    return axes;
  }
  for (const auto& [name, value] : arguments) {
    if (value.kind != ValueKind::Tensor) continue;
    if (parts.yield.valid() && !(t[parts.yield].name == name)) continue;
    return value.tensor->axes;
  }
  c_.diagnostics.report(Code::E0601, t[op.node].nameSpan,
                        "this operator does not say which axes it yields");
  return std::nullopt;
}

Value ModelBuilder::operate(const Declaration& op, const Arguments& arguments, Name name,
                            Span span) {
  OperatorParts parts = partsOf(op);
  Operation operation;
  operation.name = name;
  operation.span = span;
  operation.linear = !parts.nonlinear;
  if (c_.str(op.module->tree[op.node].name) == "add") operation.kind = OperationKind::Add;
  bool residual = false;
  for (const auto& [param, value] : arguments) {
    if (value.kind != ValueKind::Tensor) continue;
    operation.inputs.push_back(value.tensor->id);
    // A sum with the residual stream, fused or not, is residual again.
    residual |= c_.str(param) == "residual" ||
                (operation.kind == OperationKind::Add && part_.tensors[value.tensor->id].residual);
  }
  for (Name axis : parts.reduces) {
    auto id = axisOf(axis, span);
    if (!id) return {};
    operation.reduces.push_back(*id);
  }
  auto axes = outputAxes(op, parts, arguments);
  if (!axes || !readRegrouping(op, parts, arguments, operation)) return {};
  if (!costs(op, parts, arguments, operation)) return {};
  return finish(std::move(operation), std::move(*axes), residual, span);
}

/// `folds = slots(batch, seq)`: elements along slots are those of batch and seq, regrouped.
/// `gathers = seq(k, v)`: every rank needs all of k and v along seq.
bool ModelBuilder::readRegrouping(const Declaration& op, const OperatorParts& parts,
                                  const Arguments& arguments, Operation& operation) {
  const syntax::Tree& t = op.module->tree;
  // AXIS(NAME, …)
  auto isCall = [&](NodeId node) {
    bool ok = t[node].kind == Kind::Call && t[t.child(node, 0)].kind == Kind::Ref;
    if (!ok) {
      c_.diagnostics.report(Code::E0601, t[node].span,
                            "an axis and what belongs to it is needed here",
                            "write `slots(batch, seq)`");
    }
    return ok;
  };
  auto axisAt = [&](NodeId node) { return axisOf(t[node].name, t[node].span); };
  if (parts.folds.valid()) {
    if (!isCall(parts.folds)) return false;
    auto whole = axisAt(t.child(parts.folds, 0));
    if (!whole) return false;
    operation.fold.whole = *whole;
    for (NodeId argument : t.children(parts.folds).subspan(1)) {
      auto part = axisAt(t.child(argument, 0));
      if (!part) return false;
      operation.fold.parts.push_back(*part);
    }
  }
  if (!parts.gathers.valid()) return true;
  if (!isCall(parts.gathers)) return false;
  auto along = axisAt(t.child(parts.gathers, 0));
  if (!along) return false;
  for (NodeId argument : t.children(parts.gathers).subspan(1)) {
    Name wanted = t[t.child(argument, 0)].name;
    auto found = std::ranges::find(arguments, wanted, [](const auto& item) { return item.first; });
    if (found == arguments.end() || found->second.kind != ValueKind::Tensor) {
      c_.diagnostics.report(Code::E0601, t[argument].span,
                            fmt::format("`{}` is no tensor of this operator", c_.str(wanted)));
      return false;
    }
    operation.whole.push_back({found->second.tensor->id, *along});
  }
  return true;
}

bool ModelBuilder::costs(const Declaration& op, const OperatorParts& parts,
                         const Arguments& arguments, Operation& operation) {
  Frame* frame = c_.newFrame(&op.module->frame, op.module);
  frame->locals = arguments;
  const syntax::Tree& t = op.module->tree;
  costing_ = true;
  sizes_.clear();
  whole_ = operation.whole;
  std::vector<FormulaId> outputs;
  bool ok = true;
  if (parts.forward.valid()) ok &= addKernels(parts.forward, false, frame, operation, outputs);
  if (parts.backward.valid()) ok &= addKernels(parts.backward, true, frame, operation, outputs);
  if (parts.saves.valid()) {
    for (NodeId item : t.children(parts.saves)) {
      Value saved = c_.evaluate(item, frame);
      ok &= saved.kind == ValueKind::Tensor;
      if (saved.kind == ValueKind::Tensor) operation.saves.push_back(saved.tensor->id);
    }
  }
  if (parts.buffers.valid()) {
    for (NodeId item : t.children(parts.buffers)) {
      Value bytes = c_.evaluateData(item, frame, "a buffer");
      if (bytes.bad()) {
        ok = false;
        continue;
      }
      operation.buffers.push_back({operation.name, static_cast<uint32_t>(outputs.size())});
      outputs.push_back(bytes.formula);
    }
  }
  auto number = [&](NodeId node) {
    return node.valid() ? c_.real(c_.evaluate(node, frame), t[node].span).value_or(0) : 0;
  };
  operation.statistics = number(parts.statistics);
  operation.backwardStatistics = number(parts.backwardStatistics);
  operation.recomputedWhenSelective = parts.selective;
  costing_ = false;
  whole_.clear();
  if (!ok) return false;
  if (outputs.empty()) return true;
  std::vector<FormulaId> inputs;
  for (const auto& [axis, formula] : sizes_) {
    operation.sizes.push_back(axis);
    inputs.push_back(formula);
  }
  for (const KernelCost& kernel : operation.kernels)
    context_.sources->kernels[kernel.source].inputs = inputs;
  operation.program = static_cast<uint32_t>(model_.programs.size());
  model_.programs.push_back(c_.formulas.compile(inputs, outputs));
  return true;
}

bool ModelBuilder::addKernels(NodeId list, bool backward, const Frame* frame, Operation& operation,
                              std::vector<FormulaId>& outputs) {
  Value kernels = c_.evaluate(list, frame);
  Span span = frame->module->tree[list].span;
  if (kernels.bad()) return false;
  if (kernels.kind != ValueKind::List) {
    c_.diagnostics.report(Code::E0305, span, "an operator's kernels are a list");
    return false;
  }
  bool ok = true;
  for (const Value& kernel : kernels.list->items)
    ok &= addKernel(kernel, backward, span, operation, outputs);
  return ok;
}

bool ModelBuilder::addKernel(const Value& value, bool backward, Span span, Operation& operation,
                             std::vector<FormulaId>& outputs) {
  const Schema* kernelSchema = c_.preludeSchema("kernel");
  if (value.kind != ValueKind::Record || !value.record->schema->is(kernelSchema)) {
    c_.diagnostics.report(Code::E0305, span,
                          fmt::format("a kernel is needed here, not {}", c_.describeKind(value)));
    return false;
  }
  auto cost = readKernel(c_, value.record, context_.chip, outputs, *context_.sources);
  if (!cost) return false;
  cost->backward = backward;
  operation.kernels.push_back(*cost);
  return true;
}

}  // namespace sysdl::check
