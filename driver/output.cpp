// Standard output and standard error.
#include "driver/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "fmt/format.h"

namespace sysdl {
namespace {

/// 0, or errno.
int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

bool wantsColour() {
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  bool dumb = !terminal || std::strcmp(terminal, "dumb") == 0;
  return !(no && *no) && !dumb && isatty(STDERR_FILENO) != 0;
}

}  // namespace

Output::Output() {
  // A file opened later must not become standard output by taking its number.
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
  std::signal(SIGPIPE, SIG_IGN);
  style_.colour = wantsColour();
}

void Output::results(std::string_view text) {
  if (error_ == 0) error_ = writeAll(STDOUT_FILENO, text);
}

void Output::diagnostics(std::string_view text) { writeAll(STDERR_FILENO, text); }

Exit Output::finish(Exit status) {
  if (error_ == 0 || error_ == EPIPE) return status;
  diagnostics(fmt::format("error: cannot write to standard output: {}\n", std::strerror(error_)));
  return Exit::CannotRun;
}

bool writeFile(const std::string& path, std::string_view text, std::string& why) {
  int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = descriptor < 0 ? errno : writeAll(descriptor, text);
  if (descriptor >= 0 && close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) why = std::strerror(error);
  return error == 0;
}

bool replaceFile(const std::string& path, std::string_view text, std::string& why) {
  auto fail = [&] {
    why = std::strerror(errno);
    return false;
  };
  char* resolved = realpath(path.c_str(), nullptr);
  if (!resolved) return fail();
  std::string target = resolved;
  std::free(resolved);
  struct stat status{};
  if (stat(target.c_str(), &status) != 0 || access(target.c_str(), W_OK) != 0) return fail();
  std::string temporary = target + ".XXXXXX";
  int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return fail();
  bool good = true;
  while (good && !text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    good = written > 0 || (written < 0 && errno == EINTR);
  }
  // Only root may give a file to somebody else; a group that cannot be kept is no reason to fail.
  if (good && fchown(descriptor, status.st_uid, status.st_gid) != 0) errno = 0;
  good = good && fchmod(descriptor, status.st_mode & 07777u) == 0 && fsync(descriptor) == 0;
  int error = errno;
  if (close(descriptor) != 0 && good) {
    error = errno;
    good = false;
  }
  if (good && std::rename(temporary.c_str(), target.c_str()) == 0) return true;
  if (good) error = errno;
  unlink(temporary.c_str());
  errno = error;
  return fail();
}

}  // namespace sysdl
