// Measured times: what tables and logs are read to, row by row, whatever was measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/calibrate/csv.h"
#include "ir/formula/program.h"

namespace sysdl::calibrate {

/// One measured time.
struct Row {
  std::string group;           // of which constants are fitted apart: the format of a product
  std::vector<int64_t> sizes;  // of a product: batch, m, n, k; of a collective: bytes, ranks,
                               // ranks of each node (0: not known)
  std::string kind;            // of a collective: "all_reduce"
  std::vector<Word> inputs;    // the same for the programs of a `CostModel`, which fills them in
  double seconds = 0;
  Span span;  // its line
  uint32_t line = 0;
  std::string shown;  // "4096 x 4096 x 1024", for reports
};

/// What was read, and what was left aside by `--where`.
struct Measurements {
  std::vector<Row> rows;
  size_t total = 0;  // rows in the file
};

/// What the command line adds to a table of collectives.
struct CollectiveDefaults {
  std::string kind;   // where the table has no column of it; empty: unknown
  int64_t ranks = 0;  // likewise; 0: unknown
};

/// Rows of a table that hold certain texts: column and text.
using Chosen = std::vector<std::pair<std::string, std::string>>;

/// Reads products: columns m, n, k, format (or dtype), a time, perhaps batch. `formats` are the words
/// of the language for formats. Reports E0906 for each fault, with its place.
Measurements readProducts(Loc start, const SourceMap& sources, const Chosen& chosen,
                          const std::vector<std::string>& formats, Diagnostics& diagnostics);

/// Reads collectives: the output of nccl-tests, or a table with size, a time, and perhaps the
/// collective and the number of ranks. Reports E0906 for each fault, with its place.
Measurements readCollectives(Loc start, const SourceMap& sources, const Chosen& chosen,
                             const CollectiveDefaults& defaults, Diagnostics& diagnostics);

/// The language's word for a collective as programs call it ("AllReduce", "all_reduce_perf",
/// "alltoall"); empty where it is none that can be calibrated.
std::string collectiveNamed(std::string_view text);

/// Reads the output of nccl-tests that `readCollectives` was given.
Measurements readNcclTests(const std::vector<Line>& lines, const CollectiveDefaults& defaults,
                           Diagnostics& diagnostics);

}  // namespace sysdl::calibrate
