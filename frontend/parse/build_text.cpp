// Strings: escapes, and expressions between { and }.
#include "fmt/format.h"

#include "frontend/parse/builder.h"

namespace sysdl::parsing {

using syntax::NodeId;

/// What the escape at `at` (a backslash) stands for.
char Builder::escape(uint32_t at) {
  switch (char c = session_.text[at + 1]) {
  case 'n': return '\n';
  case 't': return '\t';
  case '"':
  case '\\': return c;
  default: {
    // A character of several bytes is one escape.
    uint32_t end = at + 2;
    while ((static_cast<unsigned char>(session_.text[end]) & 0xC0u) == 0x80u) ++end;
    session_
        .error(Code::E0110, session_.span(at, end),
               fmt::format("unknown escape `{}`", session_.text.substr(at, end - at)), "not known")
        .helpText("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`; `{{` is a brace");
    return c;
  }
  }
}

/// The contents of a string in which braces are plain characters.
std::string Builder::plainText(const Token& token) {
  std::string contents;
  for (uint32_t i = token.begin + 1; i + 1 < token.end; ++i) {
    if (session_.text[i] == '\\') {
      contents += escape(i++);
    } else {
      contents += session_.text[i];
    }
  }
  return contents;
}

NodeId Builder::piece(uint32_t begin, uint32_t end, const std::string& contents) {
  NodeId node = make(Kind::TextPiece, session_.span(begin, end));
  at(node).text = session_.names.intern(contents);
  return node;
}

NodeId Builder::text(const Token& token) {
  std::vector<NodeId> pieces;
  std::string contents;
  uint32_t begin = token.begin + 1;
  uint32_t end = token.end - 1;
  uint32_t from = begin;
  auto flush = [&](uint32_t to) {
    if (!contents.empty()) pieces.push_back(piece(from, to, contents));
    contents.clear();
  };
  for (uint32_t i = begin; i < end; ++i) {
    char c = session_.text[i];
    bool doubled = (c == '{' || c == '}') && i + 1 < end && session_.text[i + 1] == c;
    if (c == '\\') {
      contents += escape(i++);
    } else if (doubled) {
      contents += c;
      ++i;
    } else if (c == '{') {
      flush(i);
      uint32_t after = i;
      pieces.push_back(interpolation(i, end, after));
      from = after;
      i = after - 1;
    } else {
      contents += c;
    }
  }
  flush(end);
  return make(Kind::Text, session_.span(token), pieces);
}

/// The expression between the brace at `open` and its partner; `after` is set past that.
NodeId Builder::interpolation(uint32_t open, uint32_t end, uint32_t& after) {
  uint32_t close = open;
  for (uint32_t depth = 0; close < end; ++close) {
    if (session_.text[close] == '{') ++depth;
    if (session_.text[close] == '}' && --depth == 0) break;
  }
  after = close < end ? close + 1 : end;
  if (close == end) {
    session_
        .error(Code::E0110, session_.span(open, open + 1), "this `{` of a string is never closed",
               "an expression starts here")
        .helpText("write `{{` for a brace");
    return make(Kind::Bad, session_.span(open, end));
  }
  size_t nodesBefore = session_.tree.nodes.size();
  NodeId inner = parser_.parseFragment(open + 1, close);
  if (!inner.valid()) {
    if (nodesBefore == session_.tree.nodes.size()) {
      session_
          .error(Code::E0110, session_.span(open, close + 1), "no expression between the braces",
                 "empty")
          .helpText("write `{{` for a brace");
    }
    return make(Kind::Bad, session_.span(open, close + 1));
  }
  depth_.resize(session_.tree.nodes.size() - firstNode_, 1);
  return inner;
}

}  // namespace sysdl::parsing
