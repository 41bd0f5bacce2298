// What a run with `--output FILE` has done so far, beside it in `FILE.state`: a line a row, a line a chunk.
//
// The lines of a chunk end with its `done`. What follows the last `done` is thrown away by the next
// run, so that a kill at any moment neither loses nor doubles a row.
#pragma once

#include <functional>
#include <string>

#include "driver/explore/run.h"

namespace sysdl {

class Journal {
public:
  ~Journal();

  /// Reads what an earlier run of the same `key` (file, exploration and options) wrote, a chunk a
  /// call; returns the point to go on from. 0 where there is nothing to go on from. False in `same`
  /// where it belongs to another run.
  static uint64_t replay(const std::string& path, const std::string& key, bool& same,
                         const std::function<void(ChunkResult&&)>& chunk);

  /// Starts, or goes on where `replay` ended. False, with a reason, where it cannot be written.
  bool open(const std::string& path, const std::string& key, bool goOn, std::string& why);
  bool add(const ChunkResult& chunk);
  /// The run is complete: nothing is left to go on from.
  void remove();

private:
  std::string path_;
  int file_ = -1;
};

}  // namespace sysdl
