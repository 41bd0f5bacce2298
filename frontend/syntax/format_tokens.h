// The tokens of a text without faults, each with the comments around it: what the formatter lays out.
#pragma once

#include <string_view>
#include <vector>

namespace sysdl::syntax::formatting {

struct OwnLineComment {
  std::string_view text;
  bool blankBefore = false;
};

struct Token {
  std::string_view text;                 // empty at the end of the file
  std::vector<OwnLineComment> comments;  // before the token, each on a line of its own
  std::string_view trailing;             // a comment after it, on its line
  bool blankBefore = false;              // a blank line between it and what stands before it
  bool startsLine = false;
};

/// All tokens but semicolons and trailing commas, then an empty one.
std::vector<Token> tokensOf(std::string_view text);

}  // namespace sysdl::syntax::formatting
