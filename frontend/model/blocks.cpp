// Blocks: axes, weights, lets in dependency order, and the parts of a model's body.
#include "frontend/model/blocks.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "frontend/model/builder.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Node;

ModelBuilder::ModelBuilder(Checker& checker, const BlockContext& context, Model& model)
    : c_(checker), context_(context), model_(model) {
  Axis batch;
  batch.name = c_.name("batch");
  batch.size = context.batch;
  model_.axes.push_back(batch);
  model_.batch = 0;
  axes_[batch.name.id] = 0;
}

std::optional<AxisId> ModelBuilder::axisOf(Name name, Span span) {
  auto known = axes_.find(name.id);
  if (known != axes_.end()) return known->second;
  const Schema& schema = *context_.model->schema;
  if (!schema.index.count(name.id)) {
    std::vector<std::string_view> fields{"batch"};
    for (const Field& field : schema.fields) fields.push_back(c_.str(field.name));
    auto& d = c_.diagnostics.report(Code::E0601, span,
                                    fmt::format("no axis `{}`: `{}` has no field of that name",
                                                c_.str(name), c_.str(schema.name)),
                                    "an axis takes its size from the model's field");
    Suggestion meant = suggestion(c_.str(name), fields);
    meant.sure &= c_.sources.text(span) == c_.str(name);
    d.suggest(meant, span);
    return std::nullopt;
  }
  auto size = c_.integer(c_.get(context_.model, c_.str(name)), span);
  if (!size) return std::nullopt;
  if (*size < 1) {
    c_.diagnostics.report(Code::E0601, span,
                          fmt::format("the axis `{}` has size {}", c_.str(name), *size));
    return std::nullopt;
  }
  Axis axis;
  axis.name = name;
  axis.size = *size;
  const Slot& slot = context_.model->slots[schema.index.find(name.id)->second];
  axis.span = slot.definition.span.valid() ? slot.definition.span : span;
  const std::string unpadded = fmt::format("{}_unpadded", c_.str(name));
  if (schema.index.count(c_.name(unpadded).id)) {
    axis.unpadded = c_.integer(c_.get(context_.model, unpadded), span).value_or(0);
  }
  auto id = static_cast<AxisId>(model_.axes.size());
  // Query heads come in groups, one for each key-value head.
  if (c_.str(name) == "heads") {
    auto group = axes_.find(c_.name("kv_heads").id);
    if (group != axes_.end()) axis.groupedBy = group->second;
  }
  model_.axes.push_back(axis);
  axes_[name.id] = id;
  return id;
}

Value ModelBuilder::tensorValue(TensorValue value) {
  tensors_.push_back(std::move(value));
  Value result;
  result.kind = ValueKind::Tensor;
  result.tensor = &tensors_.back();
  return result;
}

TensorId ModelBuilder::newTensor(Name name, std::vector<AxisId> axes, Span span) {
  Tensor tensor;
  tensor.name = name;
  tensor.axes = std::move(axes);
  tensor.span = span;
  tensor.elementBytes = c_.real(c_.get(context_.precision, "activation_size"), span).value_or(0);
  tensor.gradientElementBytes = tensor.elementBytes;
  part_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(part_.tensors.size() - 1);
}

bool ModelBuilder::declareInput(const Declaration& block, Frame& frame) {
  const syntax::Tree& t = block.module->tree;
  bool ok = true;
  for (NodeId param : t.children(t.child(block.node, 1))) {
    std::vector<AxisId> axes;
    for (NodeId axis : t.children(t.child(param, 0))) {
      auto id = axisOf(t[axis].name, t[axis].span);
      ok &= id.has_value();
      axes.push_back(id.value_or(0));
    }
    TensorId id = newTensor(t[param].name, axes, t[param].span);
    TensorValue value;
    value.id = id;
    value.axes = axes;
    frame.locals.emplace_back(t[param].name, tensorValue(std::move(value)));
    // The first part reads tokens; later parts continue the residual stream.
    if (!model_.parts.empty() && part_.input == kNone) {
      part_.input = id;
      part_.tensors[id].residual = true;
    }
  }
  return ok;
}

bool ModelBuilder::tied(Name name) {
  Value list = c_.get(context_.model, "tied");
  if (list.kind != ValueKind::List) return false;
  return std::ranges::any_of(list.list->items,
                             [&](const Value& item) { return c_.text(item) == c_.str(name); });
}

