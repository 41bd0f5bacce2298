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
    return first < 0x80 ? first : decode(first);
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
  size_t decode(size_t first) const {
    size_t length = lengthAt(at_);
    size_t value = first & (0x7Fu >> length);
    for (size_t i = 1; i < length && at_ + i < end_; ++i) {
      value = value << 6 | (static_cast<unsigned char>(text_[at_ + i]) & 0x3Fu);
    }
    return value;
  }

  std::string_view text_;
  size_t at_;
  size_t end_;
};

/// The generated lexer, without the token objects that ANTLR would allocate one by one.
class Scanner final : public grammar::SysdlLexer {
public:
  Scanner(antlr4::CharStream* input, Session& session, Tokens& tokens)
      : SysdlLexer(input), session_(session), tokens_(tokens) {
    removeErrorListeners();
  }

  void run() {
    while (!done_) nextToken();
  }

  using SysdlLexer::emit;
  antlr4::Token* emit() override {
    if (type == antlr4::Token::EOF) return emitEOF();
    parsing::Token made;
    made.begin = static_cast<uint32_t>(tokenStartCharIndex);
    made.end = static_cast<uint32_t>(getCharIndex());
    made.type = static_cast<Tok>(type);
    if (made.type == Tok::Comment || made.type == Tok::Doc) {
      session_.tree.comments.push_back({session_.span(made), made.type == Tok::Doc});
    } else {
      tokens_.push_back(made);
    }
    return nullptr;
  }
  antlr4::Token* emitEOF() override {
    done_ = true;
    return nullptr;
  }

private:
  Session& session_;
  Tokens& tokens_;
  bool done_ = false;
};

}  // namespace

Tokens lex(Session& session, uint32_t begin, uint32_t end) {
  Tokens tokens;
  Utf8Stream stream(session.text, begin, end);
  Scanner(&stream, session, tokens).run();
  return tokens;
}

}  // namespace sysdl::parsing
