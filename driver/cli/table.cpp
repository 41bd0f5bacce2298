// The table of subcommands. To add one: an entry here, its function in driver/commands.h.
#include <algorithm>

#include "driver/calibrate/csv.h"
#include "driver/cli/command.h"
#include "driver/commands.h"
#include "fmt/format.h"

namespace sysdl::cli {
namespace {

Argument files(std::string_view summary) {
  return {"FILE", summary, &Options::paths, Hint::SysdlFile, "a file", "design.sysdl", {}};
}

Option flag(std::string_view name, std::string_view summary, bool Options::* target) {
  return {name, "", summary, target};
}

Option valued(std::string_view name, std::string_view value, std::string_view summary,
              Target target, Hint hint = Hint::None) {
  return {name, value, summary, target, {}, hint};
}

Option oneOf(std::string_view name, std::vector<std::string_view> words, std::string_view summary,
             std::string Options::* target) {
  return {name, "", summary, target, std::move(words)};
}

Option maxErrors() {
  return valued("--max-errors", "N", "Errors shown as text, 20 unless given; 0: all",
                &Options::maxErrors);
}

Option format() {
  return oneOf("--format", {"text", "json"},
               "text, or json for scripts: one object on standard output", &Options::table);
}

/// Of a command whose diagnostics other tools may show.
Option toolFormat() {
  return oneOf("--format", {"text", "json", "github", "sarif"},
               "text, json, annotations of a GitHub workflow, or a SARIF log", &Options::table);
}

/// The options of a command that reads designs: its own, and how diagnostics are shown.
std::vector<Option> reporting(std::vector<Option> own,
                              std::optional<Option> formats = toolFormat()) {
  own.push_back(maxErrors());
  own.push_back(valued("--root", "DIR",
                       "Import files from below this folder; else from the git checkout or folder "
                       "of the file",
                       &Options::roots, Hint::File));
  own.push_back(valued("--allow", "CODE", "Leave out warnings of this code, or `warnings`: all",
                       &WarningPolicy::allow, Hint::Warning));
  own.push_back(valued("--deny", "CODE", "Make errors of warnings of this code, or of all",
                       &WarningPolicy::deny, Hint::Warning));
  if (formats) own.push_back(std::move(*formats));
  return own;
}

std::optional<Usage> changesMisuse(const Options& options) {
  for (const std::string& change : options.changes) {
    size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Usage{fmt::format("`-D {}` changes nothing", change),
                   "write a field and its value, as in `-D plan.tp=4`"};
    }
  }
  return std::nullopt;
}

std::optional<Usage> evalMisuse(const Options& options) {
  bool text = options.format == Format::Text;
  if (!text && !options.emit.empty())
    return Usage{"`--emit` prints text only",
                 fmt::format("leave out `--format {}`", options.table)};
  if (!text && !options.get.empty()) {
    return Usage{"`--get` prints a bare value",
                 fmt::format("leave out `--format {}`", options.table)};
  }
  if (!options.emit.empty() && !options.get.empty()) {
    return Usage{"`--emit` and `--get` cannot both be printed", "leave out one of them"};
  }
  return changesMisuse(options);
}

Command eval() {
  return {
      "eval",
      "Evaluate designs: time, memory, cost, and what binds",
      "Prints the results of each design of the files. Rules that read results are judged. With "
      "`-D`, fields are changed as an amend in the file would change them, with the same errors.",
      {files("Files with designs")},
      reporting({
          valued("--design", "NAME", "Only the design of this name", &Options::design),
          valued("-D", "PATH=VALUE", "Change a field of each design, as in -D plan.tp=4",
                 &Options::changes),
          valued("--get", "PATH", "Print one bare value in SI units, as in --get step_time",
                 &Options::get),
          oneOf("--emit", {"ast", "typed", "values", "graph"},
                "Print a stage on the way instead of the answer", &Options::emit),
      }),
      {{"eval examples/gpt3_175b.sysdl", ""},
       {"eval design.sysdl -D plan.tp=4 --get step_time", "one value of a changed design"}},
      runEval,
      evalMisuse};
}

std::optional<Usage> checkMisuse(const Options& options) {
  if (options.diff && !options.fix) {
    return Usage{"`--diff` shows what `--fix` would change", "write both"};
  }
  return std::nullopt;
}

Command check() {
  return {
      "check",
      "Check files without evaluating them",
      "Names, kinds, dimensions, ranges, and the rules that need no results. `--fix` corrects "
      "errors "
      "with one sure correction (and warnings that `--deny` names) in your own files, each in one "
      "step, and checks again.",
      {files("Files")},
      reporting({
          flag("--fix", "Correct what has one sure correction, and say what was done",
               &Options::fix),
          flag("--diff", "With --fix: only show what it would change; 1 if anything",
               &Options::diff),
      }),
      {{"check design.sysdl", ""},
       {"check --fix design.sysdl", ""},
       {"check --fix --diff design.sysdl", "changes nothing"}},
      runCheck,
      checkMisuse};
}

Command test() {
  return {"test",
          "Run the tests in files, or in all .sysdl files below folders",
          "Prints predicted and expected value and the error of each expectation.",
          {files("Files and folders")},
          reporting({valued("--junit", "FILE", "Write the outcome as JUnit XML", &Options::junit,
                            Hint::File)}),
          {{"test examples/validation --junit report.xml", ""}},
          runTest};
}

std::optional<Usage> exploreMisuse(const Options& options) {
  if (options.paths.size() > 1) return Usage{"`explore` takes one file", {}};
  if (options.resume && options.output.empty()) {
    return Usage{"`--resume` needs the `--output` of the run that was stopped", {}};
  }
  return std::nullopt;
}

Option jobs() {
  Option option =
      valued("--jobs", "N", "Threads; as many as there are cores unless given", &Options::jobs);
  option.least = 1;
  option.most = 1024;
  return option;
}

Command explore() {
  return {"explore",
          "Evaluate the points of an exploration: filter, rank, plot",
          "Amends a design by each point of the sweeps of an `explore` declaration. The same bytes "
          "come out with any number of threads.",
          {files("A file with an exploration")},
          reporting(
              {
                  valued("--name", "NAME", "The exploration of this name", &Options::name),
                  flag("--all", "Every point that `keep` keeps, whatever `pareto` and `top` say",
                       &Options::all),
                  valued("--output", "FILE", "Write here instead of to standard output",
                         &Options::output, Hint::File),
                  flag("--resume", "Go on where a run with the same --output was stopped",
                       &Options::resume),
                  jobs(),
              },
              oneOf("--format", {"text", "csv", "json", "svg"}, "text, csv, json, or an svg plot",
                    &Options::table)),
          {{"explore examples/explore_gpt3_175b.sysdl --format csv", ""}},
          runExplore,
          exploreMisuse};
}

Command diff() {
  return {
      "diff",
      "Compare two files: inputs, results, and which input moves which result",
      "A side is a file, or a file at a git revision as `REV:path`. Lists the inputs that were "
      "written differently, the results that moved, and how much of each move each change of an "
      "input causes; the parts add up.",
      {{"A",
        "The file before, or REV:path",
        &Options::before,
        Hint::SysdlFile,
        "two files",
        "HEAD:design.sysdl design.sysdl",
        {}},
       {"B",
        "The file after, or REV:path",
        &Options::after,
        Hint::SysdlFile,
        "two files",
        "HEAD:design.sysdl design.sysdl",
        {}}},
      reporting({valued("--design", "NAME", "Only the design of this name", &Options::design),
                 flag("--exit-code", "Exit with 1 where something differs", &Options::exitCode)},
                format()),
      {{"diff HEAD:design.sysdl design.sysdl", ""}, {"diff a.sysdl b.sysdl --format json", ""}},
      runDiff};
}

std::optional<Usage> fmtMisuse(const Options& options) {
  if (options.paths.size() > 1 && std::ranges::find(options.paths, "-") != options.paths.end()) {
    return Usage{"`-` stands alone", "format standard input and files by two commands"};
  }
  return std::nullopt;
}

Command formatFiles() {
  return {"fmt",
          "Rewrite files in the one canonical form",
          "There are no options of style. Comments are kept. A file with errors of syntax stays "
          "as it is.",
          {files("Files, folders with all .sysdl files below, or - for standard input")},
          {flag("--check", "Only list the files that would change; 1 if any", &Options::check),
           maxErrors(), format()},
          {{"fmt design.sysdl examples", ""},
           {"fmt --check .", "changes nothing, exits 1 if it would"},
           {"fmt - < design.sysdl", ""}},
          runFmt,
          fmtMisuse};
}

std::optional<Usage> explainMisuse(const Options& options) {
  bool file = options.code.ends_with(".sysdl");
  if (file && options.result.empty())
    return Usage{"`explain` of a file needs a result",
                 fmt::format("as in `sysdlc explain {} step_time`", options.code)};
  return std::nullopt;
}

Command explain() {
  return {
      "explain",
      "Say what the code of a diagnostic means, or why a number is what it is",
      "Of a code: what it means, why it is refused, an example and its cure; without one, lists "
      "all. "
      "Of a file and a result, a field, a kernel or a collective: the formula with its values, "
      "down "
      "to the inputs, file and line of each, and every fitted or assumed number beneath.",
      {{"CODE", "A code, such as E0402, or a file", &Options::code, Hint::Code},
       {"RESULT", "What to explain of a file: step_time, chip.power, 'layer.w_up forward'",
        &Options::result}},
      {valued("--design", "NAME", "The design of this name", &Options::design),
       valued("-D", "PATH=VALUE", "Change a field of the design, as in -D plan.tp=4",
              &Options::changes),
       valued("--depth", "N", "How many formulas deep; 3 unless given", &Options::depth), format()},
      {{"explain E0402", ""},
       {"explain", "lists all codes"},
       {"explain examples/gpt3_175b.sysdl cost.per_million_tokens", "why a number is what it is"},
       {"explain examples/gpt3_175b.sysdl 'layer.w_up forward'", "why a kernel takes its time"}},
      runExplain,
      explainMisuse};
}

Command graph() {
  return {
      "graph",
      "Print the kernels and collectives that designs lower to",
      "Stage classes, and of each part the kernels and collectives in issue order, with local "
      "sizes "
      "and groups. With `--format json` or `dot` (for Graphviz) also what each costs: FLOP, bytes, "
      "time, and what binds.",
      {files("Files with designs")},
      reporting({valued("--design", "NAME", "Only the design of this name", &Options::design),
                 valued("-D", "PATH=VALUE", "Change a field of each design, as in -D plan.tp=4",
                        &Options::changes)},
                oneOf("--format", {"text", "json", "dot"},
                      "text, json for scripts, or dot for Graphviz", &Options::table)),
      {{"graph examples/gpt3_175b.sysdl", ""},
       {"graph design.sysdl --format dot | dot -Tsvg > graph.svg", ""}},
      runGraph,
      changesMisuse};
}

std::optional<Usage> traceMisuse(const Options& options) {
  if (options.paths.size() > 1) return Usage{"`trace` takes one file", {}};
  return changesMisuse(options);
}

Command trace() {
  return {
      "trace",
      "Write one training step as a trace for Perfetto or Chrome",
      "A process for each pipeline stage: its forward and backward passes and what follows them, "
      "sends to other stages, and the kernels and collectives (a track for each network level) of "
      "the first micro-batch. Open it at ui.perfetto.dev or chrome://tracing.",
      {files("A file with a design")},
      reporting({valued("--design", "NAME", "The design of this name", &Options::design),
                 valued("-D", "PATH=VALUE", "Change a field of the design, as in -D plan.tp=4",
                        &Options::changes),
                 valued("--output", "FILE", "Write here instead of to standard output",
                        &Options::output, Hint::File)},
                std::nullopt),
      {{"trace examples/gpt3_175b.sysdl --output step.json", ""}},
      runTrace,
      traceMisuse};
}

Argument word(std::string_view name, std::vector<std::string_view> words, std::string_view summary,
              std::string Options::* target, std::string_view needed = {}) {
  return {name,
          summary,
          target,
          Hint::None,
          needed,
          words.empty() ? std::string_view() : words[0],
          std::move(words)};
}

Command list() {
  return {"list",
          "List what the standard library offers, or what a file declares",
          "Without a kind, the modules and the kinds. Of a kind, such as chip, network, model, "
          "collective "
          "or unit: each one with the first sentence of what is said of it.",
          {{"KIND", "A kind, such as chip, or module, unit, schema, function", &Options::kind}},
          {valued("--file", "FILE", "List what this file declares instead", &Options::file,
                  Hint::SysdlFile),
           format()},
          {{"list", ""}, {"list chip", ""}},
          runList};
}

Command doc() {
  return {"doc",
          "Say what something of the standard library, or of a file, is",
          "Of a schema: its fields with type, range, default and meaning. Of a value: what it "
          "sets. Of a "
          "unit: its dimension and size. A field is named as schema.field.",
          {{"NAME",
            "A name, such as A100_SXM_80GB, megatron, plan.schedule or TFLOP",
            &Options::item,
            Hint::None,
            "a name",
            "megatron",
            {}}},
          {valued("--file", "FILE", "Look into this file too", &Options::file, Hint::SysdlFile),
           format()},
          {{"doc A100_SXM_80GB", ""}, {"doc megatron.tp", "one field"}},
          runDoc};
}

Command newFile() {
  return {"new",
          "Write a file to start from",
          "A file of that kind that checks, in canonical form; to standard output unless FILE is "
          "given. A "
          "file that exists is left alone.",
          {word("KIND", {"design", "chip", "network", "model", "exploration"}, "What it describes",
                &Options::kind, "a kind"),
           {"FILE", "Where to write it", &Options::item, Hint::File}},
          {},
          {{"new design cluster.sysdl", ""}, {"new chip", ""}},
          runNew};
}

Command importModel() {
  return {
      "import",
      "Make a .sysdl file of another tool's model",
      "Of `hf`, the config.json of a model on Hugging Face: its sizes as a value of the library's "
      "schema for that family, to standard output. Comments say what the configuration has that "
      "the "
      "model has not; a family that no block of the library can say is refused, with the reason.",
      {word("FORMAT", {"hf"}, "Where the model is from", &Options::kind, "a format"),
       {"CONFIG",
        "The configuration",
        &Options::file,
        Hint::File,
        "a configuration",
        "config.json",
        {}}},
      {valued("--name", "NAME", "What to call the model; its folder's name unless given",
              &Options::name)},
      {{"import hf Qwen3-8B/config.json > qwen3_8b.sysdl", ""}},
      runImport};
}

std::optional<Usage> calibrateMisuse(const Options& options) {
  bool products = options.kind == "gemm";
  if (products ? options.chip.empty() : options.network.empty()) {
    return Usage{
        fmt::format("`calibrate {}` needs `--{}`", options.kind, products ? "chip" : "network"),
        products ? "as in `--chip H100_SXM_80GB`" : "as in `--network DGX_H100`"};
  }
  if (options.measurements.empty())
    return Usage{"`calibrate` needs `--measurements`", "as in `--measurements gemm.csv`"};
  auto share = calibrate::readNumber(options.fitShare);
  if (!share || *share < 0.01 || *share > 0.99) {
    return Usage{
        fmt::format("`--fit-share` takes a number from 0.01 to 0.99, not `{}`", options.fitShare),
        "the rest of the rows judges the constants"};
  }
  for (const std::string& condition : options.where) {
    size_t equals = condition.find('=');
    if (equals != std::string::npos && equals > 0) continue;
    return Usage{fmt::format("`--where {}` chooses nothing", condition),
                 "write a column and its text, as in `--where dtype=bf16`"};
  }
  if (options.file.starts_with('/')) {
    return Usage{"`--file` takes a path from this folder on",
                 "the text that is printed imports it, and imports are relative"};
  }
  if (options.file.find_first_of("\"\\{}\n") != std::string::npos)
    return Usage{"`--file` holds a character that an import cannot", {}};
  bool other = products ? !options.network.empty() || !options.level.empty() ||
                              !options.collective.empty() || options.ranks > 0
                        : !options.chip.empty();
  if (other) {
    return Usage{products ? "`calibrate gemm` takes no option of collectives"
                          : "`calibrate collectives` takes no `--chip`",
                 {}};
  }
  return std::nullopt;
}

Option ranks() {
  Option option = valued("--ranks", "N", "Ranks that took part, where the measurements do not say",
                         &Options::ranks);
  option.least = 2;
  option.most = 1'000'000;
  return option;
}

Command calibrateConstants() {
  return {
      "calibrate",
      "Fit the efficiency constants of a chip or a network to measured times",
      "Fits the constants of matrix products (gemm) or of a network's level (collectives) to a "
      "share "
      "of the measurements, and prints a file with them and their errors on the other rows, beside "
      "those of the constants before. Measurements of gemm are a table with the columns m, n, k, "
      "format or dtype, and time_us, latency_us or value and unit; those of collectives are the "
      "output of nccl-tests, or a table with the columns collective or op, ranks or gpus, size, "
      "and "
      "a time. Times are of kernels that run one by one.",
      {word("KIND", {"gemm", "collectives"}, "What was measured", &Options::kind, "a kind")},
      {valued("--chip", "NAME", "The chip of the products", &Options::chip, Hint::Library),
       valued("--network", "NAME", "The network of the collectives", &Options::network,
              Hint::Library),
       valued("--measurements", "FILE", "The table or log", &Options::measurements, Hint::File),
       valued("--fit-share", "SHARE",
              "Share of the rows to fit on, 0.2 unless given; errors are of the others",
              &Options::fitShare),
       valued("--where", "COLUMN=TEXT", "Only rows of a table with this text in a column",
              &Options::where),
       valued("--level", "NAME",
              "The network's level; the outermost that the rows cross unless given",
              &Options::level),
       oneOf("--collective", {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"},
             "Which it is, where the measurements do not say", &Options::collective),
       ranks(),
       valued("--file", "FILE", "Look for the chip or network in this file too", &Options::file,
              Hint::SysdlFile),
       maxErrors(), format()},
      {{"calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv > my_h100.sysdl", ""},
       {"calibrate collectives --network DGX_H100 --measurements all_reduce.txt", ""}},
      runCalibrate,
      calibrateMisuse};
}

Command shellCompletions() {
  return {"completions",
          "Print a shell's completion, or the man page",
          "Made from the same table as --help. `cmake --install` puts them where shells look.",
          {word("SHELL", {"bash", "zsh", "man"}, "What for", &Options::shell, "a shell")},
          {},
          {{"completions bash > ~/.local/share/bash-completion/completions/sysdlc", ""},
           {"completions man > sysdlc.1", ""}},
          runCompletions};
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> table{eval(),
                                          check(),
                                          test(),
                                          explore(),
                                          diff(),
                                          formatFiles(),
                                          explain(),
                                          graph(),
                                          trace(),
                                          list(),
                                          doc(),
                                          newFile(),
                                          importModel(),
                                          calibrateConstants(),
                                          shellCompletions()};
  return table;
}

const Command* findCommand(std::string_view name) {
  auto all = commands();
  auto found = std::ranges::find(all, name, &Command::name);
  return found == all.end() ? nullptr : &*found;
}

std::string valueOf(const Option& option) {
  return option.words.empty() ? std::string(option.value)
                              : fmt::format("{}", fmt::join(option.words, "|"));
}

std::string synopsis(const Command& command) {
  std::string text = "[OPTIONS]";
  for (const Argument& argument : command.arguments) {
    std::string word = std::string(argument.name) + (repeats(argument.target) ? "..." : "");
    text += argument.needed.empty() ? fmt::format(" [{}]", word) : " " + word;
  }
  return text;
}

}  // namespace sysdl::cli
