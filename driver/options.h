// What a command line asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/warnings.h"

namespace sysdl {

/// How the answer is printed. With `Github`, results are text and diagnostics annotations; `Sarif` is
/// one log of the diagnostics.
enum class Format { Text, Json, Github, Sarif };

struct Options {
  std::string command;
  std::vector<std::string> paths;  // files, or for `test` files and folders
  Format format = Format::Text;
  std::vector<std::string> roots;    // --root; none: the project of each file
  WarningPolicy warnings;            // --allow, --deny
  size_t maxErrors = 20;             // shown as text; 0: all
  std::string design;                // --design; empty: all
  std::vector<std::string> changes;  // -D, in order
  std::string get;                   // --get
  std::string emit;                  // --emit: "ast", "typed", "graph"
  std::string junit;                 // --junit
  std::string code;                  // of `explain`
  bool fix = false;                  // --fix of `check`
  bool diff = false;                 // --diff of `check --fix`
  bool check = false;                // --check of `fmt`
  // Of `explain`:
  std::string result;      // of the file in `code`
  size_t depth = 3;        // --depth
  std::string shell;       // of `completions`
  std::string kind, item;  // of `list`, `doc` and `new`
  std::string file;        // --file of `list` and `doc`
  // Of `diff`:
  std::string before, after;
  bool exitCode = false;  // --exit-code
  // Of `calibrate`, beside `kind` and `file`:
  std::string chip, network, level;  // --chip, --network, --level
  std::string measurements;          // --measurements
  std::string fitShare = "0.2";      // --fit-share
  std::vector<std::string> where;    // --where
  std::string collective;            // --collective
  size_t ranks = 0;                  // --ranks; 0: not given
  // Of `explore`:
  std::string name;            // --name
  std::string table = "text";  // --format: "text", "json", "csv", "svg"
  std::string output;          // --output; empty: standard output
  unsigned jobs = 1;           // --jobs
  bool all = false;            // --all
  bool resume = false;         // --resume
};

}  // namespace sysdl
