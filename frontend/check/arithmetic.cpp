// Arithmetic: operators on scalars with their dimensions, comparisons of words, and known values.
#include <cmath>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

using syntax::Kind;
using syntax::Op;

Value Checker::apply(Opcode op, Number type, Dimension dimension, Span span, const Value& a,
                     const Value& b, const Value& c) {
  return scalar(formulas.apply(op, type, span, a.formula, b.formula, c.formula), dimension);
}

namespace {

/// Integer and real opcodes of an operator that works on both.
std::pair<Opcode, Opcode> opcodes(Op op) {
  switch (op) {
  case Op::Add: return {Opcode::AddI, Opcode::AddF};
  case Op::Subtract: return {Opcode::SubtractI, Opcode::SubtractF};
  case Op::Multiply: return {Opcode::MultiplyI, Opcode::MultiplyF};
  case Op::Less:
  case Op::Greater: return {Opcode::LessI, Opcode::LessF};
  case Op::LessEqual:
  case Op::GreaterEqual: return {Opcode::LessEqualI, Opcode::LessEqualF};
  default: return {Opcode::EqualI, Opcode::EqualF};
  }
}

bool isComparison(Op op) { return op >= Op::Equal && op <= Op::GreaterEqual; }

std::string_view verbOf(Op op) {
  switch (op) {
  case Op::Add: return "add";
  case Op::Subtract: return "subtract";
  case Op::Mod: return "divide with remainder";
  default: return "compare";
  }
}

}  // namespace

/// Operators on two values whose operands have been evaluated.
struct Arithmetic {
  Checker& c;
  NodeId node;
  const syntax::Tree& t;
  Span span = t[node].span;
  Op op = t[node].op;

  Span leftSpan() const { return t[t.child(node, 0)].span; }
  Span rightSpan() const { return t[t.child(node, 1)].span; }

  Value wrong(const Value& a, const Value& b) {
    c.diagnostics
        .report(Code::E0305, t[node].nameSpan.valid() ? t[node].nameSpan : span,
                "this operator does not work on these operands")
        .label(leftSpan(), c.describeKind(a))
        .label(rightSpan(), c.describeKind(b));
    return {};
  }

  Value dimensionsDiffer(const Value& a, const Value& b) {
    auto name = [&](const Value& v) { return c.dimensions.describe(v.dimension); };
    auto& d =
        c.diagnostics.report(Code::E0402, t[node].nameSpan.valid() ? t[node].nameSpan : span,
                             fmt::format("cannot {} {} and {}", verbOf(op), name(a), name(b)));
    d.label(leftSpan(), name(a)).label(rightSpan(), name(b));
    d.note(fmt::format("left:  {}\nright: {}", c.dimensions.formula(a.dimension),
                       c.dimensions.formula(b.dimension)));
    auto factor = divide(a.dimension, b.dimension);
    if (!factor) return {};
    std::string known = c.dimensions.describe(*factor);
    if (known != c.dimensions.formula(*factor)) {
      d.helpText(fmt::format("multiplying the right side by {} would make both {}",
                             withArticle(known), name(a)));
      return {};
    }
    auto inverse = divide(b.dimension, a.dimension);
    if (!inverse) return {};
    known = c.dimensions.describe(*inverse);
    if (known != c.dimensions.formula(*inverse)) {
      d.helpText(fmt::format("dividing the right side by {} would make both {}", withArticle(known),
                             name(a)));
    } else if (b.dimension.none() || a.dimension.none()) {
      d.helpText("a number without a unit is never taken for a quantity: write its unit");
    }
    return {};
  }

  Value lists(const Value& a, const Value& b) {
    if (op != Op::Add) return wrong(a, b);
    std::vector<Value> items = a.list->items;
    items.insert(items.end(), b.list->items.begin(), b.list->items.end());
    return c.listValue(std::move(items), a.list->opaque || b.list->opaque);
  }

  Value words(const Value& a, const Value& b) {
    if (a.kind == ValueKind::List && b.kind == ValueKind::List) return lists(a, b);
    if (op != Op::Equal && op != Op::NotEqual) return wrong(a, b);
    bool same = false;
    if (a.kind == ValueKind::Word && b.kind == ValueKind::Word && a.words == b.words) {
      same = a.word == b.word;
    } else if (a.kind == ValueKind::Text && b.kind == ValueKind::Text) {
      same = c.text(a) == c.text(b);
    } else {
      return wrong(a, b);
    }
    return c.scalar(c.formulas.truth(same == (op == Op::Equal), span));
  }

  Value logic(const Value& a, const Value& b) {
    if (a.number != Number::Bool || b.number != Number::Bool) return wrong(a, b);
    return c.apply(op == Op::And ? Opcode::And : Opcode::Or, Number::Bool, {}, span, a, b);
  }

  Value product(Value a, Value b) {
    auto dimension =
        op == Op::Multiply ? multiply(a.dimension, b.dimension) : divide(a.dimension, b.dimension);
    if (!dimension) {
      c.diagnostics.report(Code::E0402, span, "the exponents of this dimension are too large");
      return {};
    }
    if (op == Op::Multiply && a.number == Number::Int && b.number == Number::Int) {
      return c.apply(Opcode::MultiplyI, Number::Int, {}, span, a, b);
    }
    a = c.toReal(a, span);
    b = c.toReal(b, span);
    return c.apply(op == Op::Multiply ? Opcode::MultiplyF : Opcode::DivideF, Number::Real,
                   *dimension, span, a, b);
  }

