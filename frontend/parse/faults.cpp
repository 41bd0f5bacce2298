// Tokens that are wrong wherever they stand: each has its own message, and its statement is BAD.
#include "fmt/format.h"

#include "frontend/parse/layout.h"

namespace sysdl::parsing {
namespace {

struct Known {
  std::string_view text;
  std::string_view help;
};

// Signs of other languages, and look-alikes that editors put in.
constexpr Known kCharacters[] = {
    {"#", "a comment starts with `//`"},
    {"&", "write `and`"},
    {"|", "write `or`"},
    {"~", "write `not`"},
    {"'", "a string stands in double quotes: \"text\""},
    {"`", "a string stands in double quotes: \"text\""},
    {"$", "a field is named without `$`"},
    {"\\", "a line goes on after an operator, or inside ( ) and [ ]"},
    {"\xE2\x80\x9C", "a string stands in straight double quotes: \"text\""},
    {"\xE2\x80\x9D", "a string stands in straight double quotes: \"text\""},
    {"\xE2\x80\x98", "a string stands in straight double quotes: \"text\""},
    {"\xE2\x80\x99", "a string stands in straight double quotes: \"text\""},
    {"\xC3\x97", "write `*` to multiply"},
    {"\xC2\xB7", "write `*` to multiply"},
    {"\xC3\xB7", "write `/` with spaces to divide"},
    {"\xE2\x88\x92", "this minus is not the one of the keyboard: write `-`"},
    {"\xE2\x80\x93", "this dash is not the minus of the keyboard: write `-`"},
    {"\xE2\x80\x94", "this dash is not the minus of the keyboard: write `-`"},
    {"\xE2\x89\xA4", "write `<=`"},
    {"\xE2\x89\xA5", "write `>=`"},
    {"\xE2\x89\xA0", "write `!=`"},
    {"\xE2\x86\x92", "write `->`"},
    {"\xE2\x80\xA6", "write `..`"},
    {"\xC2\xB2", "write `^2`"},
    {"\xC2\xB3", "write `^3`"},
    {"\xC2\xA0", "this is a no-break space: write an ordinary one"},
    {"\r", "a line ends in LF or CR LF, not in CR alone"},
};

struct Replacement {
  std::string_view text;
  std::string_view right;
  Tok type;  // None: the statement cannot be read on
  std::string_view help;
};

constexpr Replacement kOperators[] = {
    {"&&", "and", Tok::And, "write `and`"},
    {"||", "or", Tok::Or, "write `or`"},
    {"!", "not ", Tok::Not, "write `not`"},
    {"**", "^", Tok::Power, "write `^` for a power"},
    {":=", "=", Tok::Assign, "write `=` to set a field"},
    {"<>", "!=", Tok::NotEqual, "write `!=`"},
    {"===", "==", Tok::Equal, "write `==`"},
    {"=>", "", Tok::None, "write `>=` to compare, `=` to set a field"},
};

std::string showCharacter(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first == '`') return "backquote";
  if (first < 0x20 || first == 0x7F) return fmt::format("character 0x{:02X}", first);
  return fmt::format("character `{}`", text);
}

}  // namespace

void Layout::fault(const Token& token) {
  switch (token.type) {
  case Tok::BlockComment: {
    session_
        .error(Code::E0110, session_.span(token.begin, token.begin + 2),
               "there are no block comments", "starts one")
        .helpText("start each line of the comment with `//`");
    // It may have hidden the end of a line.
    Token hidden = token;
    hidden.type = Tok::Newline;
    if (session_.textOf(token).find('\n') != std::string_view::npos) newline(hidden);
    return;
  }
  case Tok::OpenString:
    session_
        .error(Code::E0110, session_.span(token), "this string is not closed on its line",
               "starts here")
        .helpText("close it with `\"`; a newline inside is written `\\n`");
    push(Tok::String, token);
    return poison();
  case Tok::Quoted: {
    std::string_view inner = session_.textOf(token).substr(1);
    inner.remove_suffix(1);
    std::string right = fmt::format("\"{}\"", inner);
    session_
        .error(Code::E0110, session_.span(token), "a string stands in double quotes",
               "single quotes")
        .helpText(fmt::format("write `{}`", right))
        .replace(session_.span(token), right);
    return push(Tok::String, token);
  }
  case Tok::WrongOperator: return wrongOperator(token);
  default: return wrongCharacters(token);
  }
}

void Layout::wrongOperator(const Token& token) {
  std::string_view text = session_.textOf(token);
  for (const Replacement& known : kOperators) {
    if (known.text != text) continue;
    Diagnostic& error =
        session_.error(Code::E0110, session_.span(token),
                       fmt::format("there is no operator `{}`", text), "not an operator");
    error.helpText(std::string(known.help));
    push(known.type == Tok::None ? Tok::Bad : known.type, token);
    if (known.type == Tok::None) return poison();
    error.replace(session_.span(token), std::string(known.right));
    return;
  }
  session_
      .error(Code::E0110, session_.span(token), fmt::format("there is no operator `{}`", text),
             "not an operator")
      .helpText("a field is set once, by `=`; what follows from others is an expression");
  push(Tok::Bad, token);
  poison();
}

void Layout::wrongCharacters(const Token& token) {
  if (token.inserted) {
    // A closing bracket without an opener, already reported.
    if (statementFrame().open()) poison();
    return;
  }
  // One error for a run of them.
  Token run = token;
  while (rawType(at_) == Tok::Wrong && raw_[at_].begin == run.end) run.end = raw_[at_++].end;
  std::string_view first = session_.textOf(token);
  bool alone = run.end == token.end;
  Diagnostic& error = session_.error(Code::E0110, session_.span(run),
                                     alone ? fmt::format("unexpected {}", showCharacter(first))
                                           : "unexpected characters",
                                     "not part of the language");
  for (const Known& known : kCharacters) {
    if (known.text == first) error.helpText(std::string(known.help));
  }
  if (error.help.empty() && static_cast<unsigned char>(first[0]) >= 0x80) {
    error.helpText("names are written with the letters A to Z, a to z, digits and `_`");
  }
  push(Tok::Bad, run);
  poison();
}

}  // namespace sysdl::parsing
