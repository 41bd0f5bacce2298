// Calls: functions of the language, kinds called with arguments, and the built-in functions.
#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;

namespace {

constexpr std::string_view kBuiltins[] = {
    "sum",   "product", "min",  "max",     "argmin",   "ceil",  "floor", "round",
    "log2",  "sqrt",    "exp",  "abs",     "divisors", "count", "is",    "has",
    "given", "curve",   "real", "or_else", "all",      "any",
};

int64_t greatestDivisorsInput() { return 1'000'000'000'000; }

}  // namespace

namespace {

bool isTensorBuiltin(std::string_view text) {
  static constexpr std::string_view kNames[] = {"bytes", "elements", "format_of", "kept", "shared"};
  return std::ranges::find(kNames, text) != std::end(kNames);
}

}  // namespace

bool Checker::isBuiltin(std::string_view text) const {
  return std::ranges::find(kBuiltins, text) != std::end(kBuiltins);
}

Value Checker::evaluateCall(NodeId node, const Frame* frame, const Type* expected) {
  const syntax::Tree& t = tree(frame);
  NodeId calleeNode = t.child(node, 0);
  if (t[calleeNode].kind == Kind::Ref) {
    std::string_view called = str(t[calleeNode].name);
    if (called == "curve") return curveCall(node, frame, expected);
    if (tensorHooks && tensorHooks->isBuiltin(called)) {
      std::vector<Value> arguments;
      for (NodeId argument : t.children(node).subspan(1))
        arguments.push_back(evaluate(t.child(argument, 0), frame));
      return tensorHooks->builtin(called, arguments, t[node].span);
    }
    if (!tensorHooks && isTensorBuiltin(called)) return {};  // a kernel checked without an operator
    if (isBuiltin(called)) return callBuiltin(called, node, frame);
  }
  Value callee = evaluate(calleeNode, frame);
  switch (callee.kind) {
  case ValueKind::Bad: return {};
  case ValueKind::Function: return callFunction(*callee.declaration, node, frame);
  case ValueKind::Block:
    if (tensorHooks) return tensorHooks->call(*callee.declaration, node, frame);
    break;
  case ValueKind::SchemaRef: {
    if (callee.schema->isAbstract) {
      diagnostics.report(
          Code::E0305, t[calleeNode].span,
          fmt::format("`{}` is abstract: only kinds of it can be made", str(callee.schema->name)));
      return {};
    }
    Layer layer;
    layer.kind = LayerKind::Arguments;
    layer.module = frame->module;
    layer.node = node;
    layer.outer = frame;
    Value value;
    value.kind = ValueKind::Record;
    value.record = construct(callee.schema, std::move(layer), t[node].span);
    return value;
  }
  case ValueKind::Curve: return readCurve(*callee.curve, node, frame);
  default: break;
  }
  diagnostics.report(Code::E0313, t[calleeNode].span,
                     fmt::format("{} cannot be called", describeKind(callee)));
  return {};
}

Value Checker::readCurve(const CurveValue& curve, NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  if (t.childCountOf(node) != 2) {
    diagnostics.report(Code::E0313, t[node].span,
                       "a curve is read at one point, as in `efficiency(bytes)`");
    return {};
  }
  NodeId argument = t.child(t.child(node, 1), 0);
  Type type;
  type.kind = curve.x.none() ? TypeKind::Real : TypeKind::Quantity;
  type.dimension = curve.x;
  Value x = coerce(evaluate(argument, frame), &type, t[argument].span,
                   "the point at which a curve is read");
  if (x.bad()) return {};
  return scalar(formulas.curve(curve.curve, t[node].span, x.formula), curve.y);
}

