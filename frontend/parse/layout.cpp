// Where statements start and end, and which newlines and commas mean nothing.
#include "frontend/parse/layout.h"

#include "fmt/format.h"

#include "frontend/parse/brackets.h"
#include "frontend/parse/syntax_error.h"

namespace sysdl::parsing {

Layout::Layout(Session& session, const Tokens& raw, Form form)
    : session_(session), raw_(raw), form_(form) {
  Frame& outside = frames_.emplace_back();
  outside.statements = form != Form::Expression;
}

bool Layout::next(Tokens& out) {
  out.clear();
  out_ = &out;
  while (at_ < raw_.size()) {
    const Token& token = raw_[at_++];
    take(token);
    bool ended = frames_.size() == 1 && !out.empty() && out.back().type == Tok::End;
    if (ended && form_ != Form::Expression) return true;
    if (out.size() > session_.limits.maxTokens) {
      skipLargeItem();
      return true;
    }
  }
  if (form_ == Form::Expression && !out.empty()) frames_.front().start = 0;
  if (!frames_.front().open()) return false;
  auto end = raw_.empty() ? 0 : raw_.back().end;
  endStatement(end, end, true);
  return true;
}

void Layout::take(const Token& token) {
  switch (token.type) {
  case Tok::Newline: return newline(token);
  case Tok::Semicolon:
    if (!frames_.back().statements) return push(token.type, token);
    if (frames_.back().open()) endStatement(token.begin, token.end, false);
    return;
  case Tok::LBrace:
  case Tok::LParen:
  case Tok::LBracket: return openBracket(token);
  case Tok::RBrace:
  case Tok::RParen:
  case Tok::RBracket: return closeBracket(token);
  case Tok::Comma: return comma(token);
  case Tok::Range: return range(token);
  case Tok::Name: return word(token);
  case Tok::UnitPath:
    if (!unit(token)) strayPath(token);
    return;
  case Tok::Percent: return push(previous() == Tok::Number ? Tok::Unit : token.type, token);
  case Tok::BlockComment:
  case Tok::OpenString:
  case Tok::Quoted:
  case Tok::WrongOperator:
  case Tok::Wrong: return fault(token);
  default: return push(token.type, token);
  }
}

void Layout::push(Tok type, const Token& token) {
  openStatement();
  out_->push_back(token);
  out_->back().type = type;
}

void Layout::openStatement() {
  Frame& frame = frames_.back();
  if (frame.statements && !frame.open()) frame.start = static_cast<uint32_t>(out_->size());
}

void Layout::endStatement(uint32_t begin, uint32_t end, bool inserted) {
  Frame& frame = frames_.back();
  (*out_)[frame.start].link = static_cast<uint32_t>(out_->size());
  checkStart();
  if (frame.poisoned) {
    Token bad = (*out_)[frame.start];
    bad.type = Tok::Bad;
    bad.end = out_->back().end;
    out_->resize(frame.start);
    out_->push_back(bad);
  }
  (*out_)[frame.start].link = static_cast<uint32_t>(out_->size());
  Token last;
  last.begin = begin;
  last.end = end;
  last.type = Tok::End;
  last.inserted = inserted;
  out_->push_back(last);
  frame.start = UINT32_MAX;
  frame.poisoned = false;
  frame.ifs = 0;
}

/// Makes the innermost open statement BAD: something in it is reported already.
void Layout::poison() {
  openStatement();
  statementFrame().poisoned = true;
}

Layout::Frame& Layout::statementFrame() {
  size_t i = frames_.size() - 1;
  while (i > 0 && !frames_[i].statements) --i;
  return frames_[i];
}

Tok Layout::rawType(size_t index) const {
  return index < raw_.size() ? raw_[index].type : Tok::None;
}

/// The index of the next raw token that is not a newline.
size_t Layout::significant(size_t from) const {
  while (rawType(from) == Tok::Newline) ++from;
  return from;
}

void Layout::newline(const Token& token) {
  Frame& frame = frames_.back();
  if (!frame.statements || !frame.open()) return;
  size_t next = significant(at_);
  if (continues(next) && !runsOn(next)) {
    at_ = next;
    return;
  }
  endStatement(token.begin, token.end, false);
}

/// Whether the open statement goes on after a newline, at raw token `next`.
bool Layout::continues(size_t next) const {
  if (rawType(next) == Tok::Name) {
    Tok word = wordOf(session_.textOf(raw_[next]));
    if (word == Tok::Then || word == Tok::Else) return true;
  }
  switch (previous()) {
  case Tok::Assign:
  case Tok::Then:
  case Tok::Else:
  case Tok::In:
  case Tok::Yield:
  case Tok::Arrow: return true;
  case Tok::Comma: return takesCommas(firstOf(frames_.back()));
  case Tok::Colon: return firstOf(frames_.back()) == Tok::Warn && rawType(next) == Tok::String;
  default: return isOperator(previous());
  }
}

bool Layout::takesCommas(Tok word) const {
  switch (word) {
  case Tok::UnitWord:
  case Tok::Fuse:
  case Tok::Shard:
  case Tok::Store:
  case Tok::Pareto: return true;
  default: return false;
  }
}

/// A line that ends in an operator goes on, but not into what can only be a new statement (E0112).
bool Layout::runsOn(size_t next) {
  Tok last = previous();
  if (!isOperator(last) && last != Tok::Assign) return false;
  bool nothingFollows = rawType(next) == Tok::RBrace || next >= raw_.size();
  // The colon of `warn if condition: "text"` looks like that of a field.
  bool isWarning = firstOf(frames_.back()) == Tok::Warn;
  if (!nothingFollows && (isWarning || !looksLikeStatement(session_, raw_, next))) return false;
  if (frames_.back().poisoned) return true;
  std::string_view sign = session_.textOf(out_->back());
  Diagnostic& error = session_.error(
      Code::E0112, session_.span(out_->back()), fmt::format("this line ends in `{}`", sign),
      nothingFollows ? "nothing follows" : "so the next line would belong to it");
  if (!nothingFollows) error.label(session_.span(raw_[next]), "the next statement starts here");
  error.helpText(last == Tok::Assign ? "write the value after `=`"
                                     : fmt::format("finish the expression or remove `{}`", sign));
  frames_.back().poisoned = true;
  return true;
}

/// What starts no statement is reported here: the parser would take it for the end of the body.
void Layout::checkStart() {
  Frame& frame = frames_.back();
  bool inBody = frames_.size() > 1 || form_ == Form::Members;
  if (!inBody || frame.enumWords || frame.poisoned) return;
  Tok first = firstOf(frame);
  if (first == Tok::Name || groupOf(first) == Group::Member) return;
  SyntaxError error{*out_, frame.start, frame.start, form_, {}, "statement"};
  for (Tok start : {Tok::Name, Tok::Require, Tok::RBrace}) error.expect(start);
  report(session_, error);
  frame.poisoned = true;
}

void Layout::openBracket(const Token& token) {
  openStatement();
  const Frame& parent = frames_.back();
  Frame frame;
  frame.opener = token.type;
  bool outside = frames_.size() == 1 && parent.open();
  if (token.type == Tok::LBrace) {
    frame.statements = true;
    frame.enumWords = outside && firstOf(parent) == Tok::Enum;
  } else if (token.type == Tok::LParen) {
    Tok first = firstOf(parent);
    // A function's value may hold calls; what stands outside of a block's body are parameters.
    bool second = out_->size() == parent.start + size_t{2};
    bool params = outside &&
                  (first == Tok::Block || (second && (first == Tok::Fn || first == Tok::Operator)));
    frame.call = endsOperand(previous()) && !params;
  }
  push(token.type, token);
  frames_.push_back(frame);
}

void Layout::closeBracket(const Token& token) {
  Frame& frame = frames_.back();
  if (frame.statements && frame.open()) endStatement(token.begin, token.begin, true);
  // Before the outside of everything there is no frame to leave: a stray closer is gone by now.
  if (frames_.size() > 1) frames_.pop_back();
  push(token.type, token);
  // What the inserted closer encloses was cut off somewhere: no second error for it.
  if (token.inserted && token.type != Tok::RBrace) poison();
}

void Layout::comma(const Token& token) {
  Frame& frame = frames_.back();
  if (frame.enumWords) {
    if (frame.open()) endStatement(token.begin, token.end, false);
    return;
  }
  if (frame.statements) {
    frame.ifs = 0;
    return push(token.type, token);
  }
  frame.ifs = 0;
  bool first = isOpener(previous()) || previous() == Tok::Comma;
  if (!first && isCloser(rawType(significant(at_)))) return;  // trailing
  push(token.type, token);
}

/// `1..` with nothing after it is a token of its own.
void Layout::range(const Token& token) {
  size_t next = frames_.back().statements ? at_ : significant(at_);
  bool closed = startsOperand(rawType(next));
  if (closed && rawType(next) == Tok::Name) {
    Tok word = wordOf(session_.textOf(raw_[next]));
    closed = groupOf(word) != Group::Reserved || startsOperand(word);
  }
  push(closed ? Tok::Range : Tok::OpenRange, token);
}

/// Nested `if`s are bounded like brackets: the parser calls itself for each.
void Layout::countIf(const Token& token) {
  ++frames_.back().ifs;
  size_t depth = 0;
  for (const Frame& frame : frames_) depth += frame.ifs;
  if (depth + frames_.size() <= session_.limits.maxNesting) return;
  if (!statementFrame().poisoned) {
    session_.error(Code::E0120, session_.span(token),
                   fmt::format("nested too deeply: the limit (maxNesting) is {} brackets and "
                               "`if`s inside one another",
                               session_.limits.maxNesting),
                   "one too many");
  }
  poison();
}

/// Reports an item of too many tokens and skips it, without keeping them.
void Layout::skipLargeItem() {
  Token first = out_->front();
  session_
      .error(Code::E0120, session_.span(first),
             fmt::format("this declaration is too large: the limit (maxTokens) is {} tokens",
                         session_.limits.maxTokens),
             "too large")
      .helpText("split it into several declarations");
  size_t depth = frames_.size() - 1;
  for (; at_ < raw_.size(); ++at_) {
    Tok type = raw_[at_].type;
    if (isOpener(type)) ++depth;
    if (isCloser(type)) --depth;
    if (depth == 0 && (type == Tok::Newline || type == Tok::Semicolon)) break;
  }
  frames_.resize(1);
  frames_.front().start = 0;
  frames_.front().poisoned = true;
  uint32_t end = raw_[at_ - 1].end;
  endStatement(end, end, true);
}

}  // namespace sysdl::parsing
