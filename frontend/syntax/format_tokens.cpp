// Reads tokens again, with what the parser drops: comments at their places, and blank lines.
#include "frontend/syntax/format_tokens.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sysdl::syntax::formatting {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// A character of a word; those beyond ASCII that may stand in one are the spellings of micro.
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::vector<Token> scan() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') ++newlines_;
      if (c == '\n' || c == '\r' || c == ' ' || c == '\t') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        comment();
      } else {
        token(text_.substr(at_, lengthHere()));
      }
    }
    token({});
    return std::move(tokens_);
  }

private:
  char at(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }

  void comment() {
    size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
    std::string_view text = text_.substr(at_, end - at_);
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    at_ = end;
    bool follows = newlines_ == 0 && !startsLine_ && !tokens_.empty() && comments_.empty();
    if (follows && tokens_.back().trailing.empty()) {
      tokens_.back().trailing = text;
    } else {
      comments_.push_back({text, newlines_ > 1});
      newlines_ = 0;
    }
    startsLine_ = true;
  }

  void token(std::string_view text) {
    at_ += text.size();
    bool newLine = startsLine_ || newlines_ > 0;
    if (text == ";") {
      startsLine_ = newLine;
      newlines_ = 0;
      return;
    }
    bool closes = text == ")" || text == "]" || text == "}";
    if (closes && !tokens_.empty() && tokens_.back().text == ",") dropComma();
    tokens_.push_back({text, std::move(comments_), {}, newlines_ > 1, newLine});
    comments_.clear();
    newlines_ = 0;
    startsLine_ = false;
    size_t count = tokens_.size();
    if (count > 1 && tokens_[count - 2].text == ",")
      moveComments(tokens_[count - 2], tokens_.back());
  }

  /// Comments before a comma stand before what follows it.
  static void moveComments(Token& comma, Token& next) {
    if (comma.comments.empty()) return;
    if (!comma.trailing.empty()) comma.comments.push_back({comma.trailing, false});
    next.comments.insert(next.comments.begin(), comma.comments.begin(), comma.comments.end());
    comma.comments.clear();
    comma.trailing = {};
  }

  void dropComma() {
    Token comma = std::move(tokens_.back());
    tokens_.pop_back();
    std::vector<OwnLineComment> before = std::move(comma.comments);
    if (!comma.trailing.empty()) {
      bool fits = !tokens_.empty() && tokens_.back().trailing.empty() && before.empty() &&
                  !comma.startsLine;
      if (fits)
        tokens_.back().trailing = comma.trailing;
      else
        before.push_back({comma.trailing, false});
    }
    comments_.insert(comments_.begin(), before.begin(), before.end());
  }

  size_t lengthHere() const {
    char c = text_[at_];
    if (c == '"') return stringLength();
    if (isDigit(c)) return numberLength();
    if (isLetter(c)) return wordLength();
    static constexpr std::string_view kPairs[] = {"..", "->", "==", "!=", "<=", ">="};
    for (std::string_view pair : kPairs) {
      if (text_.substr(at_, 2) == pair) return 2;
    }
    return 1;
  }

  size_t stringLength() const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size()) - at_;
  }

  size_t digits(size_t from) const {
    while (isDigit(at(from)) || (at(from) == '_' && isDigit(at(from + 1)))) ++from;
    return from;
  }

  size_t numberLength() const {
    size_t end = digits(at_);
    if (at(end) == '.' && isDigit(at(end + 1))) end = digits(end + 1);
    if (at(end) == 'e' || at(end) == 'E') {
      size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
      if (isDigit(at(end + 1 + sign))) {
        end += 1 + sign;
        while (isDigit(at(end))) ++end;
      }
    }
    return end - at_;
  }

  size_t word(size_t from) const {
    while (isLetter(at(from)) || isDigit(at(from))) ++from;
    return from;
  }

  /// A word or a unit such as `USD/hour` or `m^-2`.
  size_t wordLength() const {
    size_t end = word(at_);
    for (;;) {
      char c = at(end);
      size_t next = end + 1;
      if (c == '^') {
        if (at(next) == '-') ++next;
        if (!isDigit(at(next))) break;
        while (isDigit(at(next))) ++next;
      } else if ((c == '/' || c == '*') && isLetter(at(next))) {
        next = word(next);
      } else {
        break;
      }
      end = next;
    }
    return end - at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t newlines_ = 0;   // since the last token or comment
  bool startsLine_ = true;  // only dropped tokens stand between here and the start of the line
  std::vector<OwnLineComment> comments_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokensOf(std::string_view text) { return Scanner(text).scan(); }

}  // namespace sysdl::syntax::formatting
