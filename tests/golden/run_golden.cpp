// Runs golden tests: run_golden [--sysdlc PROGRAM] [--update] PATH...
//
// A case is either NAME.sysdl, whose first lines are comments, among them
//     // run: sysdlc eval %s --format json      (%s is the file; a further run line is a further command)
//     // exit: 1                                 (of the run line above it; 0 unless said)
// or NAME.cmd, a shell command (lines beginning with # are comments), for inputs that cannot be a text file; it may write
// below $SCRATCH. Commands run in the case's folder, with sysdlc on PATH. Standard output, standard error and exit status
// are compared with NAME.out; --update writes them there instead. A .sysdl file without a run line is no case, but may be
// imported by one. README.md in this folder shows one.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

namespace {

// Against hangs; sanitizers on a busy machine are twenty times slower than what users get.
constexpr std::chrono::seconds kTimeLimit{180};

struct Command {
  std::string text;
  std::optional<int> exit;  // what the case says it must be
};

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeFile(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The value of a line "// KEY: VALUE".
std::optional<std::string> headerValue(const std::string& line, std::string_view key) {
  const std::string start = "// " + std::string(key) + ": ";
  if (line.compare(0, start.size(), start) != 0) return std::nullopt;
  return line.substr(start.size());
}

std::string substitute(std::string text, std::string_view name) {
  for (size_t at = 0; (at = text.find("%s", at)) != std::string::npos; at += name.size()) {
    text.replace(at, 2, name);
  }
  return text;
}

// The commands of a case; none where the file is no case.
std::vector<Command> commandsOf(const fs::path& path) {
  const std::string name = path.filename().string();
  if (path.extension() == ".cmd") return {{"sh ./" + name, std::nullopt}};

  std::vector<Command> commands;
  std::ifstream in(path, std::ios::binary);
  std::string line;
  while (std::getline(in, line) && line.compare(0, 2, "//") == 0) {
    if (auto run = headerValue(line, "run")) {
      commands.push_back({substitute(*run, name), 0});
    } else if (auto exit = headerValue(line, "exit"); exit && !commands.empty()) {
      commands.back().exit = std::atoi(exit->c_str());
    }
  }
  return commands;
}

// In the child: becomes the command.
[[noreturn]] void become(const std::string& command, const fs::path& folder,
                         const fs::path& scratch) {
  setpgid(0, 0);
  const auto redirect = [](const fs::path& path, int flags, int descriptor) {
    const int opened = open(path.c_str(), flags, 0600);
    if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
  };
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(scratch / ".stdout", kWrite, STDOUT_FILENO);
  redirect(scratch / ".stderr", kWrite, STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(126);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(126);
}

// Exit status of the command, as a shell gives it; empty where it had to be stopped.
std::optional<int> runCommand(const std::string& command, const fs::path& folder,
                              const fs::path& scratch) {
  const pid_t child = fork();
  if (child == 0) become(command, folder, scratch);
  const auto end = std::chrono::steady_clock::now() + kTimeLimit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string section(std::string_view title, std::string text) {
  if (!text.empty() && text.back() != '\n') text += "\n# no newline at the end\n";
  return "# " + std::string(title) + "\n" + text;
}

struct Outcome {
  std::string text;     // what belongs in NAME.out
  std::string problem;  // empty if none
};

Outcome runCase(const fs::path& path, const std::vector<Command>& commands) {
  std::string pattern = (fs::temp_directory_path() / "sysdl_golden.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return {"", "cannot make a temporary folder"};
  const fs::path scratch = pattern;
  setenv("SCRATCH", scratch.c_str(), 1);

  Outcome outcome;
  for (const Command& command : commands) {
    const auto exit = runCommand(command.text, path.parent_path(), scratch);
    if (commands.size() > 1) outcome.text += "# run " + command.text + "\n";
    outcome.text += section("stdout", readFile(scratch / ".stdout"));
    outcome.text += section("stderr", readFile(scratch / ".stderr"));
    outcome.text += "# exit " + (exit ? std::to_string(*exit) : "none") + "\n";
    if (!exit) {
      outcome.problem = "took too long: " + command.text;
    } else if (command.exit && *exit != *command.exit) {
      outcome.problem = "exit status " + std::to_string(*exit) + ", not " +
                        std::to_string(*command.exit) + ": " + command.text;
    }
  }
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return outcome;
}

// Runs the case and says how it went.
bool checkCase(const fs::path& path, bool update) {
  const auto commands = commandsOf(path);
  const fs::path expected = fs::path(path).replace_extension(".out");
  Outcome outcome = runCase(path, commands);
  const bool same = fs::exists(expected) && readFile(expected) == outcome.text;
  if (outcome.problem.empty() && !same) {
    if (update) {
      writeFile(expected, outcome.text);
      std::cout << "updated " << expected.string() << '\n';
      return true;
    }
    outcome.problem = fs::exists(expected) ? "another output than " + expected.string()
                                           : "no " + expected.string();
    outcome.problem += " (tools/golden --update writes what there is now)";
  }
  if (outcome.problem.empty()) return true;

  std::cout << "FAILED " << path.string() << ": " << outcome.problem << std::endl;
  if (fs::exists(expected)) {
    const fs::path actual =
        fs::temp_directory_path() / ("sysdl_golden_" + std::to_string(getpid()) + ".actual");
    writeFile(actual, outcome.text);
    const std::string diff = "diff -u --label expected --label actual '" + expected.string() +
                             "' '" + actual.string() + "'";
    if (std::system(diff.c_str()) == 0) std::cout << "(output as expected)\n";
    fs::remove(actual);
  } else {
    std::cout << outcome.text;
  }
  return false;
}

// The cases below a folder, in order. Adds to `problems` an expected output that no case has.
std::vector<fs::path> casesBelow(const fs::path& root, std::vector<std::string>& problems) {
  std::vector<fs::path> cases, outputs;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".out") outputs.push_back(path);
    if (path.extension() == ".cmd" || (path.extension() == ".sysdl" && !commandsOf(path).empty())) {
      cases.push_back(path);
    }
  }
  std::sort(cases.begin(), cases.end());
  std::sort(outputs.begin(), outputs.end());
  for (const fs::path& output : outputs) {
    const auto owns = [&](const fs::path& c) {
      return fs::path(c).replace_extension(".out") == output;
    };
    const auto owners = std::count_if(cases.begin(), cases.end(), owns);
    if (owners != 1) {
      problems.push_back(output.string() + ": " + std::to_string(owners) + " cases have it");
    }
  }
  return cases;
}

int usage() {
  std::cerr << "usage: run_golden [--sysdlc PROGRAM] [--update | --list] PATH...\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  fs::path sysdlc = fs::canonical("/proc/self/exe").parent_path() / "sysdlc";
  bool update = false, list = false;
  std::vector<fs::path> cases;
  std::vector<std::string> problems;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--update") {
      update = true;
    } else if (argument == "--list") {
      list = true;
    } else if (argument == "--sysdlc" && i + 1 < argc) {
      sysdlc = fs::absolute(argv[++i]);
    } else if (fs::is_directory(argument)) {
      const auto below = casesBelow(fs::canonical(argument), problems);
      cases.insert(cases.end(), below.begin(), below.end());
    } else if (fs::is_regular_file(argument)) {
      const fs::path path = fs::canonical(argument);
      if (commandsOf(path).empty()) problems.push_back(path.string() + ": no line \"// run: \"");
      cases.push_back(path);
    } else {
      std::cerr << "run_golden: no such file: " << argument << '\n';
      return usage();
    }
  }
  if (argc == 1) return usage();
  if (cases.empty() && !list) {
    std::cerr << "run_golden: no golden tests there\n";
    return 1;
  }

  const char* path = std::getenv("PATH");
  setenv("PATH", (sysdlc.parent_path().string() + ":" + (path ? path : "/usr/bin:/bin")).c_str(),
         1);
  setenv("LC_ALL", "C", 1);
  setenv("TERM", "dumb", 1);
  size_t failed = 0;
  if (list) {
    for (const fs::path& c : cases) std::cout << c.string() << '\n';
  } else {
    for (const fs::path& c : cases) failed += checkCase(c, update) ? 0 : 1;
  }
  for (const std::string& problem : problems) std::cout << problem << '\n';
  if (!list && cases.size() > 1) {
    std::cout << cases.size() - failed << " of " << cases.size() << " golden tests passed\n";
  }
  return failed == 0 && problems.empty() ? 0 : 1;
}