bool ModelBuilder::declareWeight(const syntax::Tree& t, NodeId node, Frame& frame) {
  const Node& n = t[node];
  TensorValue value;
  value.isWeight = true;
  std::vector<AxisId>* lists[] = {&value.apart, &value.from, &value.to};
  bool ok = true;
  for (uint32_t i = 0; i < 3; ++i) {
    NodeId names = t.child(node, i);
    if (!names.valid()) continue;
    for (NodeId word : t.children(names)) {
      auto id = axisOf(t[word].name, t[word].span);
      ok &= id.has_value();
      lists[i]->push_back(id.value_or(0));
      value.axes.push_back(id.value_or(0));
    }
  }
  if (!ok) return false;
  if (std::set<AxisId>(value.axes.begin(), value.axes.end()).size() != value.axes.size()) {
    c_.diagnostics.report(Code::E0601, n.span,
                          fmt::format("`{}` has an axis twice", c_.str(n.name)));
    return false;
  }
  // A block that stands in another may have a weight of a name that is taken.
  Name name = n.name;
  if (std::ranges::any_of(part_.tensors, [&](const Tensor& other) {
        return other.parameter && other.name == n.name;
      })) {
    name = uniqueName(fmt::format("{}{}{}", label_ ? c_.str(label_) : "", label_ ? "." : "",
                                  c_.str(n.name)));
  }
  value.id = newTensor(name, value.axes, n.span);
  Tensor& tensor = part_.tensors[value.id];
  tensor.parameter = true;
  tensor.elementBytes = c_.real(c_.get(context_.precision, "weight_size"), n.span).value_or(0);
  tensor.gradientElementBytes =
      c_.real(c_.get(context_.precision, "gradient_size"), n.span).value_or(0);
  if (tied(n.name)) tensor.tiedTo = n.name;
  frame.locals.emplace_back(n.name, tensorValue(std::move(value)));
  return true;
}

void ModelBuilder::readFuse(const syntax::Tree& t, NodeId node, const Frame& frame) {
  std::vector<TensorId> group;
  for (NodeId word : t.children(t.child(node, 0))) {
    auto found = std::ranges::find(frame.locals, t[word].name,
                                   [](const auto& local) { return local.first; });
    if (found == frame.locals.end() || found->second.kind != ValueKind::Tensor ||
        !found->second.tensor->isWeight) {
      c_.diagnostics.report(Code::E0601, t[word].span,
                            fmt::format("`{}` is no weight of this block", c_.str(t[word].name)));
      return;
    }
    group.push_back(found->second.tensor->id);
  }
  for (TensorId id : group) fused_[id] = group;
}

bool ModelBuilder::evaluateLets(const syntax::Tree& t, NodeId body, Frame& frame) {
  std::map<uint32_t, NodeId> lets;
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Let) lets[t[member].name.id] = member;
  }
  // A let is evaluated after those that it names, whatever their order in the text.
  std::set<uint32_t> done, open;
  bool ok = true;
  auto visit = [&](auto& self, NodeId let) -> void {
    uint32_t id = t[let].name.id;
    if (done.contains(id)) return;
    if (!open.insert(id).second) {
      c_.diagnostics.report(Code::E0310, t[let].nameSpan,
                            fmt::format("`{}` depends on itself", c_.str(t[let].name)));
      ok = false;
      return;
    }
    auto names = [&](auto& again, NodeId node) -> void {
      if (t[node].kind == Kind::Ref) {
        auto other = lets.find(t[node].name.id);
        if (other != lets.end()) self(self, other->second);
      }
      for (NodeId child : t.children(node)) {
        if (child.valid()) again(again, child);
      }
    };
    names(names, t.child(let, 0));
    done.insert(id);
    label_ = t[let].name;
    Value value = c_.evaluate(t.child(let, 0), &frame);
    label_ = {};
    ok &= !value.bad();
    frame.locals.emplace_back(t[let].name, value);
  };
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Let) visit(visit, member);
  }
  return ok;
}

bool ModelBuilder::addPart(const Declaration& declaration, Name name, int64_t repeat, Span span) {
  part_ = Part();
  part_.name = name;
  part_.repeat = repeat;
  part_.span = span;
  tensors_.clear();
  usedNames_.clear();
  fused_.clear();
  charged_.clear();
  Frame* frame = c_.newFrame(&declaration.module->frame, declaration.module);
  // kv_heads before heads, so that the grouping is known when `heads` is first met.
  if (context_.model->schema->index.count(c_.name("kv_heads").id))
    axisOf(c_.name("kv_heads"), span);
  if (!declareInput(declaration, *frame)) return false;
  Value result = programOf(declaration, frame, span);
  if (result.bad()) return false;
  part_.output = result.tensor->id;
  part_.tensors[part_.output].residual = true;
  model_.parts.push_back(std::move(part_));
  return true;
}