Value Checker::callFunction(const Declaration& function, NodeId node, const Frame* frame) {
  const syntax::Tree& ft = function.module->tree;
  const syntax::Tree& t = tree(frame);
  std::string_view fname = str(ft[function.node].name);
  if (std::ranges::find(calling_, &function) != calling_.end()) {
    diagnostics.report(Code::E0311, t[node].span, fmt::format("`{}` calls itself", fname),
                       "functions must not be recursive, so that every evaluation ends");
    return {};
  }
  Frame* inner = newFrame(&function.module->frame, function.module);
  auto params = ft.children(ft.child(function.node, 0));
  auto arguments = t.children(node).subspan(1);
  std::vector<NodeId> given(params.size());
  size_t position = 0;
  bool ok = true;
  for (NodeId argument : arguments) {
    size_t index = position;
    if (t[argument].name) {
      for (index = 0; index < params.size() && !(ft[params[index]].name == t[argument].name);)
        ++index;
    } else {
      ++position;
    }
    if (index >= params.size() || given[index].valid()) {
      std::string what =
          index < params.size() ? fmt::format("`{}` gets this parameter twice", fname)
          : t[argument].name
              ? fmt::format("`{}` has no parameter `{}`", fname, str(t[argument].name))
              : fmt::format("`{}` gets too many arguments", fname);
      diagnostics.report(Code::E0313, t[argument].span, what)
          .label(ft[ft.child(function.node, 0)].span,
                 fmt::format("takes {} parameters", params.size()));
      ok = false;
      continue;
    }
    given[index] = argument;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const Type* type = typeOf(*function.module, ft.child(params[i], 0));
    NodeId preset = ft.child(params[i], 1);
    Value value;
    if (given[i].valid()) {
      NodeId expression = t.child(given[i], 0);
      value = coerce(evaluate(expression, frame, type), type, t[expression].span,
                     fmt::format("`{}` of `{}`", str(ft[params[i]].name), fname));
    } else if (preset.valid()) {
      value = coerce(evaluate(preset, inner, type), type, ft[preset].span,
                     fmt::format("`{}` of `{}`", str(ft[params[i]].name), fname));
    } else if (ok) {
      diagnostics
          .report(Code::E0313, t[node].span,
                  fmt::format("`{}` needs `{}`", fname, str(ft[params[i]].name)))
          .label(ft[params[i]].span, "this parameter");
      ok = false;
    }
    ok &= !value.bad();
    inner->locals.emplace_back(ft[params[i]].name, value);
  }
  if (!ok) return {};
  const Type* type = typeOf(*function.module, ft.child(function.node, 1));
  calling_.push_back(&function);
  NodeId body = ft.child(function.node, 2);
  Value value = coerce(evaluate(body, inner, type), type, ft[body].span,
                       fmt::format("the result of `{}`", fname));
  calling_.pop_back();
  return value;
}

Value Checker::curveCall(NodeId node, const Frame* frame, const Type*) {
  const syntax::Tree& t = tree(frame);
  Span span = t[node].span;
  std::vector<double> values[2];
  Dimension dims[2];
  if (t.childCountOf(node) != 3) {
    diagnostics.report(Code::E0313, span, "a curve is written `curve(x = […], y = […])`");
    return {};
  }
  for (int axis = 0; axis < 2; ++axis) {
    NodeId argument = t.child(node, static_cast<uint32_t>(axis) + 1);
    Value list = evaluate(t.child(argument, 0), frame);
    if (list.kind != ValueKind::List || list.list->items.size() < 2) {
      if (!list.bad())
        diagnostics.report(Code::E0313, t[argument].span,
                           "a curve needs lists of at least two numbers");
      return {};
    }
    dims[axis] = list.list->items.front().dimension;
    for (const Value& item : list.list->items) {
      auto number = real(item, t[argument].span);
      if (!number) return {};
      if (!(item.dimension == dims[axis])) {
        diagnostics.report(Code::E0402, t[argument].span,
                           "the numbers of a curve's axis are of one dimension");
        return {};
      }
      values[axis].push_back(*number);
    }
  }
  if (values[0].size() != values[1].size() ||
      !std::ranges::is_sorted(values[0], std::less_equal<>())) {
    diagnostics.report(Code::E0313, span,
                       "a curve needs as many y as x, and x in increasing order");
    return {};
  }
  CurveValue& curve = curves_.emplace_back();
  curve.curve = {values[0], values[1]};
  curve.x = dims[0];
  curve.y = dims[1];
  Value value;
  value.kind = ValueKind::Curve;
  value.curve = &curve;
  return value;
}

/// The built-in functions, on evaluated arguments.
struct Calls {
  Checker& c;
  std::string_view name;
  std::vector<Value> arguments;
  Span span;

  Value wrong(std::string_view usage) {
    c.diagnostics.report(Code::E0313, span, fmt::format("`{}` is used as {}", name, usage));
    return {};
  }

  bool numbers(std::vector<Value>& items) {
    bool real = false;
    for (const Value& item : items) {
      if (!item.scalar() || item.number == Number::Bool) {
        c.diagnostics.report(
            Code::E0305, span,
            fmt::format("`{}` works on numbers, not on {}", name, c.describeKind(item)));
        return false;
      }
      if (!(item.dimension == items.front().dimension) && name != "product") {
        c.diagnostics.report(Code::E0402, span,
                             fmt::format("`{}` mixes {} and {}", name,
                                         c.dimensions.describe(items.front().dimension),
                                         c.dimensions.describe(item.dimension)));
        return false;
      }
      real |= item.number == Number::Real;
    }
    for (Value& item : items) {
      if (real) item = c.toReal(item, span);
    }
    return true;
  }