  Value powerOf(Value a, Value b) {
    if (!b.dimension.none()) {
      c.diagnostics.report(Code::E0402, rightSpan(), "an exponent is a plain number",
                           c.dimensions.describe(b.dimension));
      return {};
    }
    Dimension dimension;
    if (!a.dimension.none()) {
      const FormulaNode& exponent = c.formulas[b.formula];
      double value = b.number == Number::Int ? static_cast<double>(exponent.value.integer)
                                             : exponent.value.real;
      std::optional<Dimension> result;
      if (!exponent.symbolic && !exponent.faulty && std::abs(value) <= 32 &&
          2 * value == std::round(2 * value)) {
        result = power(a.dimension, static_cast<int>(2 * value));
      }
      if (!result) {
        c.diagnostics.report(Code::E0402, rightSpan(),
                             fmt::format("{} can be raised to a known half-integer power only",
                                         withArticle(c.dimensions.describe(a.dimension))));
        return {};
      }
      dimension = *result;
    }
    a = c.toReal(a, span);
    b = c.toReal(b, span);
    return c.apply(Opcode::PowerF, Number::Real, dimension, span, a, b);
  }

  Value sameDimension(Value a, Value b) {
    bool truth = a.number == Number::Bool || b.number == Number::Bool;
    if (truth && (a.number != b.number || (op != Op::Equal && op != Op::NotEqual)))
      return wrong(a, b);
    if (!(a.dimension == b.dimension)) return dimensionsDiffer(a, b);
    if (!truth && a.number != b.number) {
      a = c.toReal(a, span);
      b = c.toReal(b, span);
    }
    if (op == Op::Mod) {
      if (a.number != Number::Int) return wrong(a, b);
      return c.apply(Opcode::ModI, Number::Int, {}, span, a, b);
    }
    auto [whole, realOp] = opcodes(op);
    Opcode code = a.number == Number::Real ? realOp : whole;
    if (!isComparison(op)) return c.apply(code, a.number, a.dimension, span, a, b);
    if (op == Op::Greater || op == Op::GreaterEqual) std::swap(a, b);
    Value result = c.apply(code, Number::Bool, {}, span, a, b);
    return op == Op::NotEqual ? c.apply(Opcode::Not, Number::Bool, {}, span, result) : result;
  }

  Value run(const Value& a, const Value& b) {
    if (a.bad() || b.bad()) return {};
    bool tensors = a.kind == ValueKind::Tensor || b.kind == ValueKind::Tensor;
    if (tensors && c.tensorHooks) return c.tensorHooks->binary(op, a, b, node);
    if (!a.scalar() || !b.scalar()) return words(a, b);
    switch (op) {
    case Op::And:
    case Op::Or: return logic(a, b);
    case Op::Multiply:
    case Op::Divide:
      return a.number == Number::Bool || b.number == Number::Bool ? wrong(a, b) : product(a, b);
    case Op::Power:
      return a.number == Number::Bool || b.number == Number::Bool ? wrong(a, b) : powerOf(a, b);
    case Op::Contract: return wrong(a, b);
    default: return sameDimension(a, b);
    }
  }
};

Value Checker::evaluateBinary(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  Value a = evaluate(t.child(node, 0), frame);
  // In `format == bf16` the left side says which words the right one may be.
  Type words;
  const Type* expected = nullptr;
  if (a.kind == ValueKind::Word) {
    words.kind = TypeKind::Enum;
    words.words = a.words;
    expected = &words;
  }
  Value b = evaluate(t.child(node, 1), frame, expected);
  return Arithmetic{*this, node, t}.run(a, b);
}

Value Checker::evaluateUnary(NodeId node, const Frame* frame) {
  const syntax::Tree& t = tree(frame);
  Value a = evaluate(t.child(node, 0), frame);
  if (a.bad()) return {};
  bool isNot = t[node].kind == Kind::Not;
  if (!a.scalar() || (a.number == Number::Bool) != isNot) {
    diagnostics.report(Code::E0305, t[t.child(node, 0)].span,
                       fmt::format("{} works on {}, not on {}", isNot ? "`not`" : "`-`",
                                   isNot ? "true or false" : "numbers", describeKind(a)));
    return {};
  }
  if (isNot) return apply(Opcode::Not, Number::Bool, {}, t[node].span, a);
  return apply(a.number == Number::Int ? Opcode::NegateI : Opcode::NegateF, a.number, a.dimension,
               t[node].span, a);
}

void Checker::noteFault(FormulaId formula, Span span) {
  const FormulaNode& node = formulas[formula];
  Span at = node.span.valid() ? node.span : span;
  if (!faultsReported_.try_emplace({at.begin.offset, at.end.offset}, true).second) return;
  Code code = node.fault == FaultKind::Overflow   ? Code::E0410
              : node.fault == FaultKind::NotWhole ? Code::E0411
                                                  : Code::E0412;
  if (code == Code::E0411 && quietWhole_) return;
  diagnostics.report(code, at, std::string(describe(node.fault)), "computed here");
}

std::optional<double> Checker::real(const Value& value, Span span) {
  if (!value.scalar()) return std::nullopt;
  formulas.resolve(value.formula);
  const FormulaNode& node = formulas[value.formula];
  if (node.faulty) noteFault(value.formula, span);
  if (node.faulty || node.symbolic) return std::nullopt;
  return value.number == Number::Real ? node.value.real : static_cast<double>(node.value.integer);
}

std::optional<int64_t> Checker::integer(const Value& value, Span span) {
  if (value.bad()) return std::nullopt;
  if (!value.scalar() || value.number == Number::Real) {
    diagnostics.report(Code::E0305, span,
                       fmt::format("a whole number is needed here, not {}", describeKind(value)));
    return std::nullopt;
  }
  formulas.resolve(value.formula);
  const FormulaNode& node = formulas[value.formula];
  if (node.faulty) noteFault(value.formula, span);
  if (node.faulty || node.symbolic) return std::nullopt;
  return node.value.integer;
}

}  // namespace sysdl::check