Value ModelBuilder::inlined(const Declaration& block, const Arguments& arguments, Frame* frame,
                            Span span) {
  const syntax::Tree& t = block.module->tree;
  if (std::ranges::find(entered_, &block) != entered_.end()) {
    c_.diagnostics.report(Code::E0311, span,
                          fmt::format("`{}` contains itself", c_.str(t[block.node].name)));
    return {};
  }
  size_t index = 0;
  for (NodeId param : t.children(t.child(block.node, 1))) {
    const Value& given = arguments[index++].second;
    if (given.kind != ValueKind::Tensor) continue;
    std::vector<AxisId> axes;
    for (NodeId axis : t.children(t.child(param, 0))) {
      auto id = axisOf(t[axis].name, t[axis].span);
      if (!id) return {};
      axes.push_back(*id);
    }
    if (axes.empty() || axes == given.tensor->axes) continue;
    c_.diagnostics.report(Code::E0601, span,
                          fmt::format("`{}` of `{}` has the axes {}, not {}", c_.str(t[param].name),
                                      c_.str(t[block.node].name), axesText(axes),
                                      axesText(given.tensor->axes)));
    return {};
  }
  entered_.push_back(&block);
  Value result = programOf(block, frame, span);
  entered_.pop_back();
  return result;
}

Value ModelBuilder::programOf(const Declaration& declaration, Frame* frame, Span span) {
  const syntax::Tree& t = declaration.module->tree;
  const Name label = label_;
  NodeId forPart = t.child(declaration.node, 0);
  if (forPart.valid()) {
    Value model;
    model.kind = ValueKind::Record;
    model.record = context_.model;
    Value fitting =
        c_.coerceTo(model, *declaration.module, t.child(forPart, 0), span,
                    fmt::format("the model of block `{}`", c_.str(t[declaration.node].name)));
    if (fitting.bad()) return {};
    frame->locals.emplace_back(t[forPart].name, fitting);
  }
  NodeId body = t.child(declaration.node, 2);
  bool ok = true;
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Weight) ok &= declareWeight(t, member, *frame);
  }
  if (!ok) return {};
  NodeId yield;
  for (NodeId member : t.children(body)) {
    if (t[member].kind == Kind::Fuse) readFuse(t, member, *frame);
    if (t[member].kind == Kind::Yield) yield = member;
  }
  if (!yield.valid()) {
    c_.diagnostics.report(Code::E0601, t[declaration.node].nameSpan,
                          "a block must `yield` a value");
    return {};
  }
  if (!evaluateLets(t, body, *frame)) return {};
  label_ = label;
  Value result = c_.evaluate(t.child(yield, 0), frame);
  if (result.bad()) return {};
  if (result.kind != ValueKind::Tensor) {
    c_.diagnostics.report(Code::E0601, t[yield].span,
                          fmt::format("a block yields a tensor, not {}", c_.describeKind(result)));
    return {};
  }
  return result;
}

Value ModelBuilder::axis(Name name, Span span) {
  if (!costing_) return {};
  auto found = axes_.find(name.id);
  if (found == axes_.end()) return {};
  auto [entry, isNew] = sizes_.try_emplace(found->second);
  if (isNew) entry->second = c_.formulas.input(Number::Int, false, span);
  return c_.scalar(entry->second);
}

}  // namespace sysdl::check

namespace sysdl {

using namespace check;

std::optional<Model> buildModel(Checker& checker, const BlockContext& context) {
  Model model;
  ModelBuilder builder(checker, context, model);
  Value body = checker.get(context.model, "body");
  if (body.kind != ValueKind::List) return std::nullopt;
  std::vector<const Declaration*> declarations;  // by part
  for (const Value& item : body.list->items) {
    if (item.kind != ValueKind::Record) return std::nullopt;
    Value block = checker.get(item.record, "program");
    auto repeat = checker.integer(checker.get(item.record, "count"), item.record->span);
    if (block.kind != ValueKind::Block || !repeat) return std::nullopt;
    const Name name = checker.name(checker.text(checker.get(item.record, "name")));
    // Parts of one name are one part that occurs at several places.
    auto known = std::ranges::find(model.parts, name, &Part::name);
    model.runs.push_back({static_cast<uint32_t>(known - model.parts.begin()), *repeat});
    if (known != model.parts.end()) {
      known->repeat += *repeat;
      if (block.declaration == declarations[model.runs.back().part]) continue;
      checker.diagnostics
          .report(Code::E0601, item.record->span,
                  fmt::format("two blocks are called `{}`", checker.str(name)))
          .helpText("parts of one name are one part: give the other block another name");
      return std::nullopt;
    }
    declarations.push_back(block.declaration);
    checker.tensorHooks = &builder;
    bool ok = builder.addPart(*block.declaration, name, *repeat, item.record->span);
    checker.tensorHooks = nullptr;
    if (!ok) return std::nullopt;
    model.parts.back().layer =
        checker.integer(checker.get(item.record, "layer"), item.record->span).value_or(0) != 0;
  }
  // The last part yields a loss, which nothing takes up.
  if (!model.parts.empty()) model.parts.back().output = kNone;
  return model;
}

}  // namespace sysdl
