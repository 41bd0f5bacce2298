// Help for syntax errors: what was likely meant. Each hint looks at the tokens around the error and
// either speaks or passes; the first to speak wins.
#include "fmt/format.h"

#include "frontend/parse/syntax_error.h"

namespace sysdl::parsing {
namespace {

class Hints {
public:
  Hints(const Session& session, const SyntaxError& error, Diagnostic& diagnostic)
      : session_(session), error_(error), diagnostic_(diagnostic) {}

  void find() {
    using Hint = bool (Hints::*)();
    static constexpr Hint kHints[] = {
        &Hints::wrongPlace,   &Hints::startOfLine,   &Hints::colonForEquals, &Hints::twoEquals,
        &Hints::oneEquals,    &Hints::missingEquals, &Hints::units,          &Hints::numbers,
        &Hints::reserved,     &Hints::choice,        &Hints::commas,         &Hints::brace,
        &Hints::declarations, &Hints::openRange,     &Hints::twoOperands,
    };
    for (Hint hint : kHints) {
      if ((this->*hint)()) return;
    }
  }

private:
  bool say(std::string text) {
    diagnostic_.helpText(std::move(text));
    return true;
  }
  bool sayFix(std::string text, Span span, std::string replacement) {
    diagnostic_.replace(span, std::move(replacement));
    return say(std::move(text));
  }
  std::string_view text(size_t index) const { return session_.textOf(error_.tokens[index]); }
  std::string_view foundText() const { return text(error_.at); }
  std::string_view beforeText() const { return text(error_.at - 1); }
  Span foundSpan() const { return session_.span(error_.tokens[error_.at]); }
  Span beforeSpan() const { return session_.span(error_.tokens[error_.at - 1]); }
  /// The place right behind the token before the error.
  Span behind() const {
    uint32_t end = error_.tokens[error_.at - 1].end;
    return session_.span(end, end);
  }
  Tok first() const { return error_.typeAt(error_.statement); }
  bool is(std::string_view rule) const { return error_.rule == rule; }
  /// Starts a value, and is no name.
  bool foundValue() const {
    Tok found = error_.found();
    return (startsOperand(found) && found != Tok::Name) || found == Tok::If;
  }

  /// The value that starts at the error, where it is one word.
  std::string value() const {
    bool single =
        startsOperand(error_.found()) && !isOpener(error_.found()) && !isOperator(error_.found());
    return single ? std::string(foundText()) : "…";
  }

  bool wrongPlace() {
    if (!error_.outside()) return false;
    std::string_view word = text(0);
    if (groupOf(wordOf(word)) == Group::Member) {
      return say(fmt::format("`{}` belongs into the {{ }} of a declaration", word));
    }
    if (first() == Tok::Sysdl) return say("the edition stands on the first line only");
    bool field = error_.found() == Tok::Assign || error_.found() == Tok::Colon ||
                 error_.found() == Tok::LBracket;
    if (field && error_.at >= 1 && (is("decl") || is("dotted"))) {
      return say("a declaration starts with its kind, as in `chip NAME { … }`; a field belongs "
                 "into one");
    }
    return false;
  }

  bool startOfLine() {
    if (!error_.atStart()) return false;
    switch (error_.found()) {
    case Tok::String: return say("a field is named without quotes: `NAME = value`");
    case Tok::If: return say("`if` is an expression: `NAME = if C then A else B`");
    case Tok::For: return say("there are no loops: `[E for x in LIST]` makes a list");
    case Tok::LBrace: return say("put the `{` on the line that it belongs to");
    case Tok::Number: return say("a statement starts with a word; is the line before finished?");
    default: break;
    }
    if (!isOperator(error_.found())) return false;
    return say(fmt::format("put `{}` at the end of the line before: a newline ends a statement",
                           foundText()));
  }

  bool colonForEquals() {
    if (error_.found() == Tok::Colon && first() == Tok::Let) {
      return say("a `let` takes no type: `let NAME = value`");
    }
    if (error_.found() == Tok::Colon && is("arguments") && error_.before() == Tok::Name) {
      return sayFix(fmt::format("write `{} = …` for a named argument", beforeText()), foundSpan(),
                    " =");
    }
    if (error_.before() != Tok::Colon || !foundValue() || error_.before(2) != Tok::Name) {
      return false;
    }
    if (first() != Tok::Name) return false;
    return sayFix(fmt::format("write `{} = {}` to set a field", text(error_.at - 2), value()),
                  beforeSpan(), " =");
  }

  bool twoEquals() {
    if (error_.found() != Tok::Equal || !error_.expects(Tok::Assign)) return false;
    return sayFix("`=` sets a field, `==` compares", foundSpan(), "=");
  }

  bool oneEquals() {
    if (error_.found() != Tok::Assign || !error_.expectsOperator()) return false;
    bool condition = first() == Tok::Require || first() == Tok::Warn || first() == Tok::Keep ||
                     first() == Tok::Expect;
    if (condition || error_.expects(Tok::RParen) || error_.expects(Tok::Then)) {
      return sayFix("`==` compares, `=` sets a field", foundSpan(), "==");
    }
    return say("one statement sets one field");
  }

