// The members of a body.
#include <charconv>

#include "frontend/parse/builder.h"
#include "grammar/SysdlParser.h"

namespace sysdl::parsing {

using grammar::SysdlParser;
using syntax::NodeId;

NodeId Builder::statement(const Context& context) {
  const Token& first = static_cast<const ParserToken*>(context.start)->token;
  if (context.exception) return bad(first);
  Cursor line(context);
  const Context& inner = line.context();
  Cursor cursor(inner);
  if (cursor.type() == Tok::Bad) return bad(first);
  if (cursor.type() == Tok::Nonlinear) return make(Kind::Nonlinear, session_.span(first));
  return member(cursor.context());
}

NodeId Builder::member(const Context& context) {
  switch (context.getRuleIndex()) {
  case SysdlParser::RuleNamed: return namedMember(context);
  case SysdlParser::RuleField:
  case SysdlParser::RuleChild: return modified(context);
  case SysdlParser::RuleRequireRule: return require(context);
  case SysdlParser::RuleOrigin: return origin(context);
  case SysdlParser::RuleWeight: return weight(context);
  case SysdlParser::RuleShardRule: return shard(Kind::Shard, context);
  case SysdlParser::RuleStoreRule: return shard(Kind::Store, context);
  case SysdlParser::RuleParetoRule: return pareto(context);
  case SysdlParser::RuleTopRule: return top(context);
  case SysdlParser::RuleBestRule: return best(context);
  case SysdlParser::RuleChildrenRule: return simple(Kind::Children, context);
  case SysdlParser::RuleLetRule: return simple(Kind::Let, context);
  case SysdlParser::RuleWarnRule: return warn(context);
  case SysdlParser::RuleFuseRule: return simple(Kind::Fuse, context);
  case SysdlParser::RuleStagesRule: return simple(Kind::Stages, context);
  case SysdlParser::RuleYieldRule: return simple(Kind::Yield, context);
  case SysdlParser::RuleSweepRule: return simple(Kind::Sweep, context);
  case SysdlParser::RuleKeepRule: return simple(Kind::Keep, context);
  case SysdlParser::RulePlotRule: return simple(Kind::Plot, context);
  case SysdlParser::RuleExpectRule: return simple(Kind::Expect, context);
  default: return make(Kind::Bad, spanOf(context));
  }
}

/// A statement of words and parts, whose parts are its children in the order of the text.
NodeId Builder::simple(Kind kind, const Context& context) {
  std::vector<NodeId> children;
  const Token* name = nullptr;
  for (Cursor cursor(context); !cursor.done();) {
    switch (cursor.rule()) {
    case SysdlParser::RuleExpr: children.push_back(expression(cursor.context())); break;
    case SysdlParser::RuleType: children.push_back(type(cursor.context())); break;
    case SysdlParser::RuleNames: children.push_back(names(cursor.context())); break;
    case SysdlParser::RulePath: {
      Cursor parts(cursor.context());
      const Token& first = parts.token();
      children.push_back(path(parts, first, Tok::None));
      break;
    }
    default: {
      const Token& token = cursor.token();
      if (token.type == Tok::Name) name = &token;
      if (token.type == Tok::String) children.push_back(text(token));
    }
    }
  }
  if (kind == Kind::Expect && children.size() == 1) children.push_back({});
  NodeId node = make(kind, spanOf(context), children);
  return name ? named(node, *name) : node;
}

NodeId Builder::namedMember(const Context& context) {
  Cursor cursor(context);
  const Token& first = cursor.token();
  if (cursor.rule() == SysdlParser::RuleFieldTail) {
    return field(first, cursor.context(), spanOf(context), 0);
  }
  if (cursor.type() == Tok::Name) {
    const Token& label = cursor.token();
    return child(context, first, label, cursor.context(), 0);
  }
  NodeId target = path(cursor, first, Tok::Assign);
  if (!cursor.eat(Tok::Assign)) {
    NodeId inner = body(cursor.context());
    return make(Kind::Nest, spanOf(context), {target, inner});
  }
  NodeId value = expression(cursor.context());
  NodeId from;
  if (!cursor.done()) from = origin(cursor.context());
  return make(Kind::Assign, spanOf(context), {target, value, from});
}

NodeId Builder::field(const Token& name, const Context& tail, Span span, uint8_t flags) {
  Cursor cursor(tail);
  cursor.eat(Tok::Colon);
  NodeId typeNode = type(cursor.context());
  NodeId range, value, from;
  if (cursor.eat(Tok::In)) {
    range = expression(cursor.context());
    if (cursor.type() == Tok::OpenRange) {
      Span sign = session_.span(cursor.token());
      range = make(Kind::Range, join(at(range).span, sign), {range, NodeId{}});
      at(range).nameSpan = sign;
    }
  }
  if (cursor.eat(Tok::Assign)) value = expression(cursor.context());
  if (!cursor.done()) from = origin(cursor.context());
  NodeId node = named(make(Kind::Field, span, {typeNode, range, value, from}), name);
  at(node).flags = flags;
  return node;
}

NodeId Builder::child(const Context& context, const Token& group, const Token& label,
                      const Context& tail, uint8_t flags) {
  NodeId groupWord = word(group);
  NodeId inner, value;
  Cursor cursor(tail);
  if (cursor.eat(Tok::Assign)) {
    value = expression(cursor.context());
  } else if (!cursor.done()) {
    inner = body(cursor.context());
  }
  // The tail may be empty, so the span cannot be that of the rule.
  Span span = join(spanOf(context), session_.span(label));
  if (inner.valid()) span.end = at(inner).span.end;
  if (value.valid()) span.end = at(value).span.end;
  NodeId node = named(make(Kind::Child, span, {groupWord, inner, value}), label);
  at(node).flags = flags;
  return node;
}

/// What starts with `derived`, `input`, `result`, `new` or `drop`.
NodeId Builder::modified(const Context& context) {
  Cursor cursor(context);
  uint8_t flags = 0;
  for (;;) {
    const Token& token = cursor.token();
    switch (token.type) {
    case Tok::Derived: flags |= syntax::flag::Derived; break;
    case Tok::Input: flags |= syntax::flag::Input; break;
    case Tok::Result: flags |= syntax::flag::Result; break;
    case Tok::New: flags |= syntax::flag::New; break;
    case Tok::Drop: flags |= syntax::flag::Drop; break;
    default:
      if (context.getRuleIndex() == SysdlParser::RuleField) {
        return field(token, cursor.context(), spanOf(context), flags);
      }
      const Token& label = cursor.token();
      return child(context, token, label, cursor.context(), flags);
    }
  }
}

NodeId Builder::require(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Require);
  NodeId condition = expression(cursor.context());
  const Token* code = nullptr;
  NodeId otherwise;
  if (cursor.eat(Tok::As)) code = &cursor.token();
  if (cursor.eat(Tok::Else)) otherwise = text(cursor.token());
  NodeId node = make(Kind::Require, spanOf(context), {condition, otherwise});
  return code ? named(node, *code) : node;
}

