// Tables over the token types.
#include "frontend/parse/token.h"

#include <array>

#include "llvm/ADT/StringMap.h"

namespace sysdl::parsing {
namespace {

struct Entry {
  Group group;
  std::string_view text;
};

constexpr Entry kEntries[] = {
    {Group::Other, "the end of the file"},
#define TOKEN(name, antlr, group, text) {Group::group, text},
#include "grammar/tokens.def"
#undef TOKEN
};

bool isWord(Group group) { return group <= Group::Reserved; }

llvm::StringMap<Tok> makeWords() {
  llvm::StringMap<Tok> words;
  for (size_t i = 0; i < std::size(kEntries); ++i) {
    const Entry& entry = kEntries[i];
    if (isWord(entry.group)) {
      words[llvm::StringRef(entry.text.data(), entry.text.size())] = static_cast<Tok>(i);
    }
  }
  return words;
}

}  // namespace

Group groupOf(Tok type) { return kEntries[static_cast<size_t>(type)].group; }
std::string_view textOf(Tok type) { return kEntries[static_cast<size_t>(type)].text; }

Tok wordOf(std::string_view text) {
  static const llvm::StringMap<Tok> words = makeWords();
  auto found = words.find(llvm::StringRef(text.data(), text.size()));
  return found == words.end() ? Tok::None : found->second;
}

bool isOpener(Tok type) {
  return type == Tok::LBrace || type == Tok::LParen || type == Tok::LBracket;
}

bool isCloser(Tok type) {
  return type == Tok::RBrace || type == Tok::RParen || type == Tok::RBracket;
}

Tok closerOf(Tok opener) { return static_cast<Tok>(static_cast<uint8_t>(opener) + 1); }

bool isOperator(Tok type) {
  return (type >= Tok::Plus && type <= Tok::GreaterEqual) || (type >= Tok::And && type <= Tok::Mod);
}

bool endsOperand(Tok type) {
  switch (type) {
  case Tok::Name:
  case Tok::Number:
  case Tok::Unit:
  case Tok::UnitPath:
  case Tok::String:
  case Tok::True:
  case Tok::False:
  case Tok::Question: return true;
  default: return isCloser(type);
  }
}

bool startsOperand(Tok type) {
  switch (type) {
  case Tok::Name:
  case Tok::Number:
  case Tok::UnitPath:
  case Tok::String:
  case Tok::True:
  case Tok::False:
  case Tok::Not:
  case Tok::Minus:
  case Tok::LParen:
  case Tok::LBracket: return true;
  default: return false;
  }
}

}  // namespace sysdl::parsing