  Value fold(std::vector<Value> items, const Value& sample = {}) {
    if (items.empty()) {
      if (name == "sum" && sample.scalar() && sample.number == Number::Real)
        return c.realValue(0, sample.dimension, span);
      if (name == "sum") return c.integerValue(0, span);
      if (name == "product") return c.integerValue(1, span);
      c.diagnostics.report(Code::E0313, span, fmt::format("`{}` of nothing has no value", name));
      return {};
    }
    if (!numbers(items)) return {};
    Value result = items.front();
    for (size_t i = 1; i < items.size(); ++i) {
      bool whole = result.number == Number::Int;
      Dimension dimension = result.dimension;
      Opcode op = whole ? Opcode::AddI : Opcode::AddF;
      if (name == "min") op = whole ? Opcode::MinI : Opcode::MinF;
      if (name == "max") op = whole ? Opcode::MaxI : Opcode::MaxF;
      if (name == "product") {
        op = whole ? Opcode::MultiplyI : Opcode::MultiplyF;
        auto d = multiply(dimension, items[i].dimension);
        if (!d) return {};
        dimension = *d;
      }
      result = c.apply(op, result.number, dimension, span, result, items[i]);
    }
    return result;
  }

  Value rounded(Opcode op) {
    if (arguments.size() != 1 || !arguments[0].scalar()) return wrong(fmt::format("`{}(x)`", name));
    if (!arguments[0].dimension.none()) {
      c.diagnostics
          .report(Code::E0402, span,
                  fmt::format("`{}` takes a plain number, not {}", name,
                              withArticle(c.dimensions.describe(arguments[0].dimension))))
          .helpText("divide by a unit first, as in `ceil(x / (1 s))`");
      return {};
    }
    if (arguments[0].number == Number::Int) return arguments[0];
    return c.apply(op, Number::Int, {}, span, arguments[0]);
  }

  Value transcendental(Opcode op) {
    if (arguments.size() != 1 || !arguments[0].scalar() || arguments[0].number == Number::Bool) {
      return wrong(fmt::format("`{}(x)`", name));
    }
    std::optional<Dimension> dimension = Dimension();
    if (op == Opcode::SqrtF)
      dimension = power(arguments[0].dimension, 1);
    else if (!arguments[0].dimension.none())
      dimension.reset();
    if (!dimension) {
      c.diagnostics.report(Code::E0402, span,
                           fmt::format("`{}` of {} has no dimension", name,
                                       withArticle(c.dimensions.describe(arguments[0].dimension))));
      return {};
    }
    return c.apply(op, Number::Real, *dimension, span, c.toReal(arguments[0], span));
  }

  Value absolute() {
    if (arguments.size() != 1 || !arguments[0].scalar() || arguments[0].number == Number::Bool)
      return wrong("`abs(x)`");
    const Value& a = arguments[0];
    bool whole = a.number == Number::Int;
    Value negative =
        c.apply(whole ? Opcode::NegateI : Opcode::NegateF, a.number, a.dimension, span, a);
    return c.apply(whole ? Opcode::MaxI : Opcode::MaxF, a.number, a.dimension, span, a, negative);
  }

