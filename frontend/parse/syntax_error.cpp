// The message of a syntax error, from the state of the tokens: what was found, what could stand
// there.
#include "frontend/parse/syntax_error.h"

#include "fmt/format.h"

namespace sysdl::parsing {
namespace {

std::string quoted(std::string_view text) { return fmt::format("`{}`", text); }

std::string describeEnd(const Session& session, Form form, const Token& end) {
  if (form == Form::Expression) return "the end of the expression";
  if (end.begin >= session.text.size()) {
    return form == Form::File ? "the end of the file" : "the end of the text";
  }
  char c = session.text[end.begin];
  return c == '}' || c == ';' ? quoted(std::string_view(&c, 1)) : "the end of the line";
}

std::string describe(const Session& session, Form form, const Token& token) {
  std::string_view text = session.textOf(token);
  switch (token.type) {
  case Tok::None: return "the end of the file";
  case Tok::End: return describeEnd(session, form, token);
  case Tok::Number: return fmt::format("the number `{}`", text);
  case Tok::Unit: return fmt::format("the unit `{}`", text);
  case Tok::String: return "a string";
  case Tok::Name:
  case Tok::ArgumentName: return fmt::format("the name `{}`", text);
  default:
    return groupOf(token.type) <= Group::Reserved ? fmt::format("the word `{}`", text)
                                                  : quoted(text);
  }
}

/// What a name stands for in a rule of the grammar.
std::string_view nameIn(std::string_view rule) {
  if (rule == "field" || rule == "childrenRule") return "a field name";
  if (rule == "child" || rule == "named") return "a label";
  if (rule == "importDecl") return "a module";
  if (rule == "type" || rule == "typeArg" || rule == "dotted") return "a type";
  return "a name";
}

/// Takes the types of `drop` out of `set` and adds `words`, if `set` holds them all.
struct Summary {
  std::bitset<128> set;
  std::vector<std::string> words;

