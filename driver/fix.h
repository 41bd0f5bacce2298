// `sysdlc check --fix`: makes the changes that diagnostics know to be right.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "driver/opened.h"
#include "driver/options.h"

namespace sysdl {

/// A change that was made: where (line and column in the file as it was then), why, and what.
struct AppliedFix {
  std::string path;
  uint32_t line = 0, column = 0;
  Code code{};
  std::string before, after;
};

struct Fixing {
  std::map<std::string, std::string> texts;  // what each changed file is to hold
  std::vector<AppliedFix> applied;
  std::vector<OpenedFile> files;  // checked as fixed
};

/// Opens and checks files; those that `texts` names hold what it says.
using CheckFiles =
    std::function<std::vector<OpenedFile>(const std::map<std::string, std::string>& texts)>;

/// Applies the fixes of all errors, and of warnings that are denied, in the user's own files, again and
/// again until there is nothing to fix. A fix after which the text that it wrote is wrong is taken
/// back. Nothing is written.
Fixing fixFiles(const CheckFiles& check, const WarningPolicy& policy);

/// Two texts of a file as a unified diff, three lines of context.
std::string unifiedDiff(const std::string& path, std::string_view before, std::string_view after);

}  // namespace sysdl
