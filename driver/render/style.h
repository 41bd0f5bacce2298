// Colours of diagnostics on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sysdl {

enum class Role : uint8_t { Plain, Error, Warning, Gutter, Secondary, Strong, Help };

/// Paints text where colours are wanted, else leaves it as it is.
struct Style {
  bool colour = false;

  std::string paint(Role role, std::string_view text) const {
    if (!colour || role == Role::Plain || text.empty()) return std::string(text);
    return std::string(codeOf(role)).append(text).append("\x1b[0m");
  }

private:
  static std::string_view codeOf(Role role) {
    switch (role) {
    case Role::Error: return "\x1b[1;31m";
    case Role::Warning: return "\x1b[1;33m";
    case Role::Gutter:
    case Role::Secondary: return "\x1b[1;34m";
    case Role::Strong: return "\x1b[1m";
    case Role::Help: return "\x1b[1;36m";
    case Role::Plain: break;
    }
    return {};
  }
};

}  // namespace sysdl