  bool has(Tok type) const { return set[static_cast<size_t>(type)]; }
  void drop(std::initializer_list<Tok> types) {
    for (Tok type : types) set.reset(static_cast<size_t>(type));
  }
  void add(std::string_view text) { words.emplace_back(text); }
};

void summarizeExpression(const SyntaxError& error, Summary& summary) {
  if (error.expectsExpression()) {
    summary.add("an expression");
    summary.drop({Tok::Number, Tok::String, Tok::LParen, Tok::LBracket, Tok::Minus, Tok::Not,
                  Tok::True, Tok::False, Tok::Name, Tok::If, Tok::ArgumentName});
  }
  if (error.expectsOperator()) {
    summary.add("an operator");
    for (size_t i = 0; i < summary.set.size(); ++i) {
      if (summary.set[i] && isOperator(static_cast<Tok>(i))) summary.set.reset(i);
    }
    summary.drop({Tok::Range, Tok::Dot, Tok::LBracket, Tok::LParen, Tok::LBrace});
  }
  // A unit is never missed where something else would do.
  summary.drop({Tok::Unit, Tok::Bad, Tok::Semicolon});
}

std::vector<std::string> expectedWords(const SyntaxError& error) {
  Summary summary{error.expected, {}};
  if (summary.has(Tok::Require) && summary.has(Tok::Name)) {
    std::vector<std::string> words{"a field", "a child", "a statement"};
    if (summary.has(Tok::RBrace)) words.emplace_back("`}`");
    return words;
  }
  if (summary.has(Tok::Schema) && summary.has(Tok::Import)) return {"a declaration"};
  if (summary.has(Tok::Colon) && summary.has(Tok::Assign) && summary.has(Tok::LBrace)) {
    return {"`=`", "`:`", "`{`", "a label"};
  }
  if (error.rule == "named" && summary.has(Tok::Assign)) return {"`=`", "`{`"};
  summarizeExpression(error, summary);
  if (summary.has(Tok::Name)) summary.add(nameIn(error.rule));
  summary.drop({Tok::Name, Tok::ArgumentName});
  // What a type may go on with is noise beside what may follow it.
  if (summary.has(Tok::Question)) summary.drop({Tok::Question, Tok::LBracket, Tok::Dot});
  bool end = summary.has(Tok::End);
  // An origin may follow any value, and is seldom what was forgotten.
  if (end) summary.drop({Tok::End, Tok::Source});
  for (size_t i = 1; i < summary.set.size(); ++i) {
    if (!summary.set[i]) continue;
    auto type = static_cast<Tok>(i);
    Group group = groupOf(type);
    summary.add(group == Group::Other ? std::string(textOf(type)) : quoted(textOf(type)));
  }
  if (end) {
    bool line = error.form != Form::Expression;
    summary.add(line ? "the end of the line" : "the end of the expression");
  }
  return summary.words;
}

std::string joinWords(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

/// The start of a line that an operator at the end of the line before drew into the statement, though
/// it starts with a statement word; 0 where there is none.
size_t drawnIn(const Session& session, const SyntaxError& error) {
  size_t depth = 0;
  size_t found = 0;
  for (size_t i = error.statement + 1; i <= error.at && i < error.tokens.size(); ++i) {
    const Token& before = error.tokens[i - 1];
    const Token& token = error.tokens[i];
    if (isOpener(before.type)) ++depth;
    if (isCloser(token.type) && depth > 0) --depth;
    if (depth > 0 || !(isOperator(before.type) || before.type == Tok::Assign)) continue;
    std::string_view between = session.text.substr(before.end, token.begin - before.end);
    Group group = groupOf(wordOf(session.textOf(token)));
    bool starts = group == Group::Member || group == Group::Item;
    if (between.find('\n') != std::string_view::npos && starts) found = i;
  }
  return found;
}

void reportDrawnIn(Session& session, const SyntaxError& error, size_t line) {
  const Token& sign = error.tokens[line - 1];
  session
      .error(Code::E0112, session.span(sign),
             fmt::format("this line ends in `{}`", session.textOf(sign)),
             "so the next line would belong to it")
      .label(session.span(error.tokens[line]), "the next statement starts here")
      .helpText(fmt::format("finish the expression or remove `{}`", session.textOf(sign)));
}

/// A bracket of an earlier line that is still open: the reader should see it.
void labelOpener(const Session& session, const SyntaxError& error, Diagnostic& diagnostic) {
  size_t depth = 0;
  for (size_t i = error.at; i-- > error.statement;) {
    Tok type = error.tokens[i].type;
    if (isCloser(type)) ++depth;
    if (!isOpener(type)) continue;
    if (depth-- > 0) continue;
    const Token& open = error.tokens[i];
    uint32_t at = error.tokens[error.at].begin;
    bool earlierLine =
        session.text.substr(open.begin, at - open.begin).find('\n') != std::string_view::npos;
    if (type != Tok::LBrace && earlierLine) {
      diagnostic.label(session.span(open), fmt::format("inside this `{}`", textOf(type)));
    }
    return;
  }
}

}  // namespace

void report(Session& session, const SyntaxError& error) {
  const Token& found = error.tokens[std::min(error.at, error.tokens.size() - 1)];
  // What a stray closer left outside of its body is not worth an error of its own.
  if (error.outside()) {
    uint32_t start = error.tokens.front().begin;
    bool indented = start > 0 && session.text[start - 1] != '\n';
    if (indented && session.lastStray > found.begin) return;
  }
  if (size_t line = drawnIn(session, error)) return reportDrawnIn(session, error, line);
  Span at = session.span(found);
  if (found.type == Tok::End && error.at > 0) {
    uint32_t end = error.tokens[error.at - 1].end;
    at = session.span(end, end);
  }
  Diagnostic& diagnostic =
      session.error(Code::E0110, at,
                    fmt::format("expected {}, found {}", joinWords(expectedWords(error)),
                                describe(session, error.form, found)));
  labelOpener(session, error, diagnostic);
  addHint(session, error, diagnostic);
}

}  // namespace sysdl::parsing
