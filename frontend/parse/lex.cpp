// The adapter of the generated lexer: bytes in, plain tokens out.
#include "frontend/parse/lex.h"

#include <iterator>

#include "antlr4-runtime.h"

#include "grammar/SysdlLexer.h"

namespace sysdl::parsing {
namespace {

#define TOKEN(name, antlr, group, text)                                                            \
  static_assert(static_cast<size_t>(Tok::name) == grammar::SysdlLexer::antlr);
#include "grammar/tokens.def"
#undef TOKEN

/// A piece of UTF-8 as ANTLR wants it: characters one at a time, positions in bytes.
class Utf8Stream final : public antlr4::CharStream {
public:
  Utf8Stream(std::string_view text, size_t begin, size_t end)
      : text_(text), at_(begin), end_(end) {}

  void consume() override { at_ += lengthAt(at_); }
  size_t LA(ssize_t distance) override {
    // The lexer never looks further than the next character.
    if (distance != 1 || at_ >= end_) return IntStream::EOF;
    auto first = static_cast<unsigned char>(text_[at_]);
    return first < 0x80 ? first : standIn();
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = index; }
  size_t size() override { return end_; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string toString() const override { return {}; }

private:
  size_t lengthAt(size_t at) const {
    auto first = static_cast<unsigned char>(text_[at]);
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  }
  /// ANTLR's lexer is slow for characters that are not ASCII: it keeps no table for them. There are
  /// two classes of them, so one character of each class stands for all: the two spellings of micro,
  /// which are letters, and what may stand in strings and comments only.
  size_t standIn() const {
    std::string_view two = text_.substr(at_, 2);
    return two == "\xC2\xB5" || two == "\xCE\xBC" ? 'u' : 0x7F;
  }

  std::string_view text_;
  size_t at_;
  size_t end_;
};

/// Passes over blanks and comments, half of a typical file, by hand: the machine takes a lock for
/// each character. The same as BLANK, COMMENT and DOC of the grammar.
bool skipTrivia(Session& session, Utf8Stream& stream, uint32_t end) {
  std::string_view text = session.text.substr(0, end);
  size_t begin = stream.index();
  bool blank = text[begin] == ' ' || text[begin] == '\t';
  if (!blank && text.substr(begin, 2) != "//") return false;
  size_t stop = blank ? text.find_first_not_of(" \t", begin) : text.find_first_of("\r\n", begin);
  if (stop == std::string_view::npos) stop = end;
  if (!blank) {
    bool doc = text.substr(begin, 3) == "///";
    Span span = session.span(static_cast<uint32_t>(begin), static_cast<uint32_t>(stop));
    session.tree.comments.push_back({span, doc});
  }
  stream.seek(stop);
  return true;
}

}  // namespace

Tokens lex(Session& session, uint32_t begin, uint32_t end) {
  Tokens tokens;
  Utf8Stream stream(session.text, begin, end);
  grammar::SysdlLexer lexer(&stream);
  // The machine alone, without the token objects that the lexer would allocate one by one. The
  // grammar has one mode, no actions, and a rule for every character.
  auto* machine = lexer.getInterpreter<antlr4::atn::LexerATNSimulator>();
  while (stream.index() < end) {
    if (skipTrivia(session, stream, end)) continue;
    Token token;
    token.begin = static_cast<uint32_t>(stream.index());
    token.type = static_cast<Tok>(machine->match(&stream, antlr4::Lexer::DEFAULT_MODE));
    token.end = static_cast<uint32_t>(stream.index());
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace sysdl::parsing
