// Syntax tree and tokens to a document: what the files of the formatter share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/syntax/format_layout.h"
#include "frontend/syntax/format_tokens.h"
#include "frontend/syntax/tree.h"

namespace sysdl::syntax::formatting {

/// Walks the tree in the order of the text and takes the tokens as it goes, so none can be lost.
class Writer {
public:
  Writer(const Tree& tree, const SourceMap& sources, std::string_view text)
      : tree_(tree), sources_(sources), tokens_(tokensOf(text)) {}

  /// The formatted file; empty where tree and tokens do not belong together.
  std::string file();

private:
  // format.cpp: the file, its items, bodies
  DocId item(NodeId id);
  DocId unit(NodeId id);
  DocId enumeration(NodeId id);
  DocId block(NodeId id);
  DocId params(NodeId id);
  DocId body(NodeId id);
  DocId broken(NodeId id, DocId open);

  // format_member.cpp
  DocId member(NodeId id);
  DocId field(NodeId id);
  DocId child(NodeId id);
  DocId require(NodeId id);
  DocId origin(NodeId id);
  DocId weight(NodeId id);
  DocId shard(NodeId id);
  DocId pareto(NodeId id);
  DocId names(NodeId id);
  DocId path(NodeId id);
  DocId type(NodeId id);
  /// `lhs = value`, the sign not taken yet.
  DocId assign(DocId lhs, NodeId value, bool ownLine = false);
  /// The next word, a space and an expression.
  DocId wordAnd(NodeId value);

  // format_expression.cpp
  /// `flush`: lines that an operator breaks do not move in.
  DocId expression(NodeId id, bool flush = false);
  DocId chain(NodeId id, bool flush);
  DocId choice(NodeId id);
  DocId call(NodeId id);
  DocId argument(NodeId id);
  DocId list(NodeId id);
  DocId comprehension(NodeId id);
  DocId group(NodeId id);
  bool isBracket(NodeId id) const;  // breaks best inside its own brackets
  bool isAtom(NodeId id) const;
  bool isSmall(NodeId id) const;
  bool hugs(NodeId id) const;
  bool bracketsChoose(NodeId id) const;
  size_t sizeOf(NodeId id, size_t limit) const;

  // format_text.cpp: tokens, comments and brackets
  /// The next token, comments around it.
  DocId token();
  DocId expect(std::string_view text);
  bool next(std::string_view text) const { return tokens_[at_].text == text; }
  bool startsWith(Span span) const;
  DocId space() { return docs_.mark(DocKind::Space); }
  DocId line() { return docs_.mark(DocKind::Line); }
  /// Before a source: it stands on the line of its fact, however long that becomes.
  DocId stop() { return docs_.mark(DocKind::Stop); }
  DocId soft() { return docs_.mark(DocKind::Soft); }
  /// Takes the comments before the next token, so that they do not break what it starts.
  /// `atClose`: nothing else of the indented lines follows.
  DocId leading(bool atClose = false);
  /// Takes the comment after the last token, so that it does not break what that ends.
  DocId trailing();
  /// What `build` makes, comments before and after kept out of it.
  DocId apart(const std::function<DocId()>& build);
  /// The contents of brackets on lines of their own: `open`, parts, `close`. A comma follows the
  /// last part where lines break and `comma` says so.
  DocId bracket(DocId open, std::span<const DocId> parts, bool comma, std::string_view close);
  /// Parts with the comma that follows each but the last.
  std::vector<DocId> separated(std::span<const NodeId> ids,
                               const std::function<DocId(NodeId)>& build);
  /// Each part on a line of its own, or all on one.
  DocId lines(std::span<const DocId> parts);
  bool commentHere() const;
  template <typename... Parts>
  DocId join(Parts... parts) {
    return docs_.concat({parts...});
  }

  const Node& node(NodeId id) const { return tree_[id]; }
  NodeId part(NodeId id, uint32_t i) const { return tree_.child(id, i); }

  const Tree& tree_;
  const SourceMap& sources_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  Docs docs_;
  DocId lastTrailing_ = Docs::none();
  uint32_t brackets_ = 0;  // open ( and [ around, within the innermost body
  bool failed_ = false;
};

}  // namespace sysdl::syntax::formatting
