// The command line: subcommands, options, and what is said where they are used wrongly.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <thread>

#include "CLI/CLI.hpp"
#include "driver/commands.h"
#include "driver/envelope.h"
#include "driver/opened.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// The parser of the command line, with the words as they were written.
struct CommandLine {
  CLI::App app{"Reads descriptions of AI systems (.sysdl) and predicts time, memory and cost.",
               "sysdlc"};
  Options options;
  std::string format = "text", maxErrors = "20", jobs;
  bool version = false;

  CommandLine();
  CLI::App* command(const char* name, const char* what, const char* example);
  void addFormat(CLI::App* sub);
  void addFiles(CLI::App* sub, const char* what);
};

CLI::App* CommandLine::command(const char* name, const char* what, const char* example) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->footer(example);
  sub->allow_extras();
  return sub;
}

void CommandLine::addFormat(CLI::App* sub) {
  sub->add_option("--format", format, "text, or json for scripts: one object on standard output")
      ->type_name("text|json");
}

void CommandLine::addFiles(CLI::App* sub, const char* what) {
  sub->add_option("FILE", options.paths, what)->type_name("");
  sub->add_option("--max-errors", maxErrors, "Errors shown as text, 20 unless given; 0: all")
      ->type_name("N");
  sub->add_option("--allow", options.warnings.allow,
                  "Leave out warnings of this code, or `warnings`: all")
      ->type_name("CODE")
      ->allow_extra_args(false);
  sub->add_option("--deny", options.warnings.deny,
                  "Make errors of warnings of this code, or of all")
      ->type_name("CODE")
      ->allow_extra_args(false);
  addFormat(sub);
}

CommandLine::CommandLine() {
  app.allow_extras();
  app.set_help_flag("-h,--help", "Print this and exit");
  app.add_flag("--version", version, "Print versions and exit");
  app.footer("Example: sysdlc eval examples/gpt3_175b.sysdl\n"
             "`sysdlc COMMAND --help` has more, with an example of each.\n"
             "Exit status: 0 fine; 1 the design or a test is wrong; 2 the command could not run.");

  CLI::App* eval = command("eval", "Evaluate designs: time, memory, cost, and what binds",
                           "Examples: sysdlc eval examples/gpt3_175b.sysdl\n"
                           "          sysdlc eval design.sysdl -D plan.tp=4 --get step_time");
  addFiles(eval, "Files with designs");
  eval->add_option("--design", options.design, "Only the design of this name")->type_name("NAME");
  eval->add_option("-D", options.changes, "Change a field of each design, as in -D plan.tp=4")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  eval->add_option("--get", options.get, "Print one bare value in SI units, as in --get step_time")
      ->type_name("PATH");
  eval->add_option("--emit", options.emit, "Print a stage on the way instead of the answer")
      ->type_name("ast|typed|graph");

  CLI::App* check =
      command("check", "Check files without evaluating them", "Example: sysdlc check design.sysdl");
  addFiles(check, "Files");

  CLI::App* test = command("test", "Run the tests in files, or in all .sysdl files below folders",
                           "Example: sysdlc test examples/validation --junit report.xml");
  addFiles(test, "Files and folders");
  test->add_option("--junit", options.junit, "Write the outcome as JUnit XML")->type_name("FILE");

  CLI::App* explore =
      command("explore", "Evaluate the points of an exploration: filter, rank, plot",
              "Example: sysdlc explore examples/explore_gpt3_175b.sysdl --format csv");
  addFiles(explore, "A file with an exploration");
  explore->get_option("--format")
      ->description("text, csv, json, or an svg plot")
      ->type_name("text|csv|json|svg");
  explore->add_option("--name", options.name, "The exploration of this name")->type_name("NAME");
  explore->add_flag("--all", options.all,
                    "Every point that `keep` keeps, whatever `pareto` and `top` say");
  explore->add_option("--output", options.output, "Write here instead of to standard output")
      ->type_name("FILE");
  explore->add_flag("--resume", options.resume,
                    "Go on where a run with the same --output was stopped");
  explore->add_option("--jobs", jobs, "Threads; as many as there are cores unless given")
      ->type_name("N");

  CLI::App* canonical =
      command("fmt", "Rewrite files in the one canonical form",
              "Examples: sysdlc fmt design.sysdl examples\n"
              "          sysdlc fmt --check . (changes nothing, exits 1 if it would)\n"
              "          sysdlc fmt - < design.sysdl");
  addFiles(canonical, "Files, folders with all .sysdl files below, or - for standard input");
  canonical->add_flag("--check", options.check, "Only list the files that would change; 1 if any");

  CLI::App* explain = command("explain", "Say what the code of a diagnostic means",
                              "Example: sysdlc explain E0402");
  explain->add_option("CODE", options.code, "A code, such as E0402")->type_name("");
  addFormat(explain);
}

