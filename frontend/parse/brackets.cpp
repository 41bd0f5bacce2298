// Matching and repair of brackets. In a balanced file only the stack counts; where something is
// missing, the indentation tells which bracket its author forgot.
#include "frontend/parse/brackets.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace sysdl::parsing {
namespace {

struct Unclosed {
  uint32_t opener;   // indices of tokens
  uint32_t noticed;  // the closer goes before this one
};

struct Match {
  std::vector<Unclosed> unclosed;
  std::vector<uint32_t> stray;
  /// `}` behind something else on a line, of a `{` of an earlier line: nobody writes that on purpose.
  std::vector<uint32_t> odd;
  uint32_t tooDeep = UINT32_MAX;
  size_t faults() const { return unclosed.size() + stray.size(); }
};

class Matcher {
public:
  Matcher(const Session& session, const Tokens& tokens, bool trustIndentation)
      : session_(session), tokens_(tokens), trustIndentation_(trustIndentation) {}

  Match run() {
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
      Tok type = tokens_[i].type;
      if (type == Tok::Newline) {
        startOfLine_ = true;
        continue;
      }
      if (startOfLine_) startLine(i);
      if (isOpener(type)) open(i);
      if (match_.tooDeep != UINT32_MAX) break;
      if (isCloser(type)) close(i);
      previous_ = type;
    }
    while (!stack_.empty()) forget(static_cast<uint32_t>(tokens_.size()));
    return std::move(match_);
  }

private:
  struct Open {
    uint32_t token;
    uint32_t indentation;  // of its line
    uint32_t line;
  };

  void startLine(uint32_t i) {
    startOfLine_ = false;
    first_ = i;
    ++line_;
    uint32_t start = tokens_[i].begin;
    while (start > 0 && (session_.text[start - 1] == ' ' || session_.text[start - 1] == '\t')) {
      --start;
    }
    indentation_ = tokens_[i].begin - start;
    if (!trustIndentation_) return;
    Tok type = tokens_[i].type;
    if (type == Tok::RBrace) {
      auto sameColumn = std::find_if(stack_.rbegin(), stack_.rend(), [&](const Open& open) {
        return tokens_[open.token].type == Tok::LBrace && open.indentation == indentation_;
      });
      if (sameColumn == stack_.rend()) return;
      while (stack_.back().indentation > indentation_) forget(i);
    } else if (!isCloser(type)) {
      while (!stack_.empty() && tokens_[stack_.back().token].type == Tok::LBrace &&
             stack_.back().indentation >= indentation_) {
        forget(i);
      }
      while (!stack_.empty() && tokens_[stack_.back().token].type != Tok::LBrace &&
             endsOperand(previous_) && looksLikeStatement(session_, tokens_, i)) {
        forget(i);
      }
    }
  }

  void open(uint32_t i) {
    stack_.push_back({i, indentation_, line_});
    if (stack_.size() > session_.limits.maxNesting) match_.tooDeep = i;
  }

  void close(uint32_t i) {
    for (size_t depth = stack_.size(); depth-- > 0;) {
      Tok opener = tokens_[stack_[depth].token].type;
      if (closerOf(opener) == tokens_[i].type) {
        while (stack_.size() > depth + 1) forget(i);
        if (opener == Tok::LBrace && stack_[depth].line != line_ && first_ != i)
          match_.odd.push_back(i);
        stack_.pop_back();
        return;
      }
      // A `)` or `]` of a line inside a body does not reach out of that body.
      bool sameLine = stack_[depth].line == line_;
      if (opener == Tok::LBrace && tokens_[i].type != Tok::RBrace && !sameLine) break;
    }
    match_.stray.push_back(i);
  }

  void forget(uint32_t noticed) {
    match_.unclosed.push_back({stack_.back().token, noticed});
    stack_.pop_back();
  }

  const Session& session_;
  const Tokens& tokens_;
  bool trustIndentation_;
  bool startOfLine_ = true;
  Tok previous_ = Tok::None;
  uint32_t indentation_ = 0;
  uint32_t line_ = 0;
  uint32_t first_ = 0;  // token of the line
  std::vector<Open> stack_;
  Match match_;
};

void report(Session& session, const Tokens& tokens, const Match& match) {
  // No more than can be shown: a megabyte of brackets is not a megabyte of errors.
  size_t room = session.limits.maxErrors + size_t{1};
  for (const Unclosed& fault : match.unclosed) {
    if (room-- == 0) return;
    const Token& opener = tokens[fault.opener];
    std::string_view closer = textOf(closerOf(opener.type));
    Diagnostic& error =
        session.error(Code::E0111, session.span(opener),
                      fmt::format("this `{}` is never closed", textOf(opener.type)), "opened here");
    auto end = static_cast<uint32_t>(session.text.size());
    if (fault.noticed == tokens.size()) {
      error.label(session.span(end, end), fmt::format("the file ends without its `{}`", closer));
    } else {
      error.label(session.span(tokens[fault.noticed]),
                  fmt::format("a `{}` is missing before this", closer));
    }
  }
  room = session.limits.maxErrors + size_t{1};
  // Of several in a row, the first says it all.
  uint32_t previous = UINT32_MAX;
  for (uint32_t stray : match.stray) {
    session.lastStray = tokens[stray].begin;
    bool again = previous != UINT32_MAX && stray == previous + 1;
    previous = stray;
    if (again || room == 0) continue;
    --room;
    bool odd = std::find(match.odd.begin(), match.odd.end(), stray) != match.odd.end();
    std::string_view sign = textOf(tokens[stray].type);
    session.error(Code::E0110, session.span(tokens[stray]),
                  fmt::format("this `{}` {}", sign, odd ? "is one too many" : "closes nothing"),
                  odd ? "what is open here is closed below" : "no bracket is open here");
  }
}