  Value divisors() {
    if (arguments.size() != 1) return wrong("`divisors(n)`");
    bool scalar = arguments[0].scalar();
    if (scalar && c.formulas[arguments[0].formula].symbolic)  // a schema in the abstract
      return c.listValue({c.scalar(c.formulas.input(Number::Int, false, span))}, true);
    auto n = c.integer(arguments[0], span);
    if (!n) return {};
    if (*n < 1 || *n > greatestDivisorsInput()) return wrong("`divisors(n)` with 1 <= n <= 1e12");
    std::vector<int64_t> small, large;
    for (int64_t i = 1; i * i <= *n; ++i) {
      if (*n % i) continue;
      small.push_back(i);
      if (i != *n / i) large.push_back(*n / i);
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    std::vector<Value> items;
    items.reserve(small.size());
    for (int64_t d : small) items.push_back(c.integerValue(d, span));
    return c.listValue(std::move(items));
  }

  /// Whether a record is of a kind, or of one that extends it.
  Value isKind() {
    bool right = arguments.size() == 2 && arguments[0].kind == ValueKind::Record &&
                 arguments[1].kind == ValueKind::SchemaRef;
    if (!right) return wrong("`is(record, kind)`");
    const Record* record = arguments[0].record;
    if (record->isAbstract && arguments[1].schema->is(record->schema))
      return c.scalar(c.formulas.input(Number::Bool, false, span));  // it may be
    return c.scalar(c.formulas.truth(record->schema->is(arguments[1].schema), span));
  }

  Value truths(bool all) {
    if (arguments.size() != 1 || arguments[0].kind != ValueKind::List)
      return wrong(fmt::format("`{}(list)`", name));
    Value result = c.scalar(c.formulas.truth(all, span));
    for (const Value& item : arguments[0].list->items) {
      if (!item.scalar() || item.number != Number::Bool)
        return wrong(fmt::format("`{}(list of conditions)`", name));
      result = c.apply(all ? Opcode::And : Opcode::Or, Number::Bool, {}, span, result, item);
    }
    return result;
  }

  Value run() {
    for (const Value& argument : arguments) {
      if (argument.bad()) return {};
    }
    if (name == "sum" || name == "product" || name == "min" || name == "max") {
      if (arguments.size() == 1 && arguments[0].kind == ValueKind::List)
        return fold(arguments[0].list->items, arguments[0].list->sample);
      return fold(arguments);
    }
    if (name == "ceil") return rounded(Opcode::CeilF);
    if (name == "floor") return rounded(Opcode::FloorF);
    if (name == "round") return rounded(Opcode::RoundF);
    if (name == "log2") return transcendental(Opcode::Log2F);
    if (name == "sqrt") return transcendental(Opcode::SqrtF);
    if (name == "exp") return transcendental(Opcode::ExpF);
    if (name == "abs") return absolute();
    if (name == "divisors") return divisors();
    if (name == "all" || name == "any") return truths(name == "all");
    if (name == "real")
      return arguments.size() == 1 && arguments[0].scalar() ? c.toReal(arguments[0], span)
                                                            : wrong("`real(n)`");
    if (name == "is") return isKind();
    if (name == "given") {
      if (arguments.size() != 1) return wrong("`given(x)`");
      return c.scalar(c.formulas.truth(arguments[0].kind != ValueKind::Absent, span));
    }
    if (name == "or_else") {
      if (arguments.size() != 2) return wrong("`or_else(x, otherwise)`");
      return arguments[0].kind == ValueKind::Absent ? arguments[1] : arguments[0];
    }
    if (name == "count") {
      if (arguments.size() != 1) return wrong("`count(list)`");
      if (arguments[0].kind == ValueKind::Group)
        return c.integerValue(static_cast<int64_t>(arguments[0].group->items.size()), span);
      if (arguments[0].kind != ValueKind::List) return wrong("`count(list)`");
      return c.integerValue(static_cast<int64_t>(arguments[0].list->items.size()), span);
    }
    if (name == "has") {
      if (arguments.size() != 2 || arguments[0].kind != ValueKind::Map ||
          arguments[1].kind != ValueKind::Word)
        return wrong("`has(map, word)`");
      bool found = arguments[0].map->opaque;
      for (const auto& [word, value] : arguments[0].map->items) found |= word == arguments[1].word;
      return c.scalar(c.formulas.truth(found, span));
    }
    if (name == "argmin") return argmin();
    return wrong("documented");
  }

  Value argmin() {
    if (arguments.size() != 1 || arguments[0].kind != ValueKind::List ||
        arguments[0].list->items.empty())
      return wrong("`argmin(list)`");
    std::vector<Value> items = arguments[0].list->items;
    if (!numbers(items)) return {};
    Value best = items[0];
    Value index = c.integerValue(0, span);
    for (size_t i = 1; i < items.size(); ++i) {
      bool whole = best.number == Number::Int;
      Value less =
          c.apply(whole ? Opcode::LessI : Opcode::LessF, Number::Bool, {}, span, items[i], best);
      index = c.apply(Opcode::Select, Number::Int, {}, span, less,
                      c.integerValue(static_cast<int64_t>(i), span), index);
      best = c.apply(Opcode::Select, best.number, best.dimension, span, less, items[i], best);
    }
    return index;
  }
};

Value Checker::callBuiltin(std::string_view builtin, NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  Calls call{*this, builtin, {}, t[node].span};
  Type words;
  for (NodeId argument : t.children(node).subspan(1)) {
    const Type* expected = nullptr;
    if (builtin == "has" && call.arguments.size() == 1 &&
        call.arguments[0].kind == ValueKind::Map) {
      words.kind = TypeKind::Enum;
      words.words = call.arguments[0].map->words;
      expected = &words;
    }
    call.arguments.push_back(evaluate(t.child(argument, 0), frame, expected));
  }
  return call.run();
}

}  // namespace sysdl::check
