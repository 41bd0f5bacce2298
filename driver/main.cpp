// The `sysdlc` command: runs it, and says so where the fault is its own.
#include <csignal>
#include <cstring>
#include <exception>
#include <unistd.h>

#include "driver/commands.h"
#include "fmt/format.h"

namespace {

constexpr const char* kFault =
    "error: internal fault of sysdlc: {}\n"
    "  = this is a fault of the program, not of your file\n"
    "  = help: please report it, with the command, the file and the output of `sysdlc --version`\n";

/// A crash also ends with a sentence and exit status 2. Only what is safe in a signal handler.
void onCrash(int signal) {
  const char* what = signal == SIGSEGV || signal == SIGBUS ? "memory fault" : "aborted";
  const char* format = std::strstr(kFault, "{}");
  auto say = [](const char* text, size_t size) { return write(STDERR_FILENO, text, size) >= 0; };
  bool said = say(kFault, static_cast<size_t>(format - kFault)) && say(what, std::strlen(what)) &&
              say(format + 2, std::strlen(format + 2));
  _exit(said ? sysdl::kCannotRun : sysdl::kCannotRun);
}

void catchCrashes() {
#if !defined(__SANITIZE_ADDRESS__)
  alignas(16) static char stack[16384];  // of its own: the usual one may have run out
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  catchCrashes();
  sysdl::Output output;
  const char* what = "unknown";
  std::string kept;
  try {
    return output.finish(sysdl::runCommand(argc, argv, output));
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& exception) {
    kept = exception.what();
    what = kept.c_str();
  } catch (...) {
  }
  output.diagnostics(fmt::format(fmt::runtime(kFault), what));
  return sysdl::kCannotRun;
}