NodeId Builder::warn(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Warn);
  cursor.eat(Tok::If);
  NodeId condition = expression(cursor.context());
  const Token* code = nullptr;
  if (cursor.eat(Tok::As)) code = &cursor.token();
  cursor.eat(Tok::Colon);
  NodeId node = make(Kind::Warn, spanOf(context), {condition, text(cursor.token())});
  return code ? named(node, *code) : node;
}

NodeId Builder::origin(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Source);
  const Token& source = cursor.token();
  NodeId node = make(Kind::Origin, spanOf(context));
  at(node).text = session_.names.intern(plainText(source));
  if (cursor.eat(Tok::As)) named(node, cursor.token());
  return node;
}

NodeId Builder::weight(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Param);
  const Token& name = cursor.token();
  cursor.eat(Tok::Colon);
  cursor.eat(Tok::LBracket);
  NodeId apart;
  NodeId from = names(cursor.context());
  if (cursor.eat(Tok::Colon)) {
    apart = from;
    from = names(cursor.context());
  }
  NodeId to;
  if (cursor.eat(Tok::Arrow)) to = names(cursor.context());
  return named(make(Kind::Weight, spanOf(context), {apart, from, to}), name);
}

NodeId Builder::shard(Kind kind, const Context& context) {
  Cursor cursor(context);
  cursor.token();
  NodeId axes = names(cursor.context());
  cursor.eat(Tok::Over);
  NodeId over = expression(cursor.context());
  NodeId condition, where;
  if (cursor.eat(Tok::If)) condition = expression(cursor.context());
  if (cursor.eat(Tok::Where)) where = word(cursor.token());
  if (kind == Kind::Store) return make(kind, spanOf(context), {axes, over, condition});
  return make(kind, spanOf(context), {axes, over, condition, where});
}

NodeId Builder::pareto(const Context& context) {
  std::vector<NodeId> goals;
  for (Cursor cursor(context); !cursor.done();) {
    if (cursor.rule() != SysdlParser::RuleGoal) {
      cursor.token();
      continue;
    }
    const Context& inner = cursor.context();
    Cursor parts(inner);
    const Token& direction = parts.token();
    NodeId value = expression(parts.context());
    goals.push_back(make(Kind::Goal, spanOf(inner), {value}));
    at(goals.back()).nameSpan = session_.span(direction);
    if (direction.type == Tok::Maximize) at(goals.back()).flags = syntax::flag::Max;
  }
  return make(Kind::Pareto, spanOf(context), goals);
}

NodeId Builder::top(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Top);
  const Token& count = cursor.token();
  std::string digits;
  for (char c : session_.textOf(count)) {
    if (c != '_') digits += c;
  }
  uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  auto [stop, failure] = std::from_chars(digits.data(), end, number);
  if (failure != std::errc() || stop != end || number == 0) {
    session_.error(Code::E0110, session_.span(count), "`top` takes a whole number from 1 on",
                   "how many to keep");
    return bad(static_cast<const ParserToken*>(context.start)->token);
  }
  cursor.eat(Tok::By);
  NodeId by = expression(cursor.context());
  NodeId node = make(Kind::Top, spanOf(context), {by});
  at(node).number = number;
  at(node).nameSpan = session_.span(count);
  return node;
}

NodeId Builder::best(const Context& context) {
  Cursor cursor(context);
  bool most = cursor.token().type == Tok::Most;
  NodeId goal = expression(cursor.context());
  NodeId node = make(Kind::Best, spanOf(context), {goal});
  if (most) at(node).flags = syntax::flag::Max;
  return node;
}

}  // namespace sysdl::parsing