/// A fault of the command line: the message, and what to write instead.
struct Usage {
  std::string message;
  std::string help;
};

std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates) {
  std::string near = nearest(word, {candidates.begin(), candidates.end()});
  return near.empty() ? near : fmt::format("did you mean `{}`?", near);
}

std::vector<std::string> optionsOf(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> commandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

/// What no option and no argument took.
std::optional<Usage> extras(const CLI::App& app, const CLI::App* sub) {
  std::vector<std::string> left = sub ? sub->remaining() : app.remaining();
  if (left.empty()) return std::nullopt;
  const std::string& word = left.front();
  std::string flag = word.substr(0, word.find('='));
  if (word.starts_with('-')) {
    std::string help = didYouMean(flag, optionsOf(sub ? sub : &app));
    if (help.empty()) {
      help = fmt::format("`sysdlc {}--help` lists the options", sub ? sub->get_name() + " " : "");
    }
    return Usage{fmt::format("unknown option `{}`", flag), help};
  }
  if (sub) return Usage{fmt::format("`{}` is one too many", word), {}};
  std::string help = didYouMean(word, commandsOf(app));
  if (help.empty() && word.ends_with(".sysdl")) {
    help = fmt::format("to evaluate a file, write `sysdlc eval {}`", word);
  }
  if (help.empty()) help = "`sysdlc --help` lists the commands";
  return Usage{fmt::format("unknown command `{}`", word), help};
}

std::optional<Usage> oneOf(const char* option, const std::string& word,
                           const std::vector<std::string>& words) {
  if (word.empty() || std::ranges::find(words, word) != words.end()) return std::nullopt;
  std::string all;
  for (const std::string& item : words) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", item);
  return Usage{fmt::format("`{}` takes one of {}, not `{}`", option, all, word),
               didYouMean(word, words)};
}

std::optional<Usage> wrongExplore(CommandLine& line) {
  Options& options = line.options;
  options.table = line.format;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  if (options.command != "explore") return std::nullopt;
  if (options.paths.size() > 1) return Usage{"`explore` takes one file", {}};
  if (options.resume && options.output.empty()) {
    return Usage{"`--resume` needs the `--output` of the run that was stopped", {}};
  }
  if (line.jobs.empty()) return std::nullopt;
  const char* end = line.jobs.data() + line.jobs.size();
  auto [stopped, error] = std::from_chars(line.jobs.data(), end, options.jobs);
  if (error == std::errc() && stopped == end && options.jobs >= 1 && options.jobs <= 1024)
    return std::nullopt;
  return Usage{fmt::format("`--jobs` takes a whole number from 1 to 1,024, not `{}`", line.jobs),
               {}};
}

/// What CLI11 does not look at, or would say less well.
std::optional<Usage> wrongUse(CommandLine& line, const CLI::App* sub) {
  Options& options = line.options;
  if (auto usage = extras(line.app, sub)) return usage;
  if (!sub) return Usage{"no command is given", "`sysdlc --help` lists the commands"};
  std::vector<std::string> formats{"text", "json"};
  if (options.command == "explore") formats = {"text", "csv", "json", "svg"};
  if (auto usage = oneOf("--format", line.format, formats)) return usage;
  if (auto usage = wrongExplore(line)) return usage;
  if (auto usage = oneOf("--emit", options.emit, {"ast", "typed", "graph"})) return usage;
  if (options.command != "explain" && options.paths.empty()) {
    return Usage{fmt::format("`{}` needs a file", options.command),
                 fmt::format("as in `sysdlc {} design.sysdl`", options.command)};
  }
  if (options.command == "explain" && options.code.empty()) {
    return Usage{"`explain` needs the code of a diagnostic", "as in `sysdlc explain E0402`"};
  }
  const char* end = line.maxErrors.data() + line.maxErrors.size();
  auto [stopped, error] = std::from_chars(line.maxErrors.data(), end, options.maxErrors);
  if (error != std::errc() || stopped != end) {
    return Usage{fmt::format("`--max-errors` takes a whole number, not `{}`", line.maxErrors), {}};
  }
  if (options.command == "fmt" && options.paths.size() > 1 &&
      std::ranges::find(options.paths, "-") != options.paths.end()) {
    return Usage{"`-` stands alone", "format standard input and files by two commands"};
  }
  if (std::string word = wrongWord(options.warnings); !word.empty()) {
    return Usage{fmt::format("`{}` is not the code of a warning", word),
                 "a code such as `W0403`, or `warnings` for all; `sysdlc explain` lists the codes"};
  }
  bool json = line.format == "json";
  if (json && !options.emit.empty())
    return Usage{"`--emit` prints text only", "leave out `--format json`"};
  if (json && !options.get.empty()) {
    return Usage{"`--get` prints a bare value", "leave out `--format json`"};
  }
  if (!options.emit.empty() && !options.get.empty()) {
    return Usage{"`--emit` and `--get` cannot both be printed", "leave out one of them"};
  }
  for (const std::string& change : options.changes) {
    size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Usage{fmt::format("`-D {}` changes nothing", change),
                   "write a field and its value, as in `-D plan.tp=4`"};
    }
  }
  return std::nullopt;
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
    format = word == "json" ? Format::Json : Format::Text;
  }
  return format;
}

