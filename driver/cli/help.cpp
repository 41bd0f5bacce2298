// The text of `--help`: words to the left, what they mean to the right.
#include "driver/cli/help.h"

#include <algorithm>

#include "fmt/format.h"

namespace sysdl::cli {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Two columns; what is too wide for the left one has a line for itself.
std::string columns(const Lines& lines) {
  constexpr size_t kWidest = 26;
  size_t width = 0;
  for (const auto& [left, right] : lines) {
    if (left.size() <= kWidest) width = std::max(width, left.size());
  }
  std::string text;
  for (const auto& [left, right] : lines) {
    if (left.size() <= kWidest)
      text += fmt::format("  {:<{}}  {}\n", left, width, right);
    else
      text += fmt::format("  {}\n  {:<{}}  {}\n", left, "", width, right);
  }
  return text;
}

std::string examples(const Command& command) {
  std::string text = command.examples.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
  for (const Example& example : command.examples) {
    text += fmt::format("  sysdlc {}", example.line);
    text += example.comment.empty() ? "\n" : fmt::format("  # {}\n", example.comment);
  }
  return text;
}

}  // namespace

std::string programHelp() {
  std::string text = fmt::format("{}\nUsage: sysdlc COMMAND [OPTIONS] [FILE...]\n", kPurpose);
  Lines lines;
  for (const Command& command : commands()) lines.emplace_back(command.name, command.summary);
  text += "\nCommands:\n" + columns(lines);
  text +=
      "\nOptions:\n" + columns({{std::string(kHelp.spelling), std::string(kHelp.summary)},
                                {std::string(kVersion.spelling), std::string(kVersion.summary)}});
  text += "\nExample: sysdlc eval examples/gpt3_175b.sysdl\n"
          "`sysdlc COMMAND --help` has more, with an example of each.\n";
  return text + fmt::format("Exit status: {}\n", kExitStatus);
}

std::string commandHelp(const Command& command) {
  std::string text =
      fmt::format("{}\nUsage: sysdlc {} {}\n", command.summary, command.name, synopsis(command));
  Lines arguments, options;
  for (const Argument& argument : command.arguments) {
    std::string dots = repeats(argument.target) ? "..." : "";
    arguments.emplace_back(fmt::format("{}{}", argument.name, dots), argument.summary);
  }
  for (const Option& option : command.options) {
    std::string value = valueOf(option);
    options.emplace_back(fmt::format("{}{}{}", option.name, value.empty() ? "" : " ", value),
                         option.summary);
  }
  options.emplace_back(kHelp.spelling, kHelp.summary);
  if (!arguments.empty()) text += "\n" + columns(arguments);
  return text + "\nOptions:\n" + columns(options) + examples(command);
}

}  // namespace sysdl::cli
