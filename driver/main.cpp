// The `sysdlc` command: runs it, and says so where the fault is its own.
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "driver/commands.h"
#include "fmt/format.h"

namespace {

constexpr const char* kFault =
    "error: internal fault of sysdlc: {}\n"
    "  = this is a fault of the program, not of your file\n"
    "  = help: please report it, with the command, the file and the output of `sysdlc --version`\n";

constexpr int kCrashed = static_cast<int>(sysdl::Exit::CannotRun);

/// A crash also ends with a sentence and that exit status. Only what is safe in a signal handler.
[[maybe_unused]] void onCrash(int signal) {
  const char* what = signal == SIGSEGV || signal == SIGBUS ? "memory fault" : "aborted";
  const char* gap = std::strstr(kFault, "{}");
  auto say = [](const char* text, size_t size) {
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, size);
  };
  say(kFault, static_cast<size_t>(gap - kFault));
  say(what, std::strlen(what));
  say(gap + 2, std::strlen(gap + 2));
  _exit(kCrashed);
}

// A sanitizer says more about a crash than we could.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

void catchCrashes() {
  if (kSanitized) return;
  alignas(16) static char stack[16384];  // of its own: the usual one may have run out
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  catchCrashes();
  sysdl::Output output;
  std::string what;
  try {
    return static_cast<int>(output.finish(sysdl::runCommand(argc, argv, output)));
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "unknown exception";
  }
  output.diagnostics(fmt::format(fmt::runtime(kFault), what));
  return kCrashed;
}
