// What formats for other programs share: a diagnostic's words without its source lines, and which
// paths are files.
#pragma once

#include <string>
#include <string_view>

#include "ir/support/diagnostic.h"

namespace sysdl {

/// Message, the primary label's text, notes and help, a line each.
inline std::string plainText(const Diagnostic& d) {
  std::string text = d.message;
  if (!d.labels.empty() && !d.labels.front().text.empty()) text += "\n" + d.labels.front().text;
  for (const std::string& note : d.notes) text += "\n" + note;
  if (!d.help.empty()) text += "\nhelp: " + d.help;
  return text;
}

/// Not a text of the command line, as "<-D>" is, and not of the library within the program.
inline bool isFileOfUser(std::string_view path) {
  return !path.empty() && !path.starts_with('<') && !path.starts_with("std/");
}

}  // namespace sysdl
