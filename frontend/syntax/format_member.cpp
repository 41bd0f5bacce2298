// The members of a body in canonical form.
#include "frontend/syntax/format_writer.h"

namespace sysdl::syntax::formatting {

DocId Writer::member(NodeId id) {
  switch (node(id).kind) {
  case Kind::Field: return field(id);
  case Kind::Child: return child(id);
  case Kind::Require: return require(id);
  case Kind::Origin: return origin(id);
  case Kind::Weight: return weight(id);
  case Kind::Shard:
  case Kind::Store: return shard(id);
  case Kind::Pareto: return pareto(id);
  case Kind::Nonlinear: return token();
  case Kind::Children: {
    DocId word = token();
    DocId name = token();
    DocId colon = expect(":");
    return join(word, space(), name, colon, space(), type(part(id, 0)));
  }
  case Kind::Assign: {
    DocId value = assign(path(part(id, 0)), part(id, 1));
    return part(id, 2).valid() ? join(value, stop(), space(), origin(part(id, 2))) : value;
  }
  case Kind::Nest: {
    DocId target = path(part(id, 0));
    return join(target, space(), body(part(id, 1)));
  }
  case Kind::Let: {
    DocId word = token();
    DocId name = token();
    return assign(join(word, space(), name), part(id, 0));
  }
  case Kind::Warn: {
    DocId word = token();
    DocId condition = wordAnd(part(id, 0));
    if (node(id).name) {
      DocId as = expect("as");
      condition = join(condition, space(), as, space(), token());
    }
    DocId colon = expect(":");
    DocId message = docs_.make(DocKind::Indent, {line(), expression(part(id, 1))});
    return docs_.make(DocKind::Loose, {join(word, space(), condition, colon), message});
  }
  case Kind::Fuse: {
    DocId word = token();
    return join(word, space(), names(part(id, 0)));
  }
  case Kind::Stages:
  case Kind::Keep: {
    DocId word = token();
    return join(word, space(), wordAnd(part(id, 0)));
  }
  case Kind::Yield: {
    DocId value = wordAnd(part(id, 0));
    return docs_.make(DocKind::Indent, {value});
  }
  case Kind::Sweep: {
    DocId word = token();
    DocId target = path(part(id, 0));
    return join(word, space(), target, space(), wordAnd(part(id, 1)));
  }
  case Kind::Top: {
    DocId word = token();
    DocId number = token();
    return join(word, space(), number, space(), wordAnd(part(id, 0)));
  }
  case Kind::Best: return wordAnd(part(id, 0));
  case Kind::Plot: {
    DocId what = wordAnd(part(id, 0));
    return join(what, space(), wordAnd(part(id, 1)));
  }
  case Kind::Expect: {
    DocId what = wordAnd(part(id, 0));
    return part(id, 1).valid() ? join(what, space(), wordAnd(part(id, 1))) : what;
  }
  default: failed_ = true; return Docs::none();
  }
}

DocId Writer::wordAnd(NodeId value) {
  DocId word = token();
  return join(word, space(), expression(value));
}

/// Lists and the like break inside, others go to a line of their own; what cannot break stays.
DocId Writer::assign(DocId lhs, NodeId value, bool ownLine) {
  DocId sign = expect("=");
  DocId head = join(lhs, space(), sign);
  bool chooses = node(value).kind == Kind::If && bracketsChoose(value) && !ownLine;
  bool breaks = node(value).kind == Kind::If || node(value).kind == Kind::Binary;
  if (chooses || !breaks || isBracket(value)) return join(head, space(), expression(value));
  DocId inner = docs_.make(DocKind::Indent, {line(), expression(value, true)});
  return docs_.make(DocKind::Loose, {head, inner});
}

DocId Writer::field(NodeId id) {
  std::vector<DocId> parts;
  while (!startsWith(node(id).nameSpan) && !failed_) {
    parts.push_back(token());
    parts.push_back(space());
  }
  parts.push_back(token());
  parts.push_back(expect(":"));
  parts.push_back(space());
  parts.push_back(type(part(id, 0)));
  if (part(id, 1).valid()) {
    parts.push_back(space());
    parts.push_back(wordAnd(part(id, 1)));
  }
  DocId out = docs_.concat(parts);
  if (part(id, 2).valid()) out = assign(out, part(id, 2));
  return part(id, 3).valid() ? join(out, stop(), space(), origin(part(id, 3))) : out;
}

DocId Writer::child(NodeId id) {
  std::vector<DocId> parts;
  while (!startsWith(node(id).nameSpan) && !failed_) {
    parts.push_back(token());
    parts.push_back(space());
  }
  parts.push_back(token());
  DocId out = docs_.concat(parts);
  if (part(id, 2).valid()) return assign(out, part(id, 2));
  return part(id, 1).valid() ? join(out, space(), body(part(id, 1))) : out;
}

/// The message stands on a line of its own.
DocId Writer::require(NodeId id) {
  DocId out = wordAnd(part(id, 0));
  if (node(id).name) {
    DocId as = expect("as");
    out = join(out, space(), as, space(), token());
  }
  if (!part(id, 1).valid()) return out;
  DocId word = expect("else");
  DocId message = token();
  DocId inner = join(docs_.mark(DocKind::Hard), word, space(), message);
  return join(out, docs_.make(DocKind::Indent, {inner}));
}

DocId Writer::origin(NodeId id) {
  DocId word = expect("source");
  DocId text = token();
  DocId out = join(word, space(), text);
  if (!node(id).name) return out;
  DocId as = expect("as");
  return join(out, space(), as, space(), token());
}

DocId Writer::weight(NodeId id) {
  DocId word = expect("param");
  DocId name = token();
  DocId colon = expect(":");
  DocId head = join(word, space(), name, colon, space());
  DocId open = expect("[");
  std::vector<DocId> parts;
  auto words = [&](NodeId list) {
    uint32_t count = tree_.childCountOf(list);
    for (uint32_t i = 0; i < count; ++i) {
      DocId one = token();
      parts.push_back(i + 1 < count ? join(one, expect(",")) : one);
    }
  };
  auto sign = [&](std::string_view text, bool tight) {
    parts.back() =
        tight ? join(parts.back(), expect(text)) : join(parts.back(), space(), expect(text));
  };
  if (part(id, 0).valid()) {
    words(part(id, 0));
    sign(":", true);
  }
  words(part(id, 1));
  if (part(id, 2).valid()) {
    sign("->", false);
    words(part(id, 2));
  }
  DocId filled[] = {docs_.make(DocKind::Fill, parts)};
  return join(head, bracket(open, filled, false, "]"));
}

DocId Writer::shard(NodeId id) {
  DocId word = token();
  DocId axes = names(part(id, 0));
  DocId out = join(word, space(), axes, space(), wordAnd(part(id, 1)));
  if (part(id, 2).valid()) out = join(out, space(), wordAnd(part(id, 2)));
  if (node(id).kind == Kind::Store || !part(id, 3).valid()) return out;
  DocId where = token();
  return join(out, space(), where, space(), token());
}

DocId Writer::pareto(NodeId id) {
  DocId word = expect("pareto");
  std::vector<DocId> goals =
      separated(tree_.children(id), [&](NodeId goal) { return wordAnd(part(goal, 0)); });
  DocId inner = docs_.make(DocKind::Indent, {docs_.make(DocKind::Fill, goals)});
  return join(word, space(), inner);
}

/// Words and commas, as many on a line as fit.
DocId Writer::names(NodeId id) {
  std::vector<DocId> parts = separated(tree_.children(id), [&](NodeId) { return token(); });
  DocId trail = trailing();
  return join(docs_.make(DocKind::Indent, {docs_.make(DocKind::Fill, parts)}), trail);
}

DocId Writer::path(NodeId id) {
  std::vector<DocId> parts;
  for (NodeId piece : tree_.children(id)) {
    if (node(piece).kind == Kind::PathIndex) {
      parts.push_back(expect("["));
      ++brackets_;
      parts.push_back(expression(part(piece, 0)));
      --brackets_;
      parts.push_back(expect("]"));
    } else {
      if (!parts.empty()) parts.push_back(expect("."));
      parts.push_back(token());
    }
  }
  return docs_.concat(parts);
}

DocId Writer::type(NodeId id) {
  std::vector<DocId> parts{token()};
  while (next(".")) {
    parts.push_back(token());
    parts.push_back(token());
  }
  std::span<const NodeId> arguments = tree_.children(id);
  if (!arguments.empty()) {
    parts.push_back(expect("["));
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) {
        parts.push_back(expect(","));
        parts.push_back(space());
      }
      parts.push_back(type(arguments[i]));
    }
    parts.push_back(expect("]"));
  }
  if ((node(id).flags & flag::Optional) != 0) parts.push_back(expect("?"));
  return docs_.concat(parts);
}

}  // namespace sysdl::syntax::formatting
