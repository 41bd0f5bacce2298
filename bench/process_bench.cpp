// Whole runs of `sysdlc` as a script sees them: process start to exit, with its peak memory.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

extern char** environ;

namespace {

/// The program beside this one, and the project's folder two levels up from `build/PRESET/bin`.
std::string beside(const char* name) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  return path.substr(0, path.rfind('/') + 1) + name;
}

void runOnce(benchmark::State& state, const std::vector<std::string>& arguments) {
  std::string program = beside("sysdlc");
  std::vector<char*> argv{program.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  double peak = 0;
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    rusage usage{};
    if (posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ) != 0 ||
        wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
      state.SkipWithError("sysdlc failed");
      break;
    }
    peak = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  state.counters["peak_MiB"] = peak;
  posix_spawn_file_actions_destroy(&actions);
}

void version(benchmark::State& state) { runOnce(state, {"--version"}); }
BENCHMARK(version)->Name("sysdlc --version")->UseRealTime()->Unit(benchmark::kMillisecond);

void evalExample(benchmark::State& state) {
  runOnce(state, {"eval", SYSDL_SOURCE_DIR "/examples/gpt3_175b.sysdl"});
}
BENCHMARK(evalExample)
    ->Name("sysdlc eval examples/gpt3_175b.sysdl")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