Exit run(const Options& options, Output& output) {
  if (options.command == "eval") return runEval(options, output);
  if (options.command == "check") return runCheck(options, output);
  if (options.command == "test") return runTest(options, output);
  if (options.command == "explore") return runExplore(options, output);
  if (options.command == "fmt") return runFmt(options, output);
  return runExplain(options, output);
}

}  // namespace

Exit runCommand(int argc, const char* const* argv, Output& output) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    output.results(versionText());
    return Exit::Fine;
  }
  CommandLine line;
  line.options.format = formatOf(argc, argv);
  std::optional<Usage> usage;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    auto chosen = line.app.get_subcommands();
    output.results(chosen.empty() ? line.app.help() : chosen.front()->help("sysdlc"));
    return Exit::Fine;
  } catch (const CLI::ParseError& error) {
    usage = usageOf(error);
  }
  auto chosen = line.app.get_subcommands();
  const CLI::App* sub = chosen.empty() ? nullptr : chosen.front();
  if (sub) line.options.command = sub->get_name();
  if (!usage && !sub && line.version) {
    output.results(versionText());
    return Exit::Fine;
  }
  line.options.paths = inOrder(std::move(line.options.paths));
  if (!usage) usage = wrongUse(line, sub);
  if (!usage) return run(line.options, output);
  line.options.paths.clear();  // what is no option's value may be taken for a file
  Diagnostic d{Code::E0904, usage->message, {}, {}, usage->help, {}, false};
  return refuse(d, line.options, output);
}

}  // namespace sysdl
