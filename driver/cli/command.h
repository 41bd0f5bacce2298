// What a subcommand is: its words, options, examples and the function that runs it. The one table of
// them (table.cpp) makes parsing, help, did-you-mean, shell completion, the man page and
// docs/commands.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/options.h"
#include "driver/output.h"

namespace sysdl::cli {

/// A fault of the command line: the message, and what to write instead.
struct Usage {
  std::string message;
  std::string help;
};

/// Which words a shell offers for a value.
enum class Hint : uint8_t { None, SysdlFile, File, Code, Warning, Library };

/// Where a value goes. A flag goes to a bool, an option that may be repeated to a vector.
using Target =
    std::variant<std::string Options::*, std::vector<std::string> Options::*, bool Options::*,
                 size_t Options::*, unsigned Options::*, std::vector<std::string> WarningPolicy::*>;

struct Option {
  std::string_view name;     // "--design"
  std::string_view value;    // "NAME"; empty for a flag and where there are `words`
  std::string_view summary;  // one line, for help and completion
  Target target;
  std::vector<std::string_view> words = {};  // the values it takes, if only these
  Hint hint = Hint::None;
  uint64_t least = 0, most = UINT64_MAX;  // of a number
};

/// A word without a dash.
struct Argument {
  std::string_view name;     // "FILE"
  std::string_view summary;  // one line
  Target target;
  Hint hint = Hint::None;
  std::string_view needed =
      {};  // "a file": what a command without it needs; empty where it may be absent
  std::string_view example = {};             // of a value, for that message
  std::vector<std::string_view> words = {};  // the values it takes, if only these
};

struct Example {
  std::string_view line;          // without "sysdlc "
  std::string_view comment = {};  // may be empty
};

struct Command {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view about;    // more, for the man page and docs/commands.md
  std::vector<Argument> arguments;
  std::vector<Option> options;
  std::vector<Example> examples;
  Exit (*run)(const Options&, Output&);
  /// Says what is wrong with options that are each right; null where nothing can be.
  std::optional<Usage> (*misuse)(const Options&) = nullptr;
};

/// All subcommands, in the order of help.
std::span<const Command> commands();

/// Null where there is none of that name.
const Command* findCommand(std::string_view name);

/// Whether further words of the command line may go there too.
inline bool repeats(const Target& target) {
  return std::holds_alternative<std::vector<std::string> Options::*>(target) ||
         std::holds_alternative<std::vector<std::string> WarningPolicy::*>(target);
}
inline bool isFlag(const Target& target) { return std::holds_alternative<bool Options::*>(target); }
/// "text|json" where the option takes only certain words, else its `value`.
std::string valueOf(const Option& option);
/// "[OPTIONS] FILE..."
std::string synopsis(const Command& command);

}  // namespace sysdl::cli
