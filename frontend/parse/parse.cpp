// The parser's stages in order: bytes, tokens, brackets, edition, layout, grammar, tree.
#include "frontend/parse/parse.h"

#include <charconv>
#include <exception>

#include "fmt/format.h"

#include "frontend/parse/brackets.h"
#include "frontend/parse/bytes.h"
#include "frontend/parse/lex.h"
#include "frontend/parse/token_parser.h"

namespace sysdl {
namespace {

using namespace parsing;
using syntax::NodeId;

constexpr const char* kEditionHelp = "write `sysdl 2026` on the first line";

NodeId addRoot(Session& session, syntax::Kind kind, const std::vector<NodeId>& children) {
  syntax::Tree& tree = session.tree;
  syntax::Node node;
  node.kind = kind;
  node.span = session.span(0, static_cast<uint32_t>(session.text.size()));
  node.firstChild = static_cast<uint32_t>(tree.links.size());
  node.childCount = static_cast<uint32_t>(children.size());
  tree.links.insert(tree.links.end(), children.begin(), children.end());
  tree.nodes.push_back(node);
  return NodeId{static_cast<uint32_t>(tree.nodes.size() - 1)};
}

/// Reads the edition line and sets `at` past it; false where the file is for a newer tool.
bool readEdition(Session& session, const Tokens& tokens, size_t& at) {
  auto typeAt = [&](size_t i) { return i < tokens.size() ? tokens[i].type : Tok::None; };
  while (typeAt(at) == Tok::Newline) ++at;
  auto end = static_cast<uint32_t>(session.text.size());
  Span here = at < tokens.size() ? session.span(tokens[at]) : session.span(end, end);
  bool named = typeAt(at) == Tok::Name && session.textOf(tokens[at]) == "sysdl";
  if (!named) {
    uint32_t start = session.text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    session
        .error(Code::E0101, here,
               at >= tokens.size() ? "the file is empty: it must start with its edition"
                                   : "the file must start with its edition",
               "the first line names no edition")
        .helpText(kEditionHelp)
        .replace(session.span(start, start), "sysdl 2026\n\n");
    return true;
  }
  ++at;
  uint32_t year = 0;
  if (typeAt(at) == Tok::Number) {
    std::string_view digits = session.textOf(tokens[at]);
    auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), year);
    if (failure != std::errc() || stop != digits.data() + digits.size()) year = 0;
    here = session.span(tokens[at++]);
  }
  if (year > kEdition) {
    session
        .error(Code::E0102, here,
               fmt::format("the file needs edition {}, this tool knows {}", year, kEdition),
               "newer than this tool")
        .helpText("use a newer sysdlc");
    return false;
  }
  if (year != kEdition) {
    session
        .error(Code::E0101, here, "the first line must name an edition that exists",
               "no such edition")
        .helpText(kEditionHelp);
  } else if (at < tokens.size() && typeAt(at) != Tok::Newline && typeAt(at) != Tok::Semicolon) {
    session.error(Code::E0110, session.span(tokens[at]), "the first line names the edition only",
                  "start a new line here");
  }
  while (at < tokens.size() && typeAt(at) != Tok::Newline && typeAt(at) != Tok::Semicolon) ++at;
  if (typeAt(at) == Tok::Semicolon) ++at;  // what follows on the line is a declaration
  return true;
}

void readFile(Session& session) {
  uint32_t begin = 0;
  if (!checkBytes(session, begin)) return;
  Tokens raw = lex(session, begin, static_cast<uint32_t>(session.text.size()));
  size_t at = 0;
  if (!readEdition(session, raw, at)) return;
  raw.erase(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(at));
  if (!balanceBrackets(session, raw)) return;
  session.startStage();
  std::vector<NodeId> items;
  Layout layout(session, raw, Form::File);
  TokenParser parser(session);
  bool headerFailed = false;
  for (Tokens tokens; !session.tooMany() && layout.next(tokens);) {
    // A brace on a line of its own: that it is missing above has been said.
    if (headerFailed && tokens.front().type == Tok::LBrace) continue;
    items.push_back(parser.parse(Form::File, tokens));
    headerFailed = session.tree[items.back()].kind == syntax::Kind::Bad;
  }
  session.tree.root = addRoot(session, syntax::Kind::File, items);
  session.tree.nodes.back().number = kEdition;
}

/// For texts of one expression or one member.
void readPart(Session& session, Form form) {
  uint32_t begin = 0;
  if (!checkBytes(session, begin)) return;
  auto end = static_cast<uint32_t>(session.text.size());
  Tokens raw = lex(session, begin, end);
  if (!balanceBrackets(session, raw)) return;
  session.startStage();
  Layout layout(session, raw, form);
  Tokens tokens;
  const char* what = form == Form::Expression ? "an expression" : "`path = value`";
  if (!layout.next(tokens)) {
    session.error(Code::E0110, session.span(end, end), fmt::format("expected {}", what), "nothing");
    return;
  }
  NodeId node = TokenParser(session).parse(form, tokens);
  if (form == Form::Expression) {
    session.tree.root = node;
    return;
  }
  std::vector<NodeId> members{node};
  if (layout.next(tokens) && session.errorCount() == 0) {
    session.error(Code::E0110, session.span(tokens.front()), fmt::format("expected only {}", what),
                  "one too many");
  }
  session.tree.root = addRoot(session, syntax::Kind::Body, members);
}

template <typename Read>
syntax::Tree run(Loc file, const SourceMap& sources, NameTable& names, Diagnostics& diagnostics,
                 const ParseLimits& limits, Read read) {
  Session session(file, sources, names, limits);
  std::string thrown;
  // ANTLR's runtime throws several kinds of things; none may pass.
  try {
    read(session);
  } catch (const std::exception& exception) {
    thrown = exception.what();
  } catch (...) {
    thrown = "unknown exception";
  }
  if (!thrown.empty()) {
    session
        .error(Code::E0120, session.span(0, 0),
               fmt::format("internal fault of the parser: {}", thrown), "in this file")
        .helpText("please report it, with the file");
  }
  session.deliver(diagnostics);
  return std::move(session.tree);
}

}  // namespace

syntax::Tree parse(Loc file, const SourceMap& sources, NameTable& names, Diagnostics& diagnostics,
                   const ParseLimits& limits) {
  return run(file, sources, names, diagnostics, limits, readFile);
}

syntax::Tree parseExpression(Loc file, const SourceMap& sources, NameTable& names,
                             Diagnostics& diagnostics, const ParseLimits& limits) {
  return run(file, sources, names, diagnostics, limits,
             [](Session& session) { readPart(session, Form::Expression); });
}

syntax::Tree parseMember(Loc file, const SourceMap& sources, NameTable& names,
                         Diagnostics& diagnostics, const ParseLimits& limits) {
  return run(file, sources, names, diagnostics, limits,
             [](Session& session) { readPart(session, Form::Members); });
}

}  // namespace sysdl
