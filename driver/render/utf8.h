// Characters of text that may be anything: UTF-8 lengths, widths on a terminal, and safe printing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sysdl {

/// Bytes of the UTF-8 character at `at`; 0 where the bytes there are none.
size_t characterLength(std::string_view text, size_t at);

/// Columns that the character at `at` of `length` bytes takes on a terminal: 0, 1 or 2.
size_t characterWidth(std::string_view text, size_t at, size_t length);

/// Characters of the text (a byte that is none counts as one).
size_t characterCount(std::string_view text);

/// Columns that the text takes on a terminal once `printable`.
size_t textWidth(std::string_view text);

/// The text with what could act on a terminal, and bytes that are no characters, replaced by U+FFFD.
/// Newlines stay.
std::string printable(std::string_view text);

}  // namespace sysdl
