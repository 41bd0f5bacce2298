// The command line: words to options by the table of commands, and what is said where they are used
// wrongly.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <thread>

#include "CLI/CLI.hpp"
#include "driver/cli/help.h"
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/opened.h"
#include "fmt/format.h"

namespace sysdl {
namespace cli {
namespace {

std::string didYouMean(const std::string& word, const std::vector<std::string_view>& candidates) {
  std::string near = nearest(word, candidates);
  return near.empty() ? near : fmt::format("did you mean `{}`?", near);
}

std::optional<Usage> oneOf(std::string_view what, const std::string& word,
                           const std::vector<std::string_view>& words) {
  if (words.empty() || std::ranges::find(words, word) != words.end()) return std::nullopt;
  std::string all;
  for (std::string_view item : words) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", item);
  return Usage{fmt::format("`{}` takes one of {}, not `{}`", what, all, word),
               didYouMean(word, words)};
}

/// Puts the words that were given for an option or argument where they belong.
struct Store {
  Options& options;
  std::string_view what;
  const std::vector<std::string>& words;
  uint64_t least = 0, most = UINT64_MAX;

  std::optional<Usage> operator()(std::string Options::* target) const {
    options.*target = words.front();
    return std::nullopt;
  }
  std::optional<Usage> operator()(std::vector<std::string> Options::* target) const {
    options.*target = words;
    return std::nullopt;
  }
  std::optional<Usage> operator()(std::vector<std::string> WarningPolicy::* target) const {
    options.warnings.*target = words;
    return std::nullopt;
  }
  std::optional<Usage> operator()(bool Options::* target) const {
    options.*target = true;
    return std::nullopt;
  }
  template <std::unsigned_integral Number>
  std::optional<Usage> operator()(Number Options::* target) const {
    const std::string& word = words.front();
    const char* end = word.data() + word.size();
    auto [stopped, error] = std::from_chars(word.data(), end, options.*target);
    bool whole = error == std::errc() && stopped == end;
    if (whole && options.*target >= least && options.*target <= most) return std::nullopt;
    std::string range = most == UINT64_MAX ? "" : fmt::format(" from {} to {}", least, most);
    return Usage{fmt::format("`{}` takes a whole number{}, not `{}`", what, range, word), {}};
  }
};

/// The parser of the command line, with the words as they were written.
class CommandLine {
public:
  CommandLine();

  /// What is wrong with the words, if anything; `command` is set where they name one.
  std::optional<Usage> parse(int argc, const char* const* argv, Options& options);

  const Command* command = nullptr;
  bool wantsHelp = false, wantsVersion = false;

private:
  struct Given {
    const Option* option;  // one of both
    const Argument* argument;
    CLI::Option* parsed;
    std::vector<std::string> words;
  };

  void declare(const Command& command);
  void add(CLI::App* sub, const Option* option, const Argument* argument);
  std::optional<Usage> extras() const;
  std::optional<Usage> store(Options& options);

