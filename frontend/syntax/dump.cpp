// The text dump of a syntax tree.
#include "frontend/syntax/dump.h"

#include <iterator>

#include "fmt/format.h"

namespace sysdl::syntax {
namespace {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    default: out += c;
    }
  }
  return out + '"';
}

std::string flagsOf(const Node& node) {
  auto has = [&](uint8_t flag) { return (node.flags & flag) != 0; };
  std::string out;
  auto add = [&](bool set, std::string_view word) {
    if (set) out.append(" ").append(word);
  };
  switch (node.kind) {
  case Kind::Import: add(has(flag::Module), "module"); break;
  case Kind::Schema: add(has(flag::Abstract), "abstract"); break;
  case Kind::Field:
    add(has(flag::Derived), "derived");
    add(has(flag::Input), "input");
    add(has(flag::Result), "result");
    break;
  case Kind::Child:
    add(has(flag::New), "new");
    add(has(flag::Drop), "drop");
    break;
  case Kind::Best:
  case Kind::Goal: out = has(flag::Max) ? " max" : " min"; break;
  case Kind::Type:
    add(has(flag::Optional), "optional");
    add(has(flag::Rest), "rest");
    break;
  default: break;
  }
  return out;
}

std::string line(const Node& node, const SourceMap& sources, const NameTable& names, bool places) {
  std::string out(nameOf(node.kind));
  if (node.op != Op::None) out.append(" ").append(signOf(node.op));
  if (node.name) out.append(" ").append(names.text(node.name));
  if (node.text) out.append(" ").append(quote(names.text(node.text)));
  if (node.number != 0) out += fmt::format(" {}", node.number);
  out += flagsOf(node);
  if (places && node.span.valid()) {
    LineColumn begin = sources.resolve(node.span.begin);
    LineColumn end = sources.resolve(node.span.end);
    out += fmt::format(" @{}:{}-{}:{}", begin.line, begin.column, end.line, end.column);
  }
  return out;
}

}  // namespace

std::string_view nameOf(Kind kind) {
  switch (kind) {
    // clang-format off
#define KIND(name) case Kind::name: return #name;
    KIND(File) KIND(Import) KIND(Dimension) KIND(Unit) KIND(Enum) KIND(Schema) KIND(Operator)
    KIND(Block) KIND(Fn) KIND(Test) KIND(Decl) KIND(Params) KIND(Param) KIND(Body) KIND(Field)
    KIND(Children) KIND(Assign) KIND(Nest) KIND(Child) KIND(Let) KIND(Require) KIND(Warn)
    KIND(Origin) KIND(Weight) KIND(Fuse) KIND(Shard) KIND(Store) KIND(Stages) KIND(Nonlinear)
    KIND(Yield) KIND(Sweep) KIND(Keep) KIND(Pareto) KIND(Goal) KIND(Top) KIND(Best) KIND(Plot) KIND(Expect)
    KIND(Path) KIND(PathIndex) KIND(Word) KIND(Names) KIND(Type) KIND(Select) KIND(Index)
    KIND(Call) KIND(Arg) KIND(Amend) KIND(Binary) KIND(Not) KIND(Negate) KIND(Range) KIND(If)
    KIND(Number) KIND(UnitName) KIND(Text) KIND(TextPiece) KIND(True) KIND(False) KIND(Ref)
    KIND(List) KIND(Comprehension) KIND(Group) KIND(Bad)
#undef KIND
    // clang-format on
  }
  return {};
}

std::string_view signOf(Op op) {
  static constexpr std::string_view kSigns[] = {"",   "^",  "*", "/",  "@", "mod", "+",   "-",
                                                "==", "!=", "<", "<=", ">", ">=",  "and", "or"};
  return kSigns[static_cast<size_t>(op)];
}

std::string dump(const Tree& tree, const SourceMap& sources, const NameTable& names, bool places) {
  struct Step {
    NodeId node;
    size_t depth;
  };
  std::string out;
  // A stack of its own: the depth of a tree is bounded, but not by what a dump should rely on.
  std::vector<Step> stack;
  if (tree.root.valid()) stack.push_back({tree.root, 0});
  while (!stack.empty()) {
    Step step = stack.back();
    stack.pop_back();
    out.append(2 * step.depth, ' ');
    if (!step.node.valid()) {
      out += "-\n";
      continue;
    }
    out += line(tree[step.node], sources, names, places);
    out += '\n';
    auto children = tree.children(step.node);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      stack.push_back({*child, step.depth + 1});
    }
  }
  return out;
}

}  // namespace sysdl::syntax
