// A file, its declarations and their bodies in canonical form.
#include "frontend/syntax/format.h"

#include "frontend/syntax/format_writer.h"

namespace sysdl::syntax {
namespace formatting {

DocId Writer::item(NodeId id) {
  const Node& node = this->node(id);
  switch (node.kind) {
  case Kind::Unit: return unit(id);
  case Kind::Enum: return enumeration(id);
  case Kind::Block: return block(id);
  case Kind::Import: {
    std::vector<DocId> parts{expect("import"), space(), token()};
    while (next(".")) {
      parts.push_back(token());
      parts.push_back(token());
    }
    if (next("as")) {
      parts.push_back(space());
      parts.push_back(token());
      parts.push_back(space());
      parts.push_back(token());
    }
    return docs_.concat(parts);
  }
  case Kind::Dimension: {
    DocId word = token();
    DocId head = join(word, space(), token());
    return part(id, 0).valid() ? assign(head, part(id, 0)) : head;
  }
  case Kind::Schema: {
    std::vector<DocId> parts{token(), space(), token()};
    if ((node.flags & flag::Abstract) != 0) {
      parts.push_back(space());
      parts.push_back(token());
    }
    if (part(id, 0).valid()) {
      parts.push_back(expect(":"));
      parts.push_back(space());
      parts.push_back(type(part(id, 0)));
    }
    parts.push_back(space());
    parts.push_back(body(part(id, 1)));
    return docs_.concat(parts);
  }
  case Kind::Operator: {
    DocId word = token();
    DocId name = token();
    DocId list = params(part(id, 0));
    return join(word, space(), name, list, space(), body(part(id, 1)));
  }
  case Kind::Fn: {
    DocId word = token();
    DocId name = token();
    DocId list = params(part(id, 0));
    DocId colon = expect(":");
    DocId result = type(part(id, 1));
    DocId head = join(word, space(), name, list, colon, space(), result);
    return assign(head, part(id, 2), /*ownLine=*/true);
  }
  case Kind::Test: {
    DocId word = token();
    DocId title = token();
    return join(word, space(), title, space(), body(part(id, 0)));
  }
  case Kind::Decl: {
    DocId kind = type(part(id, 0));
    DocId head = join(kind, space(), token());
    if (part(id, 2).valid()) return assign(head, part(id, 2));
    return join(head, space(), body(part(id, 1)));
  }
  default: failed_ = true; return Docs::none();
  }
}

DocId Writer::unit(NodeId id) {
  DocId word = token();
  DocId out = join(word, space(), token());
  while (!failed_) {
    if (next(":")) {
      DocId colon = token();
      out = join(out, colon, space(), type(part(id, 0)));
    } else if (next("=")) {
      out = assign(out, part(id, 1));
    } else if (next("prefixes") && part(id, 2).valid() &&
               tokens_[at_].text.data() < sources_.text(node(part(id, 2)).span).data()) {
      DocId prefixes = token();
      out = join(out, space(), prefixes, space(), names(part(id, 2)));
    } else {
      break;
    }
  }
  return out;
}

DocId Writer::enumeration(NodeId id) {
  DocId word = token();
  DocId name = token();
  DocId head = join(word, space(), name, space());
  DocId open = expect("{");
  std::vector<DocId> parts;
  if (tokens_[at_].startsLine) parts.push_back(docs_.mark(DocKind::Force));
  uint32_t count = tree_.childCountOf(id);
  for (uint32_t i = 0; i < count; ++i) {
    parts.push_back(line());
    parts.push_back(apart([&] { return token(); }));
    if (i + 1 < count) parts.push_back(docs_.text(",", DocKind::IfFlat));
    if (!next(",")) continue;
    token();
    parts.push_back(trailing());
  }
  if (count == 0) parts.push_back(soft());
  parts.push_back(leading(true));
  DocId inner = docs_.make(DocKind::Indent, parts);
  DocId end = count == 0 ? soft() : line();
  return join(head, docs_.make(DocKind::Body, {open, inner, end, expect("}")}));
}

DocId Writer::block(NodeId id) {
  DocId word = token();
  DocId head = join(word, space(), token());
  if (NodeId subject = part(id, 0); subject.valid()) {
    DocId with = expect("for");
    DocId name = token();
    DocId colon = expect(":");
    DocId kind = type(part(subject, 0));
    head = join(head, space(), with, space(), name, colon, space(), kind, space());
  }
  DocId list = params(part(id, 1));
  return join(head, list, space(), body(part(id, 2)));
}

DocId Writer::params(NodeId id) {
  DocId open = expect("(");
  ++brackets_;
  std::vector<DocId> parts = separated(tree_.children(id), [&](NodeId param) {
    DocId name = token();
    DocId colon = expect(":");
    DocId head = join(name, colon, space(), type(part(param, 0)));
    return part(param, 1).valid() ? assign(head, part(param, 1)) : head;
  });
  DocId out = bracket(open, parts, !parts.empty(), ")");
  --brackets_;
  return out;
}

/// One fact stays on the line of its braces where it stood there and fits.
DocId Writer::body(NodeId id) {
  DocId open = expect("{");
  uint32_t count = tree_.childCountOf(id);
  bool comments = commentHere();
  if (count == 0 && !comments) return join(open, expect("}"));
  uint32_t outside = brackets_;
  brackets_ = 0;
  DocId out;
  if (count == 1 && !comments && !tokens_[at_].startsLine) {
    DocId fact = apart([&] { return member(part(id, 0)); });
    DocId inner = docs_.make(DocKind::Indent, {line(), fact, leading(true)});
    DocId end = line();
    out = docs_.make(DocKind::Body, {open, inner, end, expect("}")});
  } else {
    out = broken(id, open);
  }
  brackets_ = outside;
  return out;
}

DocId Writer::broken(NodeId id, DocId open) {
  std::vector<DocId> parts;
  bool first = true;
  auto newLine = [&](bool blank) {
    parts.push_back(docs_.mark(blank && !first ? DocKind::Blank : DocKind::Hard));
    first = false;
  };
  auto comments = [&] {
    for (const OwnLineComment& comment : tokens_[at_].comments) {
      newLine(comment.blankBefore);
      parts.push_back(docs_.text(comment.text, DocKind::Comment));
    }
    tokens_[at_].comments.clear();
  };
  for (NodeId fact : tree_.children(id)) {
    comments();
    newLine(tokens_[at_].blankBefore);
    parts.push_back(member(fact));
    parts.push_back(trailing());
  }
  comments();
  DocId inner = docs_.make(DocKind::Indent, parts);
  DocId end = docs_.mark(DocKind::Hard);
  return docs_.make(DocKind::Body, {open, inner, end, expect("}")});
}

std::string Writer::file() {
  std::string out;
  bool start = true;  // of a run of comments: the blank line before it is decided elsewhere
  auto comments = [&] {
    for (const OwnLineComment& comment : tokens_[at_].comments) {
      if (comment.blankBefore && !start) out += '\n';
      start = false;
      out.append(comment.text) += '\n';
    }
    tokens_[at_].comments.clear();
  };
  auto put = [&](DocId doc) {
    DocId trail = trailing();
    std::string text = docs_.print(join(doc, trail));
    out.append(text) += '\n';
    return text.find('\n') == std::string::npos;
  };
  comments();
  if (tokens_[at_].blankBefore && !out.empty()) out += '\n';
  DocId word = expect("sysdl");
  put(join(word, space(), token()));
  Kind before = Kind::File;
  bool wasLine = false;
  for (NodeId id : tree_.children(tree_.root)) {
    Token& first = tokens_[at_];
    bool blankFirst = first.comments.empty() ? first.blankBefore : first.comments[0].blankBefore;
    bool blankItem = first.blankBefore && !first.comments.empty();
    std::string above = std::move(out);
    out.clear();
    start = true;
    comments();
    if (blankItem) out += '\n';
    bool isLine = put(item(id));
    // One-line declarations of a kind may stand together.
    bool together = wasLine && isLine && before == node(id).kind;
    if (!together || blankFirst) above += '\n';
    out.swap(above);
    out += above;
    before = node(id).kind;
    wasLine = isLine;
    if (failed_) return {};
  }
  start = false;
  comments();
  return at_ + 1 == tokens_.size() && !failed_ ? out : std::string();
}

}  // namespace formatting

std::string format(const Tree& tree, const SourceMap& sources, const NameTable&) {
  if (!tree.root.valid()) return {};
  std::string_view text = sources.fileText(tree[tree.root].span.begin);
  return formatting::Writer(tree, sources, text).file();
}

}  // namespace sysdl::syntax
