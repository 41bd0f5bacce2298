// Layout: raw tokens to the tokens of the grammar, one top-level item at a time.
//
// Decides what depends on neighbours, so that the parser never has to look ahead: which words are
// statement words and which are names, which are units, where a statement ends (END), and which
// newlines and commas mean nothing.
#pragma once

#include "frontend/parse/session.h"

namespace sysdl::parsing {

/// What a text is: a file's items, the members of a body, or one expression.
enum class Form : uint8_t { File, Members, Expression };

class Layout {
public:
  /// Reads `raw`, in which every bracket has its partner (see brackets.h).
  Layout(Session& session, const Tokens& raw, Form form);

  /// The tokens of the next item, member or expression, the last of them END; false where none is
  /// left. A statement with a fault that is already reported is the one token BAD.
  bool next(Tokens& out);

private:
  /// An open bracket (or the whole text, opener None), and the statement open directly in it.
  struct Frame {
    Tok opener = Tok::None;
    bool statements = false;  // a body or the text's outside: newlines end statements
    bool enumWords = false;
    bool call = false;  // a `(` of arguments
    bool poisoned = false;
    uint32_t start = UINT32_MAX;  // of the open statement, in `out_`
    uint32_t ifs = 0;
    bool open() const { return start != UINT32_MAX; }
  };

  // layout.cpp
  void take(const Token& token);
  void push(Tok type, const Token& token);
  void openStatement();
  void endStatement(uint32_t begin, uint32_t end, bool inserted);
  void poison();
  Frame& statementFrame();
  void newline(const Token& token);
  bool continues(size_t next) const;
  bool takesCommas(Tok word) const;
  void openBracket(const Token& token);
  void closeBracket(const Token& token);
  void comma(const Token& token);
  void range(const Token& token);
  void skipLargeItem();
  bool runsOn(size_t next);
  void checkStart();
  size_t significant(size_t from) const;
  Tok rawType(size_t index) const;
  /// The first token of the frame's open statement, where it has one.
  Tok firstOf(const Frame& frame) const {
    return frame.start < out_->size() ? (*out_)[frame.start].type : Tok::None;
  }
  Tok previous() const { return out_->empty() ? Tok::None : out_->back().type; }
  void countIf(const Token& token);

  // words.cpp
  void word(const Token& token);
  Tok classify(const Token& token);
  bool startsStatement(Tok word) const;
  bool usedAsName(Tok word) const;
  bool isLabel() const;
  bool unit(const Token& token);
  void strayPath(const Token& token);

  // faults.cpp: tokens that are wrong wherever they stand
  void fault(const Token& token);
  void wrongCharacters(const Token& token);
  void wrongOperator(const Token& token);

  Session& session_;
  const Tokens& raw_;
  size_t at_ = 0;
  Form form_;
  Tokens* out_ = nullptr;
  std::vector<Frame> frames_;
};

}  // namespace sysdl::parsing
