// Nodes, and the small parts that all constructs share: names, types, paths.
#include <algorithm>
#include <typeinfo>

#include "fmt/format.h"

#include "frontend/parse/builder.h"
#include "grammar/SysdlParser.h"

namespace sysdl::parsing {

using grammar::SysdlParser;
using syntax::NodeId;

bool Cursor::isToken() const {
  // Cheaper than dynamic_cast: these are the only two classes that our strategy lets ANTLR make.
  const antlr4::tree::ParseTree& child = *children_[at_];
  return typeid(child) == typeid(antlr4::tree::TerminalNodeImpl);
}

Tok Cursor::type() const {
  if (done() || !isToken()) return Tok::None;
  return static_cast<Tok>(
      static_cast<antlr4::tree::TerminalNode*>(children_[at_])->getSymbol()->getType());
}

size_t Cursor::rule() const {
  if (done() || isToken()) return SIZE_MAX;
  return static_cast<const Context*>(children_[at_])->getRuleIndex();
}

const Token& Cursor::token() {
  antlr4::Token* symbol = static_cast<antlr4::tree::TerminalNode*>(children_[at_++])->getSymbol();
  return static_cast<const ParserToken*>(symbol)->token;
}

const Context& Cursor::context() { return *static_cast<const Context*>(children_[at_++]); }

bool Cursor::eat(Tok wanted) {
  if (type() != wanted) return false;
  ++at_;
  return true;
}

NodeId Builder::make(Kind kind, Span span, Children children) {
  uint32_t depth = 0;
  for (NodeId child : children) {
    if (child.valid() && child.index >= firstNode_) {
      depth = std::max(depth, depth_[child.index - firstNode_]);
    }
  }
  syntax::Tree& tree = session_.tree;
  syntax::Node node;
  node.kind = kind;
  node.span = span;
  if (++depth > session_.limits.maxDepth) {
    // Whoever walks the tree calls itself for each level; a chain of operators must not cost them
    // the stack.
    if (!tooDeep_) {
      session_
          .error(Code::E0120, span,
                 fmt::format("this expression is too deep: the limit (maxDepth) is {} operators in "
                             "one chain",
                             session_.limits.maxDepth),
                 "too deep")
          .helpText("name parts of it with `let`, or sum a list");
    }
    tooDeep_ = true;
    node.kind = Kind::Bad;
    children = {};
    depth = 1;
  }
  node.firstChild = static_cast<uint32_t>(tree.links.size());
  node.childCount = static_cast<uint32_t>(children.size());
  tree.links.insert(tree.links.end(), children.begin(), children.end());
  NodeId id{static_cast<uint32_t>(tree.nodes.size())};
  tree.nodes.push_back(node);
  depth_.resize(id.index - firstNode_ + 1);
  depth_.back() = depth;
  return id;
}

NodeId Builder::named(NodeId node, const Token& name) {
  at(node).name = intern(name);
  at(node).nameSpan = session_.span(name);
  return node;
}

NodeId Builder::bad(const Token& token) {
  const Token* last = &token;
  if (token.link > 0 && token.link < tokens_.size()) last = &tokens_[token.link - 1];
  return make(Kind::Bad, session_.span(token.begin, last->end));
}

Span Builder::spanOf(const Context& context) const {
  const Token& first = static_cast<const ParserToken*>(context.start)->token;
  const Token& last = static_cast<const ParserToken*>(context.stop)->token;
  return session_.span(first.begin, last.end);
}

NodeId Builder::word(const Token& token) {
  return named(make(Kind::Word, session_.span(token)), token);
}

NodeId Builder::names(const Context& context) {
  std::vector<NodeId> words;
  for (Cursor cursor(context); !cursor.done();) {
    const Token& token = cursor.token();
    if (token.type == Tok::Name) words.push_back(word(token));
  }
  return make(Kind::Names, spanOf(context), words);
}

/// Takes `a.b.c` and gives it back as one text; `span` is set to where it lies.
std::string Builder::dottedText(Cursor& cursor, Span& span) {
  const Context& context = cursor.context();
  span = spanOf(context);
  std::string text;
  for (Cursor parts(context); !parts.done();) text += session_.textOf(parts.token());
  return text;
}

NodeId Builder::type(const Context& context) {
  Cursor cursor(context);
  Span nameSpan;
  Name name = session_.names.intern(dottedText(cursor, nameSpan));
  std::vector<NodeId> arguments;
  uint8_t flags = 0;
  while (!cursor.done()) {
    if (cursor.rule() == SysdlParser::RuleTypeArg) {
      Cursor argument(cursor.context());
      if (argument.type() == Tok::OpenRange) {
        arguments.push_back(make(Kind::Type, session_.span(argument.token())));
        at(arguments.back()).flags = syntax::flag::Rest;
      } else {
        arguments.push_back(type(argument.context()));
      }
    } else if (cursor.token().type == Tok::Question) {
      flags = syntax::flag::Optional;
    }
  }
  NodeId node = make(Kind::Type, spanOf(context), arguments);
  at(node).name = name;
  at(node).nameSpan = nameSpan;
  at(node).flags = flags;
  return node;
}

NodeId Builder::dottedType(const Context& context) {
  std::string text;
  for (Cursor parts(context); !parts.done();) text += session_.textOf(parts.token());
  NodeId node = make(Kind::Type, spanOf(context));
  at(node).name = session_.names.intern(text);
  at(node).nameSpan = at(node).span;
  return node;
}

/// The path that starts with `first` and goes on up to a token `end` or a rule other than an index.
NodeId Builder::path(Cursor& cursor, const Token& first, Tok end) {
  std::vector<NodeId> parts{word(first)};
  Span last = session_.span(first);
  while (cursor.type() != end) {
    if (cursor.eat(Tok::Dot)) {
      const Token& token = cursor.token();
      parts.push_back(word(token));
      last = session_.span(token);
    } else if (cursor.type() == Tok::LBracket) {
      Span open = session_.span(cursor.token());
      NodeId index = expression(cursor.context());
      last = session_.span(cursor.token());
      parts.push_back(make(Kind::PathIndex, join(open, last), {index}));
    } else {
      break;
    }
  }
  return make(Kind::Path, join(session_.span(first), last), parts);
}

}  // namespace sysdl::parsing
