// Size, NUL bytes and UTF-8.
#include "frontend/parse/bytes.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/Support/ConvertUTF.h"

namespace sysdl::parsing {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The offset of the first byte that is not UTF-8, or the size of the text.
size_t firstInvalid(std::string_view text) {
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  const llvm::UTF8* at = begin;
  const llvm::UTF8* end = begin + text.size();
  if (llvm::isLegalUTF8String(&at, end)) return text.size();
  return static_cast<size_t>(at - begin);
}

void reportByte(Session& session, size_t at, std::string_view what, std::string help) {
  auto offset = static_cast<uint32_t>(at);
  auto line = 1 + std::count(session.text.begin(), session.text.begin() + offset, '\n');
  session
      .error(Code::E0120, session.span(offset, offset + 1),
             fmt::format("the file is not text: byte 0x{:02X} at offset {}, line {}, {}",
                         static_cast<unsigned char>(session.text[at]), at, line, what),
             "not text")
      .helpText(std::move(help));
}

}  // namespace

bool checkBytes(Session& session, uint32_t& begin) {
  std::string_view text = session.text;
  begin = 0;
  if (text.size() > session.limits.maxBytes) {
    session
        .error(Code::E0120, session.span(0, 0),
               fmt::format("the file is too large: {} bytes, the limit (maxBytes) is {}",
                           text.size(), session.limits.maxBytes),
               "too large")
        .helpText("split it into modules and import them");
    return false;
  }
  if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF") {
    reportByte(session, 0, "starts UTF-16", "save the file as UTF-8");
    return false;
  }
  size_t nul = text.find('\0');
  size_t invalid = firstInvalid(text.substr(0, std::min(nul, text.size())));
  if (invalid < std::min(nul, text.size())) {
    reportByte(session, invalid, "is not UTF-8", "save the file as UTF-8");
    return false;
  }
  if (nul != std::string_view::npos) {
    reportByte(session, nul, "does not occur in text", "a .sysdl file is UTF-8 text");
    return false;
  }
  if (text.starts_with(kByteOrderMark)) begin = static_cast<uint32_t>(kByteOrderMark.size());
  return true;
}

}  // namespace sysdl::parsing
