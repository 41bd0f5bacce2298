// Characters of text that may be anything.
#include "driver/render/utf8.h"

#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

namespace sysdl {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool acts(unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }

/// C1 control characters (U+0080 to U+009F) and marks that turn the direction of text around.
bool actsWide(std::string_view character) {
  if (character.size() == 2) {
    return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
  }
  if (character.size() != 3 || character[0] != '\xe2') return false;
  auto second = static_cast<unsigned char>(character[1]);
  auto third = static_cast<unsigned char>(character[2]);
  return (second == 0x80 && third >= 0xa8 && third <= 0xae) ||  // U+2028 to U+202E
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);    // U+2066 to U+2069
}

}  // namespace

size_t characterLength(std::string_view text, size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0x80) return 1;
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data()) + at;
  const auto* end = reinterpret_cast<const llvm::UTF8*>(text.data()) + text.size();
  if (!llvm::isLegalUTF8Sequence(begin, end)) return 0;
  return llvm::getNumBytesForUTF8(*begin);
}

size_t characterWidth(std::string_view text, size_t at, size_t length) {
  if (length <= 1) return 1;
  if (actsWide(text.substr(at, length))) return 1;
  int width = llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(text.data() + at, length));
  return width < 0 ? 1 : static_cast<size_t>(width);
}

size_t characterCount(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) i += std::max<size_t>(1, characterLength(text, i));
  return count;
}

size_t textWidth(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    size_t length = characterLength(text, i);
    width += characterWidth(text, i, length);
    i += std::max<size_t>(1, length);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t length = characterLength(text, i);
    bool bad = length == 0 || acts(static_cast<unsigned char>(text[i])) ||
               actsWide(text.substr(i, length));
    if (bad)
      out += kReplacement;
    else
      out.append(text, i, length);
    i += std::max<size_t>(1, length);
  }
  return out;
}

}  // namespace sysdl