  bool missingEquals() {
    if (!is("named") || !error_.expects(Tok::Assign) || !foundValue()) return false;
    auto start = error_.tokens[error_.statement].begin;
    std::string_view target = session_.text.substr(start, error_.tokens[error_.at - 1].end - start);
    return sayFix(fmt::format("write `{} = {}` to set a field", target, value()), behind(), " =");
  }

  bool units() {
    if (error_.found() == Tok::Percent) {
      return say("`%` stands after a number; `mod` gives the remainder");
    }
    if (error_.before() != Tok::Unit || !startsOperand(error_.found())) return false;
    if (beforeText() == "%") return say("`%` is percent; `mod` gives the remainder");
    return say(fmt::format("`{}` after a number is a unit; write `*` to multiply", beforeText()));
  }

  bool numbers() {
    Tok next = error_.typeAt(error_.at + 1);
    bool tight = error_.at + 1 < error_.tokens.size() &&
                 error_.tokens[error_.at].end == error_.tokens[error_.at + 1].begin;
    if (error_.found() == Tok::Dot && next == Tok::Number && tight) {
      return say(fmt::format("write `0.{}`", text(error_.at + 1)));
    }
    if (error_.before() == Tok::Dot && error_.before(2) == Tok::Number) {
      return say(fmt::format("digits follow the point of a number: `{}.0`", text(error_.at - 2)));
    }

    if (error_.before() == Tok::Number && error_.found() == Tok::Comma && next == Tok::Number &&
        tight && text(error_.at + 1).size() == 3) {
      return sayFix(
          fmt::format("digits are grouped by `_`: `{}_{}`", beforeText(), text(error_.at + 1)),
          foundSpan(), "_");
    }
    return false;
  }

  bool reserved() {
    if (groupOf(error_.found()) != Group::Reserved || !error_.expects(Tok::Name)) return false;
    if (error_.found() == Tok::If && error_.expectsExpression()) return false;
    return say(fmt::format("`{}` is a reserved word: choose another name", foundText()));
  }

  bool choice() {
    if (error_.found() == Tok::If && error_.expectsExpression()) {
      return say("put a choice inside an expression in parentheses: `a + (if C then A else B)`");
    }
    if (error_.found() == Tok::Question) return say("a choice is written `if C then A else B`");
    if (error_.expects(Tok::Then) || error_.expects(Tok::Else)) {
      if (first() == Tok::Require) return false;
      return say("a choice is written `if C then A else B`");
    }
    return false;
  }

  bool commas() {
    if (error_.found() != Tok::Comma || !error_.expects(Tok::End)) return false;
    return sayFix("a newline or `;` ends a statement, without a comma", foundSpan(), "");
  }

  bool brace() {
    if (error_.found() != Tok::End || !error_.expects(Tok::LBrace)) return false;
    size_t next = session_.text.find_first_not_of(" \t\r\n", error_.tokens[error_.at].end);
    if (next == std::string_view::npos || session_.text[next] != '{') return false;
    return say("put the `{` on this line: a newline ends a statement");
  }

  bool declarations() {
    bool schema = first() == Tok::Schema || first() == Tok::Abstract;
    if (schema && error_.found() == Tok::Name && error_.expects(Tok::Colon)) {
      return say("the schema that it extends follows a colon: `schema NAME: BASE { … }`");
    }
    if (is("param") && error_.expects(Tok::Colon)) {
      return say("a parameter has a type: `NAME: Type`");
    }
    if (first() == Tok::Fn && error_.found() == Tok::Assign && error_.expects(Tok::Colon)) {
      return say("a function has a type: `fn NAME(…): Type = …`");
    }
    if (first() == Tok::Param && error_.expects(Tok::LBracket)) {
      return say("the axes of a weight stand in brackets: `param NAME: [from -> to]`");
    }
    if (is("child")) return say("name the group and the label, as in `new memory hbm`");
    if (first() == Tok::Source && error_.expects(Tok::String)) {
      return say("`source` takes a string: `source \"title, table or page\"`");
    }
    return false;
  }

  bool openRange() {
    if (error_.found() != Tok::OpenRange) return false;
    return say("a range without an end stands only after `in` of a field");
  }

  bool twoOperands() {
    bool inBrackets = error_.expects(Tok::RParen) || error_.expects(Tok::RBracket);
    if (inBrackets && error_.found() == Tok::Comma) {
      return say("a list stands in brackets: `[a, b]`");
    }
    if (!startsOperand(error_.found()) || !error_.expects(Tok::Comma) || !inBrackets) return false;
    return sayFix("write `,` between them", behind(), ",");
  }

  const Session& session_;
  const SyntaxError& error_;
  Diagnostic& diagnostic_;
};

}  // namespace

void addHint(const Session& session, const SyntaxError& error, Diagnostic& diagnostic) {
  if (error.at < error.tokens.size()) Hints(session, error, diagnostic).find();
}

}  // namespace sysdl::parsing
