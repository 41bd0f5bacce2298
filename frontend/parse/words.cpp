// Which words are statement words, which are units, and which are names.
#include "fmt/format.h"

#include "frontend/parse/brackets.h"
#include "frontend/parse/layout.h"

namespace sysdl::parsing {

void Layout::word(const Token& token) {
  if (unit(token)) return;
  openStatement();
  Tok type = classify(token);
  push(type, token);
  if (type == Tok::If) countIf(token);
}

Tok Layout::classify(const Token& token) {
  Tok word = wordOf(session_.textOf(token));
  Group group = groupOf(word);
  Tok before = previous();
  const Frame& frame = frames_.back();
  if (word != Tok::None && group == Group::Reserved) return word;
  if (frame.call && (before == Tok::LParen || before == Tok::Comma) &&
      rawType(significant(at_)) == Tok::Assign) {
    return Tok::ArgumentName;
  }
  if (word == Tok::None || before == Tok::Dot || frame.enumWords) return Tok::Name;
  if (frame.statements && frame.start == out_->size()) {
    return startsStatement(word) ? word : Tok::Name;
  }
  switch (before) {
  case Tok::Abstract:
    if (word == Tok::Schema) return word;
    break;
  case Tok::Derived:
  case Tok::Input:
  case Tok::Result:
    if (word >= Tok::Derived && word <= Tok::Result && rawType(at_) == Tok::Name) return word;
    break;
  case Tok::Stages:
    if (word == Tok::Over) return word;
    break;
  case Tok::Keep:
    if (word == Tok::Where) return word;
    break;
  case Tok::Pareto:
  case Tok::Comma:
    if (group == Group::Goal && frame.open() && firstOf(frame) == Tok::Pareto) {
      return word;
    }
    break;
  default: break;
  }
  // No operand follows an operand, so a joiner there is no name.
  if (!endsOperand(before) || isLabel()) return Tok::Name;
  if (group == Group::Joiner) return word;
  return word == Tok::Source && rawType(at_) == Tok::String ? word : Tok::Name;
}

/// Whether this word, the first of a statement, is a statement word here.
bool Layout::startsStatement(Tok word) const {
  Group group = groupOf(word);
  if (frames_.size() == 1 && form_ == Form::File) return group == Group::Item;
  return group == Group::Member && !usedAsName(word);
}

/// A statement word that something is assigned to, or that names a group of children, is a name.
bool Layout::usedAsName(Tok word) const {
  size_t next = at_;
  while (rawType(next) == Tok::LBracket) {
    next = partnerOf(raw_, next) + 1;
    // `yield [a, b]` yields a list; `yield[a] = b` sets a field.
    if (rawType(next) == Tok::Newline || rawType(next) == Tok::RBrace) return false;
  }
  switch (rawType(next)) {
  case Tok::Assign:
  case Tok::Equal:
  case Tok::Colon:
  case Tok::Dot:
  case Tok::LBrace:
  case Tok::WrongOperator: return true;
  case Tok::Name: break;
  default: return false;
  }
  // `store main {`: no statement of these words has a body in this place.
  bool leadsExpression = word == Tok::Require || word == Tok::Warn || word == Tok::Yield ||
                         word == Tok::Plot || word == Tok::Least || word == Tok::Most ||
                         word == Tok::Expect || word == Tok::Keep || word == Tok::New ||
                         word == Tok::Drop || word == Tok::Let;
  return next == at_ && !leadsExpression && rawType(next + 1) == Tok::LBrace;
}

/// Whether the next word is the label of a child or declaration: `group LABEL`, `new group LABEL`.
bool Layout::isLabel() const {
  const Frame& frame = frames_.back();
  if (!frame.open()) return false;
  size_t position = out_->size() - frame.start;
  Tok first = firstOf(frame);
  if (first == Tok::Name) return position == 1;
  return (first == Tok::New || first == Tok::Drop) && position <= 2;
}

/// Takes a word or path as a unit where it stands after a number on the same line.
bool Layout::unit(const Token& token) {
  if (previous() != Tok::Number || out_->back().end > token.begin) return false;
  if (rawType(at_ - 2) != Tok::Number) return false;  // a newline between
  Tok word = wordOf(session_.textOf(token));
  Group group = groupOf(word);
  bool joins = group == Group::Joiner || (word == Tok::Source && rawType(at_) == Tok::String);
  if (word != Tok::None && (group == Group::Reserved || joins)) return false;
  const Token& number = out_->back();
  uint32_t gap = token.begin - number.end;
  if (gap != 1 || session_.text[number.end] != ' ') {
    std::string right = fmt::format("{} {}", session_.textOf(number), session_.textOf(token));
    session_
        .error(Code::E0110, session_.span(number.begin, token.end),
               "a unit stands one space after its number", gap == 0 ? "no space" : "not one space")
        .helpText(fmt::format("write `{}`", right))
        .replace(session_.span(number.begin, token.end), right);
  }
  push(Tok::Unit, token);
  return true;
}

/// A unit such as `GB/s` without a number: most likely a division without spaces. It is reported
/// and read as that, so that the rest of the statement is still checked.
void Layout::strayPath(const Token& token) {
  std::string_view text = session_.textOf(token);
  std::string spaced;
  bool afterColon = previous() == Tok::Colon;
  uint32_t begin = 0;
  auto part = [&](uint32_t end) {
    Token piece = token;
    piece.begin = token.begin + begin;
    piece.end = token.begin + end;
    bool digit = text[begin] >= '0' && text[begin] <= '9';
    push(digit ? Tok::Number : Tok::Name, piece);
    spaced += text.substr(begin, end - begin);
  };
  for (uint32_t i = 0; i < text.size(); ++i) {
    bool minus = text[i] == '-';
    if (text[i] != '/' && text[i] != '*' && text[i] != '^' && !minus) continue;
    if (i > begin) part(i);
    Token sign = token;
    sign.begin = token.begin + i;
    sign.end = sign.begin + 1;
    push(minus            ? Tok::Minus
         : text[i] == '/' ? Tok::Divide
         : text[i] == '*' ? Tok::Times
                          : Tok::Power,
         sign);
    spaced += minus ? "-" : fmt::format(" {} ", text[i]);
    begin = i + 1;
  }
  part(static_cast<uint32_t>(text.size()));
  const char* purpose = text.find('/') != std::string_view::npos   ? "divide"
                        : text.find('*') != std::string_view::npos ? "multiply"
                                                                   : "raise to a power";
  Diagnostic& error =
      session_.error(Code::E0404, session_.span(token),
                     fmt::format("`{}` is a unit, but no number stands before it", text),
                     "a unit without a number");
  if (afterColon) {
    error.helpText(fmt::format("a type is a name: declare `dimension NAME = {}`", spaced));
    poison();
  } else {
    error.helpText(
        fmt::format("write a number before it, or `{}` with spaces to {}", spaced, purpose));
    error.replace(session_.span(token), spaced);
  }
}

}  // namespace sysdl::parsing
