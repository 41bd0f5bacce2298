// The subcommands: each takes what the command line asks for and returns the exit status.
#pragma once

#include "driver/options.h"
#include "driver/output.h"

namespace sysdl {

Exit runEval(const Options& options, Output& output);
Exit runCheck(const Options& options, Output& output);
Exit runTest(const Options& options, Output& output);
Exit runExplore(const Options& options, Output& output);
Exit runDiff(const Options& options, Output& output);
Exit runCompletions(const Options& options, Output& output);
Exit runList(const Options& options, Output& output);
Exit runDoc(const Options& options, Output& output);
Exit runImport(const Options& options, Output& output);
Exit runNew(const Options& options, Output& output);
Exit runCalibrate(const Options& options, Output& output);
Exit runFmt(const Options& options, Output& output);
Exit runGraph(const Options& options, Output& output);
Exit runTrace(const Options& options, Output& output);
Exit runExplain(const Options& options, Output& output);

/// What `check` looks at in a file that is open: rules on inputs, tests, explorations.
void checkAll(class Session& session);

/// Reads the command line and runs the subcommand that it names.
Exit runCommand(int argc, const char* const* argv, Output& output);

}  // namespace sysdl