  CLI::App app_{std::string(kPurpose), "sysdlc"};
  CLI::App* sub_ = nullptr;
  std::deque<Given> given_;
};

CommandLine::CommandLine() {
  app_.allow_extras();
  app_.set_help_flag("-h,--help");
  app_.add_flag("--version", wantsVersion);
  for (const Command& item : commands()) declare(item);
}

void CommandLine::declare(const Command& item) {
  CLI::App* sub = app_.add_subcommand(std::string(item.name));
  sub->allow_extras();
  for (const Option& option : item.options) add(sub, &option, nullptr);
  for (const Argument& argument : item.arguments) add(sub, nullptr, &argument);
}

void CommandLine::add(CLI::App* sub, const Option* option, const Argument* argument) {
  Given& given = given_.emplace_back(Given{option, argument, nullptr, {}});
  if (option && isFlag(option->target)) {
    given.parsed = sub->add_flag(std::string(option->name));
    return;
  }
  bool many = repeats(option ? option->target : argument->target);
  given.parsed = sub->add_option(std::string(option ? option->name : argument->name), given.words);
  given.parsed->allow_extra_args(argument && many);
  if (argument && !many) given.parsed->expected(1);
}

/// What no option and no argument took.
std::optional<Usage> CommandLine::extras() const {
  std::vector<std::string> left = sub_ ? sub_->remaining() : app_.remaining();
  if (left.empty()) return std::nullopt;
  const std::string& word = left.front();
  std::string flag = word.substr(0, word.find('='));
  if (word.starts_with('-')) {
    std::vector<std::string_view> names{"--help"};
    if (command) {
      for (const Option& option : command->options) names.push_back(option.name);
    } else {
      names.push_back("--version");
    }
    std::string help = didYouMean(flag, names);
    if (help.empty()) {
      help = fmt::format("`sysdlc {}{}--help` lists the options", command ? command->name : "",
                         command ? " " : "");
    }
    return Usage{fmt::format("unknown option `{}`", flag), help};
  }
  if (sub_) return Usage{fmt::format("`{}` is one too many", word), {}};
  std::vector<std::string_view> names;
  for (const Command& item : commands()) names.push_back(item.name);
  std::string help = didYouMean(word, names);
  if (help.empty() && word.ends_with(".sysdl")) {
    help = fmt::format("to evaluate a file, write `sysdlc eval {}`", word);
  }
  if (help.empty()) help = "`sysdlc --help` lists the commands";
  return Usage{fmt::format("unknown command `{}`", word), help};
}

std::optional<Usage> CommandLine::store(Options& options) {
  for (const Option& option : command->options) {
    auto given = std::ranges::find(given_, &option, &Given::option);
    if (given->parsed->count() == 0) continue;
    if (given->words.size() > 1 && !repeats(option.target)) {
      return Usage{fmt::format("`{}` is given twice", option.name), "leave out one of them"};
    }
    for (const std::string& word : given->words) {
      if (auto usage = oneOf(option.name, word, option.words)) return usage;
    }
    Store store{options, option.name, given->words, option.least, option.most};
    if (auto usage = std::visit(store, option.target)) return usage;
  }
  for (const Argument& argument : command->arguments) {
    auto given = std::ranges::find(given_, &argument, &Given::argument);
    if (given->words.empty()) {
      if (argument.needed.empty()) continue;
      return Usage{fmt::format("`{}` needs {}", command->name, argument.needed),
                   fmt::format("as in `sysdlc {} {}`", command->name, argument.example)};
    }
    for (const std::string& word : given->words) {
      if (auto usage = oneOf(argument.name, word, argument.words)) return usage;
    }
    Store store{options, argument.name, given->words};
    if (auto usage = std::visit(store, argument.target)) return usage;
  }
  options.paths = inOrder(std::move(options.paths));
  if (std::string word = wrongWord(options.warnings); !word.empty()) {
    return Usage{fmt::format("`{}` is not the code of a warning", word),
                 "a code such as `W0403`, or `warnings` for all; `sysdlc explain` lists the codes"};
  }
  return command->misuse ? command->misuse(options) : std::nullopt;
}

/// "--get: 1 required TEXT missing" and the like, in our words.
Usage usageOf(const CLI::ParseError& error) {
  std::string text = error.what();
  size_t colon = text.find(':');
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
      colon != std::string::npos) {
    return {fmt::format("`{}` needs a value", text.substr(0, colon)), {}};
  }
  return {text, {}};
}

std::optional<Usage> CommandLine::parse(int argc, const char* const* argv, Options& options) {
  std::optional<Usage> usage;
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    wantsHelp = true;
  } catch (const CLI::ParseError& error) {
    usage = usageOf(error);
  }
  auto chosen = app_.get_subcommands();
  sub_ = chosen.empty() ? nullptr : chosen.front();
  if (sub_) command = findCommand(sub_->get_name());
  if (command) options.command = command->name;
  if (usage || wantsHelp || (wantsVersion && !sub_)) return usage;
  if (auto wrong = extras()) return wrong;
  if (!command) return Usage{"no command is given", "`sysdlc --help` lists the commands"};
  return store(options);
}

/// Before anything is parsed: so that faults of the command line are JSON too.
Format formatOf(int argc, const char* const* argv) {
  Format format = Format::Text;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool apart = word == "--format" && i + 1 < argc;
    if (apart)
      word = argv[i + 1];
    else if (word.starts_with("--format="))
      word.remove_prefix(9);
    else
      continue;
    format = word == "json"     ? Format::Json
             : word == "github" ? Format::Github
             : word == "sarif"  ? Format::Sarif
                                : Format::Text;
  }
  return format;
}

}  // namespace
}  // namespace cli

Exit runCommand(int argc, const char* const* argv, Output& output) {
  // The commonest question of scripts, and the quickest answer.
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    output.results(versionText());
    return Exit::Fine;
  }
  Options options;
  options.format = cli::formatOf(argc, argv);
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  cli::CommandLine line;
  std::optional<cli::Usage> usage = line.parse(argc, argv, options);
  if (!usage && line.wantsHelp) {
    output.results(line.command ? cli::commandHelp(*line.command) : cli::programHelp());
    return Exit::Fine;
  }
  if (!usage && !line.command) {
    output.results(versionText());
    return Exit::Fine;
  }
  if (!usage) return line.command->run(options, output);
  options.paths.clear();  // what is no option's value may be taken for a file
  Diagnostic d{Code::E0904, usage->message, {}, {}, usage->help, {}, false};
  return refuse(d, options, output);
}

}  // namespace sysdl
