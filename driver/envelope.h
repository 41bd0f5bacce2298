// What the answers of all subcommands share: the first keys of the JSON object, the diagnostics at
// the end, and the exit status.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/json.h"
#include "driver/opened.h"
#include "driver/options.h"
#include "driver/output.h"

namespace sysdl {

/// `schema`, `tool`, `stdlib`, `file` and `files`, within an object that has begun.
void writeEnvelope(JsonWriter& json, std::string_view command,
                   const std::vector<std::string>& paths);

/// Writes the diagnostics of the files, ends the object and returns its text.
std::string finishEnvelope(JsonWriter& json, const std::vector<OpenedFile>& files,
                           const Options& options);

/// Prints the diagnostics as text, unless the format is JSON, and says how the command ends.
Exit conclude(const std::vector<OpenedFile>& files, const Options& options, Output& output);

/// A fault of the command line or of its surroundings: printed in the format asked for.
Exit refuse(const Diagnostic& diagnostic, const Options& options, Output& output);

/// The line that `--version` prints.
std::string versionText();

}  // namespace sysdl
