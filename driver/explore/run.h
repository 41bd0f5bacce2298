// Running an exploration: points in chunks over threads, outcomes in the order of the points.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/explore/row.h"
#include "driver/opened.h"

namespace sysdl {

/// A file with one of its explorations, read in a session of its own.
struct OpenedExploration {
  OpenedFile file;
  std::unique_ptr<class Exploration> exploration;  // null after errors
  size_t text = 0;  // a hash of all that was read: a run sees one state of its files
  OpenedExploration();
  OpenedExploration(OpenedExploration&&) noexcept;
  OpenedExploration& operator=(OpenedExploration&&) noexcept;
  ~OpenedExploration();
};

/// Opens the file of `options` and reads its exploration of that name; without one, the only one. E0903.
OpenedExploration openExploration(const Options& options);

/// What became of the points [first, first + size).
struct ChunkResult {
  uint64_t first = 0;
  uint64_t size = 0;
  uint64_t left = 0;  // by `keep where`
  Refusals refusals;
  std::vector<Row> rows;
  std::unique_ptr<OpenedExploration> failed;  // holds the diagnostics of a point that is wrong
};

struct RunRequest {
  const Options& options;
  uint64_t first = 0;  // the point to start at
  unsigned jobs = 1;
  bool forScripts = false;  // no cells with units
  size_t text = 0;          // of the exploration as it was opened first
};

/// Evaluates all points from `first` on and hands over the chunks in order. Ends early where `take`
/// returns false, or after a chunk that failed.
void runExploration(const RunRequest& request, const std::function<bool(ChunkResult&&)>& take);

}  // namespace sysdl
