// Expressions: the grammar gives a flat list of operands and operators, precedence is applied here.
// Without recursion over the operators, so that a long chain costs no stack.
#include "frontend/parse/builder.h"
#include "grammar/SysdlParser.h"

namespace sysdl::parsing {

using grammar::SysdlParser;
using syntax::NodeId;
using syntax::Op;

namespace {

struct Operator {
  syntax::Kind kind = syntax::Kind::Binary;
  Op op = Op::None;
  int precedence = 0;
  bool prefix = false;
};

constexpr int kCompare = 4;
constexpr int kRange = 5;
constexpr int kPower = 9;

/// From the loosest (1) to the tightest; `not` and unary `-` stand between those of their level.
Operator operatorOf(Tok type, bool prefix) {
  using syntax::Kind;
  switch (type) {
  case Tok::Or: return {Kind::Binary, Op::Or, 1};
  case Tok::And: return {Kind::Binary, Op::And, 2};
  case Tok::Not: return {Kind::Not, Op::None, 3, true};
  case Tok::Equal: return {Kind::Binary, Op::Equal, kCompare};
  case Tok::NotEqual: return {Kind::Binary, Op::NotEqual, kCompare};
  case Tok::Less: return {Kind::Binary, Op::Less, kCompare};
  case Tok::LessEqual: return {Kind::Binary, Op::LessEqual, kCompare};
  case Tok::Greater: return {Kind::Binary, Op::Greater, kCompare};
  case Tok::GreaterEqual: return {Kind::Binary, Op::GreaterEqual, kCompare};
  case Tok::Range: return {Kind::Range, Op::None, kRange};
  case Tok::Plus: return {Kind::Binary, Op::Add, 6};
  case Tok::Minus:
    if (prefix) return {Kind::Negate, Op::None, 8, true};
    return {Kind::Binary, Op::Subtract, 6};
  case Tok::Times: return {Kind::Binary, Op::Multiply, 7};
  case Tok::Divide: return {Kind::Binary, Op::Divide, 7};
  case Tok::Contract: return {Kind::Binary, Op::Contract, 7};
  case Tok::Mod: return {Kind::Binary, Op::Mod, 7};
  case Tok::Power: return {Kind::Binary, Op::Power, kPower};
  default: return {};
  }
}

}  // namespace

/// An operator whose right operand is still being read.
struct Builder::Pending {
  Operator what;
  Token token;
};

NodeId Builder::expression(const Context& context) {
  Cursor cursor(context);
  if (cursor.eat(Tok::If)) {
    NodeId condition = expression(cursor.context());
    cursor.eat(Tok::Then);
    NodeId yes = expression(cursor.context());
    cursor.eat(Tok::Else);
    NodeId no = expression(cursor.context());
    return make(Kind::If, spanOf(context), {condition, yes, no});
  }
  std::vector<Pending> pending;
  NodeId first = operand(cursor.context(), pending);
  if (cursor.done() && pending.empty()) return first;
  std::vector<NodeId> operands{first};
  while (!cursor.done()) {
    pushOperator(cursor.token(), pending, operands);
    operands.push_back(operand(cursor.context(), pending));
  }
  while (!pending.empty()) reduce(pending, operands);
  return operands.back();
}

/// Makes the nodes of the operators that bind tighter than this one, and lets it wait for its
/// right.
void Builder::pushOperator(const Token& token, std::vector<Pending>& pending,
                           std::vector<NodeId>& operands) {
  Operator next = operatorOf(token.type, false);
  bool rightFirst = next.precedence == kPower;
  while (!pending.empty()) {
    const Operator& last = pending.back().what;
    if (last.precedence < next.precedence) break;
    if (last.precedence == next.precedence && rightFirst) break;
    if (last.precedence == next.precedence &&
        (next.precedence == kCompare || next.precedence == kRange)) {
      Diagnostic& error = session_.error(Code::E0110, session_.span(token),
                                         next.precedence == kCompare ? "comparisons do not chain"
                                                                     : "ranges do not chain",
                                         "a second one");
      error.label(session_.span(pending.back().token), "the first");
      if (next.precedence == kCompare) error.helpText("write `a < b and b < c`");
    }
    reduce(pending, operands);
  }
  pending.push_back({next, token});
}

void Builder::reduce(std::vector<Pending>& pending, std::vector<NodeId>& operands) {
  Pending last = pending.back();
  pending.pop_back();
  Span sign = session_.span(last.token);
  NodeId right = operands.back();
  NodeId node;
  if (last.what.prefix) {
    node = make(last.what.kind, join(sign, at(right).span), {right});
  } else {
    operands.pop_back();
    NodeId left = operands.back();
    node = make(last.what.kind, join(at(left).span, at(right).span), {left, right});
    if (at(node).kind == Kind::Binary) at(node).op = last.what.op;
  }
  at(node).nameSpan = sign;
  operands.back() = node;
}

/// An operand without its prefixes, which join the pending operators.
NodeId Builder::operand(const Context& context, std::vector<Pending>& pending) {
  Cursor cursor(context);
  while (cursor.rule() != SysdlParser::RulePrimary) {
    const Token& token = cursor.token();
    pending.push_back({operatorOf(token.type, true), token});
  }
  NodeId node = primary(cursor.context());
  while (!cursor.done()) node = suffix(node, cursor);
  return node;
}

NodeId Builder::suffix(NodeId operand, Cursor& cursor) {
  Span from = at(operand).span;
  if (cursor.rule() == SysdlParser::RuleArguments) return call(operand, cursor.context());
  if (cursor.rule() == SysdlParser::RuleBody) {
    NodeId inner = body(cursor.context());
    return make(Kind::Amend, join(from, at(inner).span), {operand, inner});
  }
  if (cursor.eat(Tok::Dot)) {
    const Token& name = cursor.token();
    return named(make(Kind::Select, join(from, session_.span(name)), {operand}), name);
  }
  cursor.eat(Tok::LBracket);
  NodeId index = expression(cursor.context());
  Span last = session_.span(cursor.token());
  return make(Kind::Index, join(from, last), {operand, index});
}

NodeId Builder::call(NodeId callee, const Context& arguments) {
  std::vector<NodeId> children{callee};
  for (Cursor cursor(arguments); !cursor.done();) {
    if (cursor.rule() != SysdlParser::RuleArgument) {
      cursor.token();
      continue;
    }
    const Context& inner = cursor.context();
    Cursor parts(inner);
    const Token* name = parts.type() == Tok::ArgumentName ? &parts.token() : nullptr;
    parts.eat(Tok::Assign);
    NodeId value = expression(parts.context());
    children.push_back(make(Kind::Arg, spanOf(inner), {value}));
    if (name) named(children.back(), *name);
  }
  return make(Kind::Call, join(at(callee).span, spanOf(arguments)), children);
}

NodeId Builder::primary(const Context& context) {
  Cursor cursor(context);
  if (cursor.rule() == SysdlParser::RuleList) return list(cursor.context());
  const Token& token = cursor.token();
  switch (token.type) {
  case Tok::Number: {
    NodeId unit;
    if (!cursor.done()) {
      const Token& unitToken = cursor.token();
      unit = make(Kind::UnitName, session_.span(unitToken));
      at(unit).text = intern(unitToken);
    }
    NodeId number = unit.valid() ? make(Kind::Number, spanOf(context), {unit})
                                 : make(Kind::Number, spanOf(context), {NodeId{}});
    at(number).text = intern(token);
    at(number).nameSpan = session_.span(token);
    return number;
  }
  case Tok::String: return text(token);
  case Tok::True: return make(Kind::True, session_.span(token));
  case Tok::False: return make(Kind::False, session_.span(token));
  case Tok::LParen: {
    NodeId inner = expression(cursor.context());
    return make(Kind::Group, spanOf(context), {inner});
  }
  default: return named(make(Kind::Ref, session_.span(token)), token);
  }
}

NodeId Builder::list(const Context& context) {
  std::vector<NodeId> elements;
  const Token* variable = nullptr;
  bool conditional = false;
  for (Cursor cursor(context); !cursor.done();) {
    if (cursor.rule() == SysdlParser::RuleExpr) {
      elements.push_back(expression(cursor.context()));
      continue;
    }
    const Token& token = cursor.token();
    if (token.type == Tok::Name) variable = &token;
    if (token.type == Tok::If) conditional = true;
  }
  if (!variable) return make(Kind::List, spanOf(context), elements);
  if (!conditional) elements.push_back({});
  return named(make(Kind::Comprehension, spanOf(context), elements), *variable);
}

}  // namespace sysdl::parsing
