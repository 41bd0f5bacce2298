// Declarations at the top level, and bodies.
#include "fmt/format.h"

#include "frontend/parse/builder.h"
#include "grammar/SysdlParser.h"

namespace sysdl::parsing {

using grammar::SysdlParser;
using syntax::NodeId;

NodeId Builder::topLevel(const Context& context) {
  const Token& first = static_cast<const ParserToken*>(context.start)->token;
  if (context.exception) return bad(first);
  Cursor line(context);
  Cursor item(line.context());
  if (item.type() == Tok::Bad) return bad(first);
  const Context& inner = item.context();
  switch (inner.getRuleIndex()) {
  case SysdlParser::RuleImportDecl: return importDecl(inner);
  case SysdlParser::RuleUnitDecl: return unitDecl(inner);
  case SysdlParser::RuleEnumDecl: return enumDecl(inner);
  case SysdlParser::RuleBlockDecl: return blockDecl(inner);
  case SysdlParser::RuleDecl: return decl(inner);
  case SysdlParser::RuleDimensionDecl: return plainDecl(Kind::Dimension, inner);
  case SysdlParser::RuleSchemaDecl: return plainDecl(Kind::Schema, inner);
  case SysdlParser::RuleOperatorDecl: return plainDecl(Kind::Operator, inner);
  case SysdlParser::RuleFnDecl: return plainDecl(Kind::Fn, inner);
  case SysdlParser::RuleTestDecl: return plainDecl(Kind::Test, inner);
  default: return bad(first);
  }
}

NodeId Builder::importDecl(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Import);
  Name text;
  Span textSpan;
  bool isModule = cursor.rule() == SysdlParser::RuleDotted;
  if (isModule) {
    text = session_.names.intern(dottedText(cursor, textSpan));
  } else {
    const Token& token = cursor.token();
    text = session_.names.intern(plainText(token));
    textSpan = session_.span(token);
  }
  NodeId node = make(Kind::Import, spanOf(context));
  at(node).text = text;
  at(node).nameSpan = textSpan;
  at(node).flags = isModule ? syntax::flag::Module : uint8_t{0};
  if (cursor.eat(Tok::As)) named(node, cursor.token());
  return node;
}

NodeId Builder::unitDecl(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::UnitWord);
  const Token& name = cursor.token();
  NodeId typeNode, value, prefixes;
  while (!cursor.done()) {
    if (cursor.rule() == SysdlParser::RuleType) {
      typeNode = type(cursor.context());
    } else if (cursor.rule() == SysdlParser::RuleExpr) {
      value = expression(cursor.context());
    } else if (cursor.rule() == SysdlParser::RulePrefixes) {
      Cursor words(cursor.context());
      words.eat(Tok::Prefixes);
      prefixes = names(words.context());
    } else {
      cursor.token();
    }
  }
  return named(make(Kind::Unit, spanOf(context), {typeNode, value, prefixes}), name);
}

NodeId Builder::enumDecl(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Enum);
  const Token& name = cursor.token();
  std::vector<NodeId> words;
  while (!cursor.done()) {
    const Token& token = cursor.token();
    if (token.type == Tok::Name) words.push_back(word(token));
  }
  return named(make(Kind::Enum, spanOf(context), words), name);
}

NodeId Builder::blockDecl(const Context& context) {
  Cursor cursor(context);
  cursor.eat(Tok::Block);
  const Token& name = cursor.token();
  NodeId subject;
  if (cursor.eat(Tok::For)) {
    const Token& subjectName = cursor.token();
    cursor.eat(Tok::Colon);
    NodeId subjectType = type(cursor.context());
    Span span = join(session_.span(subjectName), at(subjectType).span);
    subject = named(make(Kind::Param, span, {subjectType, NodeId{}}), subjectName);
  }
  NodeId parameters = params(cursor.context());
  NodeId inner = body(cursor.context());
  return named(make(Kind::Block, spanOf(context), {subject, parameters, inner}), name);
}

NodeId Builder::decl(const Context& context) {
  Cursor cursor(context);
  NodeId kind = dottedType(cursor.context());
  const Token& name = cursor.token();
  if (session_.names.text(at(kind).name) == "let") {
    session_
        .error(Code::E0110, at(kind).span, "`let` belongs into the { } of a declaration",
               "outside of all bodies")
        .helpText(fmt::format("outside, write `fn {}(): Type = …`", session_.textOf(name)));
    return bad(static_cast<const ParserToken*>(context.start)->token);
  }
  NodeId inner, value;
  if (cursor.eat(Tok::Assign)) {
    value = expression(cursor.context());
  } else {
    inner = body(cursor.context());
  }
  return named(make(Kind::Decl, spanOf(context), {kind, inner, value}), name);
}

/// A declaration whose parts stand in the text in the order of its children.
NodeId Builder::plainDecl(Kind kind, const Context& context) {
  Token name;
  uint8_t flags = 0;
  std::vector<NodeId> children;
  // Absent parts keep their place: a dimension's value, a schema's base.
  NodeId optional;
  for (Cursor cursor(context); !cursor.done();) {
    switch (cursor.rule()) {
    case SysdlParser::RuleType: optional = type(cursor.context()); break;
    case SysdlParser::RuleParams: children.push_back(params(cursor.context())); break;
    case SysdlParser::RuleBody: children.push_back(body(cursor.context())); break;
    case SysdlParser::RuleExpr: children.push_back(expression(cursor.context())); break;
    default: {
      const Token& token = cursor.token();
      if (token.type == Tok::Abstract) flags = syntax::flag::Abstract;
      if (token.type == Tok::Name || token.type == Tok::String) name = token;
    }
    }
  }
  if (kind == Kind::Schema) children.insert(children.begin(), optional);
  if (kind == Kind::Fn) children.insert(children.begin() + 1, optional);
  if (kind == Kind::Dimension && children.empty()) children.push_back({});
  NodeId node = make(kind, spanOf(context), children);
  at(node).flags = flags;
  if (kind != Kind::Test) return named(node, name);
  at(node).text = session_.names.intern(plainText(name));
  at(node).nameSpan = session_.span(name);
  return node;
}

NodeId Builder::params(const Context& context) {
  std::vector<NodeId> list;
  for (Cursor cursor(context); !cursor.done();) {
    if (cursor.rule() != SysdlParser::RuleParam) {
      cursor.token();
      continue;
    }
    const Context& inner = cursor.context();
    Cursor parts(inner);
    const Token& name = parts.token();
    parts.eat(Tok::Colon);
    NodeId typeNode = type(parts.context());
    NodeId value;
    if (parts.eat(Tok::Assign)) value = expression(parts.context());
    list.push_back(named(make(Kind::Param, spanOf(inner), {typeNode, value}), name));
  }
  return make(Kind::Params, spanOf(context), list);
}

NodeId Builder::body(const Context& context) {
  std::vector<NodeId> members;
  for (Cursor cursor(context); !cursor.done();) {
    if (cursor.rule() == SysdlParser::RuleStatement) {
      members.push_back(statement(cursor.context()));
    } else {
      cursor.token();
    }
  }
  return make(Kind::Body, spanOf(context), members);
}

}  // namespace sysdl::parsing
