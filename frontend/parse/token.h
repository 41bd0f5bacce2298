// Tokens as plain data: what passes between the stages of the parser, without any type of ANTLR.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sysdl::parsing {

/// Token types; the values are those of the generated lexer and parser (checked in lex.cpp).
enum class Tok : uint8_t {
  None,  // no token; also the frame of the whole file
#define TOKEN(name, antlr, group, text) name,
#include "grammar/tokens.def"
#undef TOKEN
};

enum class Group : uint8_t { Item, Member, Joiner, Goal, Reserved, Sign, Other };

Group groupOf(Tok type);
/// The spelling of a word or sign, or what messages call the token.
std::string_view textOf(Tok type);
/// The statement word, joiner or reserved word that `text` spells; `None` for any other name.
Tok wordOf(std::string_view text);

bool isOpener(Tok type);
bool isCloser(Tok type);
Tok closerOf(Tok opener);
/// An operator between two operands, or before one: after it an expression goes on over the line's
/// end.
bool isOperator(Tok type);
/// Whether an operand can end with this token.
bool endsOperand(Tok type);
/// Whether an operand can start with this token.
bool startsOperand(Tok type);

/// A token; `begin` and `end` count bytes from the start of the file.
struct Token {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t link = 0;  // of a statement's first token: the index of the statement's END
  Tok type = Tok::None;
  bool inserted = false;  // not in the text: made where something was missing
};

using Tokens = std::vector<Token>;

}  // namespace sysdl::parsing