void repair(Tokens& tokens, Match& match) {
  for (uint32_t stray : match.stray) {
    tokens[stray].type = Tok::Wrong;
    tokens[stray].inserted = true;
  }
  if (match.unclosed.empty()) return;
  // Inner brackets close first: among those noticed at one place, the later opener.
  std::sort(match.unclosed.begin(), match.unclosed.end(), [](const Unclosed& a, const Unclosed& b) {
    return a.noticed != b.noticed ? a.noticed < b.noticed : a.opener > b.opener;
  });
  Tokens result;
  result.reserve(tokens.size() + match.unclosed.size());
  auto fault = match.unclosed.begin();

  for (uint32_t i = 0; i <= tokens.size(); ++i) {
    // The closer stands behind the last word, not behind the newlines after it.
    uint32_t newlines = 0;
    for (; fault != match.unclosed.end() && fault->noticed == i; ++fault) {
      while (newlines < result.size() &&
             result[result.size() - 1 - newlines].type == Tok::Newline) {
        ++newlines;
      }
      Token closer;
      closer.type = closerOf(tokens[fault->opener].type);
      closer.inserted = true;
      auto place = result.end() - newlines;
      closer.begin = closer.end = place == result.begin() ? 0 : (place - 1)->end;
      result.insert(place, closer);
    }
    if (i == tokens.size()) break;
    result.push_back(tokens[i]);
  }
  tokens = std::move(result);
}

/// The last `}` of a file closes nothing where one in the middle is too many: finds that one.
void blameOdd(const Session& session, Tokens& tokens, Match& match) {
  constexpr size_t kMost = 4;
  if (!match.unclosed.empty() || match.stray.size() != 1) return;
  for (size_t i = 0; i < match.odd.size() && i < kMost; ++i) {
    Token& token = tokens[match.odd[i]];
    Tok type = std::exchange(token.type, Tok::Wrong);
    bool balanced = Matcher(session, tokens, false).run().faults() == 0;
    token.type = type;
    if (!balanced) continue;
    match.stray = {match.odd[i]};
    return;
  }
}

}  // namespace

bool balanceBrackets(Session& session, Tokens& tokens) {
  Match match = Matcher(session, tokens, false).run();
  if (match.tooDeep != UINT32_MAX) {
    session.error(Code::E0120, session.span(tokens[match.tooDeep]),
                  fmt::format("nested too deeply: the limit (maxNesting) is {} brackets inside one "
                              "another",
                              session.limits.maxNesting),
                  "one too many");
    return false;
  }
  if (match.faults() == 0) return true;
  if (!match.unclosed.empty()) {
    // A file that is not indented has nothing to tell: then this finds more faults, not fewer.
    Match byIndentation = Matcher(session, tokens, true).run();
    if (byIndentation.faults() <= match.faults()) match = std::move(byIndentation);
  }
  blameOdd(session, tokens, match);
  std::sort(match.unclosed.begin(), match.unclosed.end(),
            [](const Unclosed& a, const Unclosed& b) { return a.opener < b.opener; });
  report(session, tokens, match);
  repair(tokens, match);
  return true;
}

size_t partnerOf(const Tokens& tokens, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (isOpener(tokens[i].type)) ++depth;
    if (isCloser(tokens[i].type) && --depth == 0) return i;
  }
  return tokens.size();
}

bool looksLikeStatement(const Session& session, const Tokens& tokens, size_t at) {
  auto typeAt = [&](size_t i) { return i < tokens.size() ? tokens[i].type : Tok::None; };
  auto groupAt = [&](size_t i) { return groupOf(wordOf(session.textOf(tokens[i]))); };
  if (typeAt(at) != Tok::Name || groupAt(at) == Group::Reserved) return false;
  size_t next = at + 1;
  if (typeAt(next) == Tok::Name) {
    Group group = groupAt(next);
    // `source` is a joiner too, where an origin follows a value.
    bool joins = group == Group::Joiner || group == Group::Reserved ||
                 wordOf(session.textOf(tokens[next])) == Tok::Source;
    return !joins;
  }
  if (typeAt(next) == Tok::String || typeAt(next) == Tok::Colon) return true;
  while (typeAt(next) == Tok::Dot || typeAt(next) == Tok::LBracket) {
    next = typeAt(next) == Tok::Dot ? next + 2 : partnerOf(tokens, next) + 1;
  }
  return typeAt(next) == Tok::Assign;
}

}  // namespace sysdl::parsing
