// What `--help` prints, made from the table of commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/cli/command.h"

namespace sysdl::cli {

/// What the program is for, in one sentence.
inline constexpr std::string_view kPurpose =
    "Reads descriptions of AI systems (.sysdl) and predicts time, memory and cost.";
inline constexpr std::string_view kExitStatus =
    "0 fine; 1 the design or a test is wrong; 2 the command could not run.";

/// Options of the program and of each command that do nothing but print: spelling and summary.
struct Printing {
  std::string_view spelling, summary;
};
inline constexpr Printing kHelp{"-h, --help", "Print this and exit"};
inline constexpr Printing kVersion{"--version", "Print versions and exit"};

std::string programHelp();
std::string commandHelp(const Command& command);

}  // namespace sysdl::cli
