// From ANTLR's parse tree of one item to nodes of ours. Included in frontend/parse/*.cpp only.
#pragma once

#include <initializer_list>
#include <span>

#include "antlr4-runtime.h"

#include "frontend/parse/token_parser.h"

namespace sysdl::parsing {

/// A token of ours as ANTLR wants it.
class ParserToken final : public antlr4::Token {
public:
  ParserToken(size_t tokenType, const parsing::Token& source) : token(source), type_(tokenType) {}

  parsing::Token token;
  size_t index = 0;

  size_t getType() const override { return type_; }
  size_t getTokenIndex() const override { return index; }
  size_t getStartIndex() const override { return token.begin; }
  size_t getStopIndex() const override { return token.end; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::string getText() const override { return {}; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

private:
  size_t type_;
};

using Context = antlr4::ParserRuleContext;

/// Walks the children of a rule from left to right.
class Cursor {
public:
  explicit Cursor(const Context& context) : children_(context.children) {}

  bool done() const { return at_ == children_.size(); }
  /// The type of the next child; None where it is a rule, or at the end.
  Tok type() const;
  /// The rule of the next child; SIZE_MAX where it is a token, or at the end.
  size_t rule() const;
  const Token& token();
  const Context& context();
  bool eat(Tok type);

private:
  bool isToken() const;
  const std::vector<antlr4::tree::ParseTree*>& children_;
  size_t at_ = 0;
};

class Builder {
public:
  Builder(Session& session, TokenParser& parser, const Tokens& tokens)
      : session_(session), parser_(parser), tokens_(tokens) {
    firstNode_ = static_cast<uint32_t>(session.tree.nodes.size());
  }

  syntax::NodeId topLevel(const Context& context);
  syntax::NodeId statement(const Context& context);
  syntax::NodeId expression(const Context& context);
  /// A node for what could not be parsed, from `token` to the end of its statement.
  syntax::NodeId bad(const Token& token);

private:
  using NodeId = syntax::NodeId;
  using Kind = syntax::Kind;
  using Children = std::span<const NodeId>;

  // build_node.cpp
  NodeId make(Kind kind, Span span, Children children);
  NodeId make(Kind kind, Span span, std::initializer_list<NodeId> children = {}) {
    return make(kind, span, Children(children.begin(), children.size()));
  }
  NodeId named(NodeId node, const Token& name);
  syntax::Node& at(NodeId node) { return session_.tree.nodes[node.index]; }
  Name intern(const Token& token) { return session_.names.intern(session_.textOf(token)); }
  Span spanOf(const Context& context) const;
  Span join(Span from, Span to) const { return {from.begin, to.end}; }
  NodeId word(const Token& token);
  NodeId names(const Context& context);
  NodeId type(const Context& context);
  NodeId dottedType(const Context& context);
  NodeId path(Cursor& cursor, const Token& first, Tok end);
  std::string dottedText(Cursor& cursor, Span& span);

  // build_item.cpp
  NodeId importDecl(const Context& context);
  NodeId unitDecl(const Context& context);
  NodeId enumDecl(const Context& context);
  NodeId blockDecl(const Context& context);
  NodeId decl(const Context& context);
  NodeId plainDecl(Kind kind, const Context& context);
  NodeId params(const Context& context);
  NodeId body(const Context& context);

  // build_member.cpp
  NodeId namedMember(const Context& context);
  NodeId field(const Token& name, const Context& tail, Span span, uint8_t flags);
  NodeId child(const Context& context, const Token& group, const Token& label, const Context& tail,
               uint8_t flags);
  NodeId modified(const Context& context);
  NodeId origin(const Context& context);
  NodeId weight(const Context& context);
  NodeId shard(Kind kind, const Context& context);
  NodeId pareto(const Context& context);
  NodeId top(const Context& context);
  NodeId best(const Context& context);
  NodeId require(const Context& context);
  NodeId warn(const Context& context);
  NodeId simple(Kind kind, const Context& context);
  NodeId member(const Context& context);

  // build_expression.cpp
  struct Pending;
  NodeId operand(const Context& context, std::vector<Pending>& pending);
  NodeId primary(const Context& context);
  NodeId list(const Context& context);
  NodeId suffix(NodeId operand, Cursor& cursor);
  NodeId call(NodeId callee, const Context& arguments);
  void reduce(std::vector<Pending>& pending, std::vector<NodeId>& operands);
  void pushOperator(const Token& token, std::vector<Pending>& pending,
                    std::vector<NodeId>& operands);

  // build_text.cpp
  NodeId text(const Token& token);
  std::string plainText(const Token& token);
  NodeId piece(uint32_t begin, uint32_t end, const std::string& contents);
  char escape(uint32_t at);
  NodeId interpolation(uint32_t open, uint32_t end, uint32_t& after);

  Session& session_;
  TokenParser& parser_;  // for the expressions in strings
  const Tokens& tokens_;
  uint32_t firstNode_;           // of this item
  std::vector<uint32_t> depth_;  // of the tree below each node of this item
  bool tooDeep_ = false;         // reported
};

}  // namespace sysdl::parsing
