// Expressions in canonical form.
#include "frontend/syntax/format_writer.h"

namespace sysdl::syntax::formatting {
namespace {

/// Operators of one class share a level: a chain of them breaks at all or, from 7 on, where it must.
int classOf(Op op) {
  switch (op) {
  case Op::Or: return 1;
  case Op::And: return 2;
  case Op::Add:
  case Op::Subtract: return 6;
  case Op::Multiply:
  case Op::Divide:
  case Op::Contract:
  case Op::Mod: return 7;
  case Op::Power: return 9;
  default: return 4;
  }
}

constexpr int kFills = 7;
constexpr size_t kSmall = 8;  // nodes

}  // namespace

DocId Writer::expression(NodeId id, bool flush) {
  const Node& node = this->node(id);
  switch (node.kind) {
  case Kind::Binary: return chain(id, flush);
  case Kind::If: return choice(id);
  case Kind::Call: return call(id);
  case Kind::List: return list(id);
  case Kind::Comprehension: return comprehension(id);
  case Kind::Group: return group(id);
  case Kind::Amend: {
    DocId base = expression(part(id, 0));
    return join(base, space(), body(part(id, 1)));
  }
  case Kind::Select: {
    DocId base = expression(part(id, 0));
    DocId dot = expect(".");
    return join(base, dot, token());
  }
  case Kind::Index: {
    DocId base = expression(part(id, 0));
    DocId open = expect("[");
    ++brackets_;
    DocId index = expression(part(id, 1));
    --brackets_;
    return join(base, open, index, expect("]"));
  }
  case Kind::Not: {
    DocId sign = expect("not");
    return join(sign, space(), expression(part(id, 0)));
  }
  case Kind::Negate: {
    DocId sign = expect("-");
    return join(sign, expression(part(id, 0)));
  }
  case Kind::Range: {
    DocId low = expression(part(id, 0));
    DocId sign = expect("..");
    return part(id, 1).valid() ? join(low, sign, expression(part(id, 1))) : join(low, sign);
  }
  case Kind::Number: {
    DocId digits = token();
    if (!part(id, 0).valid()) return digits;
    return next("%") ? join(digits, token()) : join(digits, space(), token());
  }
  default: return token();
  }
}

DocId Writer::chain(NodeId id, bool flush) {
  int level = classOf(node(id).op);
  std::vector<NodeId> operands;
  NodeId left = id;
  while (node(left).kind == Kind::Binary && classOf(node(left).op) == level && level != 9) {
    operands.push_back(part(left, 1));
    left = part(left, 0);
  }
  if (level == 9) {
    operands.push_back(part(id, 1));
    left = part(id, 0);
  }
  operands.push_back(left);
  // A newline ends a statement outside of ( ) and [ ], but not after an operator.
  bool signsFirst = brackets_ > 0;
  std::vector<DocId> parts;
  DocId current = expression(left);
  for (size_t i = operands.size() - 1; i-- > 0;) {
    if (signsFirst) {
      parts.push_back(join(current, trailing()));
      current = apart([&] {
        DocId sign = token();
        return join(sign, space(), expression(operands[i]));
      });
    } else {
      parts.push_back(join(current, space(), token()));
      current = expression(operands[i]);
    }
  }
  parts.push_back(current);
  DocId inner = level >= kFills ? docs_.make(DocKind::Fill, parts) : lines(parts);
  if (!flush && !isBracket(id)) inner = docs_.make(DocKind::Indent, {inner});
  return docs_.make(DocKind::Loose, {inner});
}

/// `if … then … else …`: lists and the like break inside, others before `then` and `else`.
DocId Writer::choice(NodeId id) {
  bool inside = bracketsChoose(id);
  std::vector<DocId> parts;
  for (NodeId at = id;; at = part(at, 2)) {
    DocId word = expect("if");
    DocId condition = expression(part(at, 0));
    DocId head = join(word, space(), condition);
    DocId then = expect("then");
    DocId yes = join(then, space(), expression(part(at, 1)));
    if (inside) {
      DocId otherwise = expect("else");
      return join(head, space(), yes, space(), otherwise, space(), expression(part(at, 2)));
    }
    DocId indented = docs_.make(DocKind::Indent, {line(), yes});
    parts.push_back(docs_.make(DocKind::Group, {head, indented}));
    DocId otherwise = expect("else");
    parts.push_back(line());
    parts.push_back(otherwise);
    parts.push_back(space());
    if (node(part(at, 2)).kind == Kind::If) continue;
    parts.push_back(expression(part(at, 2)));
    return docs_.make(DocKind::Group, parts);
  }
}

bool Writer::bracketsChoose(NodeId id) const {
  NodeId yes = part(id, 1), no = part(id, 2);
  bool first = isBracket(yes) && node(yes).kind != Kind::Call;
  bool second = isBracket(no);
  return (first || isSmall(yes)) && (second || isSmall(no)) && (first || second);
}

DocId Writer::group(NodeId id) {
  DocId open = expect("(");
  ++brackets_;
  NodeId inner = part(id, 0);
  DocId out;
  if (hugs(inner)) {
    DocId content = expression(inner);
    out = join(open, content, expect(")"));
  } else {
    DocId content[] = {apart([&] { return expression(inner, true); })};
    out = bracket(open, content, false, ")");
  }
  --brackets_;
  return out;
}

DocId Writer::argument(NodeId id) {
  if (!node(id).name) return expression(part(id, 0));
  DocId name = token();
  DocId sign = expect("=");
  return join(name, space(), sign, space(), expression(part(id, 0)));
}

/// Arguments stand on one line, on two, or on one line each.
DocId Writer::call(NodeId id) {
  DocId callee = expression(part(id, 0));
  DocId open = expect("(");
  std::span<const NodeId> arguments = tree_.children(id).subspan(1);
  ++brackets_;
  DocId out;
  if (arguments.size() == 1 && hugs(part(arguments[0], 0))) {
    DocId content = argument(arguments[0]);
    out = join(callee, open, content, expect(")"));
  } else if (arguments.size() < 2) {
    std::vector<DocId> parts = separated(arguments, [&](NodeId one) { return argument(one); });
    out = join(callee, bracket(open, parts, false, ")"));
  } else {
    std::vector<DocId> parts = separated(arguments, [&](NodeId one) { return argument(one); });
    DocId filled = docs_.make(DocKind::Fill, parts);
    DocId comma = docs_.text(",", DocKind::IfBroken);
    DocId inner = docs_.make(DocKind::Indent, {soft(), lines(parts), comma, leading(true)});
    DocId apiece = join(inner, soft());
    DocId content = docs_.make(DocKind::Hang, {filled, apiece});
    out = join(callee, open, content, expect(")"));
  }
  --brackets_;
  return out;
}

DocId Writer::list(NodeId id) {
  DocId open = expect("[");
  ++brackets_;
  std::span<const NodeId> items = tree_.children(id);
  bool atoms = items.size() > 1;
  for (NodeId item : items) atoms = atoms && isAtom(item);
  DocId out;
  if (items.size() == 1 && node(items[0]).kind == Kind::Amend && hugs(items[0])) {
    DocId content = expression(items[0]);
    out = join(open, content, expect("]"));
  } else {
    std::vector<DocId> parts = separated(items, [&](NodeId one) { return expression(one); });
    if (atoms) {
      DocId filled[] = {docs_.make(DocKind::Fill, parts)};
      out = bracket(open, filled, true, "]");
    } else {
      out = bracket(open, parts, !items.empty(), "]");
    }
  }
  --brackets_;
  return out;
}

DocId Writer::comprehension(NodeId id) {
  DocId open = expect("[");
  ++brackets_;
  std::vector<DocId> parts{apart([&] { return expression(part(id, 0)); })};
  parts.push_back(apart([&] {
    DocId word = expect("for");
    DocId name = token();
    DocId in = expect("in");
    return join(word, space(), name, space(), in, space(), expression(part(id, 1)));
  }));
  if (part(id, 2).valid()) parts.push_back(apart([&] { return wordAnd(part(id, 2)); }));
  DocId content[] = {docs_.make(DocKind::Group, {lines(parts)})};
  DocId out = bracket(open, content, false, "]");
  --brackets_;
  return out;
}

bool Writer::isBracket(NodeId id) const {
  switch (node(id).kind) {
  case Kind::List:
  case Kind::Comprehension:
  case Kind::Call:
  case Kind::Amend:
  case Kind::Group: return true;
  case Kind::Select:
  case Kind::Index: return isBracket(part(id, 0));
  // `(long) / short`
  case Kind::Binary: return isBracket(part(id, 0)) && isSmall(part(id, 1));
  default: return false;
  }
}

bool Writer::isAtom(NodeId id) const {
  switch (node(id).kind) {
  case Kind::Number:
  case Kind::Text:
  case Kind::True:
  case Kind::False:
  case Kind::Ref: return true;
  case Kind::Negate:
  case Kind::Select: return isAtom(part(id, 0));
  default: return false;
  }
}

size_t Writer::sizeOf(NodeId id, size_t limit) const {
  if (limit == 0 || !id.valid()) return 0;
  size_t size = 1;
  for (NodeId child : tree_.children(id)) {
    if (size < limit) size += sizeOf(child, limit - size);
  }
  return size;
}

bool Writer::isSmall(NodeId id) const {
  return node(id).kind != Kind::Amend && sizeOf(id, kSmall + 1) <= kSmall;
}

/// Whether the brackets around an expression, its brackets first, need no lines of their own.
bool Writer::hugs(NodeId id) const {
  if (commentHere()) return false;
  switch (node(id).kind) {
  case Kind::List:
  case Kind::Comprehension:
  case Kind::Amend:
  case Kind::Group: return true;
  default: return false;
  }
}

}  // namespace sysdl::syntax::formatting
