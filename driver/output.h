// Standard output and standard error, as a command uses them: results there, diagnostics here.
#pragma once

#include <string>
#include <string_view>

#include "driver/render/style.h"

namespace sysdl {

/// Exit status of the command.
enum class Exit : int {
  Fine = 0,
  Wrong = 1,      // the design or a test is wrong
  CannotRun = 2,  // usage, a file that cannot be read or written, an internal fault
};

class Output {
public:
  /// Opens standard streams that are closed onto /dev/null, and ignores SIGPIPE.
  Output();

  void results(std::string_view text);
  void diagnostics(std::string_view text);
  /// Colours for standard error, where it is a terminal that takes them and NO_COLOR is not set.
  Style style() const { return style_; }
  /// The exit status, or `CannotRun` (after a message) where the results could not be written. A
  /// reader that has gone away, such as `head`, is no fault.
  Exit finish(Exit status);

private:
  Style style_;
  int error_ = 0;  // errno of the first write that failed
};

/// Replaces a file in one step, so that no reader and no crash sees half of it. A link stays one.
bool replaceFile(const std::string& path, std::string_view text, std::string& why);

/// Writes a whole file; false with a reason in `why` where it cannot.
bool writeFile(const std::string& path, std::string_view text, std::string& why);

}  // namespace sysdl
