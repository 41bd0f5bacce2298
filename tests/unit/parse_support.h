// For tests of the parser: a text parsed, its tree and its errors as short texts.
#pragma once

#include <string>
#include <vector>

#include "fmt/format.h"

#include "frontend/parse/parse.h"
#include "frontend/syntax/dump.h"

namespace sysdl::test {

enum class As { File, Member, Expression };

struct Parsed {
  explicit Parsed(std::string text, As what = As::File, const ParseLimits& limits = {}) {
    Loc file = sources.add("test.sysdl", std::move(text));
    auto read = what == As::File ? parse : what == As::Member ? parseMember : parseExpression;
    tree = read(file, sources, names, diagnostics, limits);
  }
  SourceMap sources;
  NameTable names;
  Diagnostics diagnostics;
  syntax::Tree tree;

  /// One line an error: "3:5 E0110 message; help: ...; fix: ...".
  std::vector<std::string> errors() const {
    std::vector<std::string> lines;
    for (const Diagnostic& error : diagnostics.sorted(sources)) {
      LineColumn at = sources.resolve(error.labels.front().span.begin);
      lines.push_back(
          fmt::format("{}:{} {} {}", at.line, at.column, nameOf(error.code), error.message));
      if (!error.help.empty()) lines.back() += "; help: " + error.help;
      for (const Fix& edit : error.fix) lines.back() += "; fix: " + edit.text;
    }
    return lines;
  }

  /// The tree below `node` in one line: "(Assign (Path rate bf16) 312[TFLOP/s] -)". Operators stand
  /// for their node, and names, numbers and strings for themselves.
  std::string shortly(syntax::NodeId id) const {
    using syntax::Kind;
    if (!id.valid()) return "-";
    const syntax::Node& node = tree[id];
    auto text = [&](Name name) { return std::string(names.text(name)); };
    std::string first = syntax::dump(subtree(id), sources, names, false);
    first.erase(first.find('\n'));
    switch (node.kind) {
    case Kind::Ref:
    case Kind::Word: return text(node.name);
    case Kind::True: return "true";
    case Kind::False: return "false";
    case Kind::TextPiece: return "'" + text(node.text) + "'";
    case Kind::Number: {
      syntax::NodeId unit = tree.child(id, 0);
      return text(node.text) + (unit.valid() ? "[" + text(tree[unit].text) + "]" : "");
    }
    case Kind::Type:
      if (node.childCount == 0 && node.flags == 0) return text(node.name);
      break;
    case Kind::Binary: first = syntax::signOf(node.op); break;
    case Kind::Arg: first = node.name ? text(node.name) + " =" : "="; break;
    default: break;
    }
    std::string out = "(" + first;
    for (syntax::NodeId child : tree.children(id)) out += " " + shortly(child);
    return out + ")";
  }

  /// A tree of the one node, for its line in the dump.
  syntax::Tree subtree(syntax::NodeId id) const {
    syntax::Tree single;
    single.nodes.push_back(tree[id]);
    single.nodes.back().childCount = 0;
    single.root = syntax::NodeId{0};
    return single;
  }

  /// Whether every node lies inside of its parent, and every error and node inside of the text.
  bool spansAreNested() const {
    for (const syntax::Node& node : tree.nodes) {
      if (!(node.span.begin <= node.span.end)) return false;
      for (uint32_t i = 0; i < node.childCount; ++i) {
        syntax::NodeId child = tree.links[node.firstChild + i];
        if (!child.valid()) continue;
        Span inner = tree[child].span;
        if (inner.begin < node.span.begin || node.span.end < inner.end) return false;
      }
    }
    return true;
  }
};

/// The tree of a text without errors, in one line; its errors where it has some.
inline std::string treeOf(const std::string& text, As what) {
  Parsed parsed(text, what);
  if (!parsed.diagnostics.empty()) return fmt::format("{}", parsed.errors().front());
  syntax::NodeId root = parsed.tree.root;
  if (!parsed.spansAreNested()) return "spans are not nested";
  // What matters of a file or a body of one member is that one.
  bool single = what != As::Expression && parsed.tree[root].childCount == 1;
  return parsed.shortly(single ? parsed.tree.child(root, 0) : root);
}

}  // namespace sysdl::test
