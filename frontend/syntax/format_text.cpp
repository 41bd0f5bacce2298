// Tokens, comments and brackets of the formatter.
#include "frontend/syntax/format_writer.h"

namespace sysdl::syntax::formatting {

DocId Writer::token() {
  Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size())
    ++at_;
  else
    failed_ = true;
  lastTrailing_ = Docs::none();
  DocKind kind = token.text == "," ? DocKind::Glue : DocKind::Text;
  DocId text = docs_.text(token.text, kind);
  if (token.comments.empty() && token.trailing.empty()) return text;
  std::vector<DocId> parts;
  for (const OwnLineComment& comment : token.comments) {
    parts.push_back(docs_.text(comment.text, DocKind::Comment));
  }
  parts.push_back(text);
  if (!token.trailing.empty()) {
    lastTrailing_ = docs_.text(token.trailing, DocKind::Trailing);
    parts.push_back(lastTrailing_);
  }
  return docs_.concat(parts);
}

DocId Writer::expect(std::string_view text) {
  if (!next(text)) failed_ = true;
  return token();
}

bool Writer::startsWith(Span span) const {
  return sources_.text(span).data() == tokens_[at_].text.data();
}

bool Writer::commentHere() const {
  bool after = at_ > 0 && !tokens_[at_ - 1].trailing.empty();
  return after || !tokens_[at_].comments.empty();
}

DocId Writer::leading(bool atClose) {
  std::vector<DocId> parts;
  for (const OwnLineComment& comment : tokens_[at_].comments) {
    if (atClose) parts.push_back(docs_.mark(DocKind::Hard));
    parts.push_back(docs_.text(comment.text, DocKind::Comment));
  }
  tokens_[at_].comments.clear();
  return parts.empty() ? Docs::none() : docs_.concat(parts);
}

DocId Writer::trailing() {
  DocId taken = lastTrailing_;
  lastTrailing_ = Docs::none();
  if (taken.index == 0) return taken;
  DocId moved = docs_.text(docs_.textOf(taken), DocKind::Trailing);
  docs_.clear(taken);
  return moved;
}

DocId Writer::apart(const std::function<DocId()>& build) {
  DocId before = leading();
  DocId inner = build();
  return join(before, inner, trailing());
}

DocId Writer::lines(std::span<const DocId> parts) {
  std::vector<DocId> spaced;
  for (DocId part : parts) {
    if (!spaced.empty()) spaced.push_back(line());
    spaced.push_back(part);
  }
  return docs_.concat(spaced);
}

DocId Writer::bracket(DocId open, std::span<const DocId> parts, bool comma,
                      std::string_view close) {
  DocId after = comma ? docs_.text(",", DocKind::IfBroken) : Docs::none();
  DocId inner = docs_.make(DocKind::Indent, {soft(), lines(parts), after, leading(true)});
  DocId end = soft();
  return docs_.make(DocKind::Group, {open, inner, end, expect(close)});
}

std::vector<DocId> Writer::separated(std::span<const NodeId> ids,
                                     const std::function<DocId(NodeId)>& build) {
  std::vector<DocId> parts;
  for (size_t i = 0; i < ids.size(); ++i) {
    DocId inner = apart([&] { return build(ids[i]); });
    parts.push_back(i + 1 < ids.size() ? join(inner, expect(",")) : inner);
  }
  return parts;
}

}  // namespace sysdl::syntax::formatting
