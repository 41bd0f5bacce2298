// `sysdlc completions bash|zsh|man`: made from the table of commands, so they cannot fall behind it.
#include <algorithm>

#include "driver/cli/command.h"
#include "driver/cli/help.h"
#include "driver/commands.h"
#include "fmt/format.h"
#include "ir/support/diagnostic.h"

namespace sysdl {

using namespace cli;

namespace {

std::string codes(bool warnings) {
  std::string text;
  for (Code code : allCodes()) {
    if (!warnings || severityOf(code) == Severity::Warning)
      text += fmt::format("{}{}", text.empty() ? "" : " ", nameOf(code));
  }
  return text;
}

/// Words that a value may be, for a shell; empty where files are offered.
std::string wordsOf(Hint hint, const std::vector<std::string_view>& words) {
  if (!words.empty()) return fmt::format("{}", fmt::join(words, " "));
  if (hint == Hint::Code) return codes(false);
  if (hint == Hint::Warning) return codes(true) + " warnings";
  return {};
}

std::string bash() {
  std::string text = R"(# Completion of sysdlc for bash; made by `sysdlc completions bash`.
_sysdlc_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -X '!*.sysdl' -- "$1") $(compgen -d -- "$1"))
}

_sysdlc() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
)";
  std::string names;
  for (const Command& command : commands()) names += fmt::format("{} ", command.name);
  text += fmt::format("    COMPREPLY=($(compgen -W '{}--help --version' -- \"$cur\"))\n", names);
  text += "    return\n  fi\n  case ${COMP_WORDS[1]},$prev in\n";
  for (const Command& command : commands()) {
    for (const Option& option : command.options) {
      if (isFlag(option.target)) continue;
      std::string words = wordsOf(option.hint, option.words);
      if (!words.empty())
        text += fmt::format("    {},{}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n",
                            command.name, option.name, words);
      else if (option.hint == Hint::File)
        text += fmt::format("    {},{}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n",
                            command.name, option.name);
      else
        text += fmt::format("    {},{}) return ;;\n", command.name, option.name);
    }
  }
  text += "  esac\n  case ${COMP_WORDS[1]},$cur in\n";
  for (const Command& command : commands()) {
    std::string options;
    for (const Option& option : command.options) options += fmt::format("{} ", option.name);
    text += fmt::format("    {},-*) COMPREPLY=($(compgen -W '{}--help' -- \"$cur\")) ;;\n",
                        command.name, options);
    std::string words;
    bool files = false;
    for (const Argument& argument : command.arguments) {
      words += wordsOf(argument.hint, argument.words);
      files |= argument.hint == Hint::SysdlFile || argument.hint == Hint::Code;
    }
    text += fmt::format("    {},*)", command.name);
    if (files) text += " _sysdlc_files \"$cur\";";
    if (!words.empty()) text += fmt::format(" COMPREPLY+=($(compgen -W '{}' -- \"$cur\"));", words);
    text += files || !words.empty() ? " ;\n" : " ;;\n";
    if (files || !words.empty()) text.replace(text.size() - 3, 3, ";\n");
  }
  return text + "  esac\n}\n\ncomplete -F _sysdlc sysdlc\n";
}

/// Text in single quotes of a shell, and within brackets of zsh's specifications.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string zsh() {
  std::string text = R"(#compdef sysdlc
# Completion of sysdlc for zsh; made by `sysdlc completions zsh`.
_sysdlc() {
  local -a commands
  commands=(
)";
  for (const Command& command : commands())
    text += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary));
  text += R"(  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
)";
  for (const Command& command : commands()) {
    text += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const Option& option : command.options) {
      std::string value;
      std::string words = wordsOf(option.hint, option.words);
      if (!words.empty())
        value = fmt::format(":value:({})", words);
      else if (option.hint == Hint::File)
        value = ":file:_files";
      else if (!isFlag(option.target))
        value = fmt::format(":{}:", quoted(option.value));
      text += fmt::format("        '{}{}[{}]{}' \\\n", repeats(option.target) ? "*" : "",
                          option.name, quoted(option.summary), value);
    }
    for (const Argument& argument : command.arguments) {
      std::string words = wordsOf(argument.hint, argument.words);
      std::string action = argument.hint == Hint::SysdlFile ? "_files -g \"*.sysdl\""
                           : !words.empty()                 ? fmt::format("({})", words)
                                                            : "";
      text += fmt::format("        '{}:{}:{}' \\\n", repeats(argument.target) ? "*" : "",
                          quoted(argument.name), action);
    }
    text += "        '--help[Print this and exit]'\n      ;;\n";
  }
  return text + "  esac\n}\n\n_sysdlc \"$@\"\n";
}

/// Text for roff: a backslash, and a dot or quote that begins a line, mean something there.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (out.starts_with(".") || out.starts_with("'")) out = "\\&" + out;
  return out;
}

std::string man() {
  std::string text = fmt::format(
      ".TH SYSDLC 1 \"\" \"sysdlc {}\" \"User Commands\"\n.SH NAME\nsysdlc \\- compiler of the "
      "sysdl "
      "language\n.SH SYNOPSIS\n.B sysdlc\n.I COMMAND\n[OPTIONS] [FILE...]\n.SH DESCRIPTION\n{}\n",
      SYSDL_VERSION, roff(kPurpose));
  text += ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    text += fmt::format(".SS sysdlc {} {}\n{}.\n", command.name, roff(synopsis(command)),
                        roff(command.summary));
    if (!command.about.empty()) text += fmt::format(".PP\n{}\n", roff(command.about));
    for (const Argument& argument : command.arguments)
      text += fmt::format(".TP\n.I {}\n{}\n", roff(argument.name), roff(argument.summary));
    for (const Option& option : command.options) {
      std::string value = valueOf(option);
      text += fmt::format(".TP\n.B {}{}{}\n{}\n", roff(option.name), value.empty() ? "" : " ",
                          roff(value), roff(option.summary));
    }
    text += ".PP\nExamples:\n.PP\n.nf\n";
    for (const Example& example : command.examples)
      text += roff(fmt::format("    sysdlc {}", example.line)) + "\n";
    text += ".fi\n";
  }
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(kExitStatus));
  return text + ".SH FILES\n.TP\n.I *.sysdl\nDescriptions of chips, networks, models, plans and "
                "designs.\n";
}

}  // namespace

Exit runCompletions(const Options& options, Output& output) {
  if (options.shell == "zsh")
    output.results(zsh());
  else if (options.shell == "man")
    output.results(man());
  else
    output.results(bash());
  return Exit::Fine;
}

}  // namespace sysdl
