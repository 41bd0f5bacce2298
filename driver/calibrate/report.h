// What a calibration says: a `.sysdl` text with the constants, or JSON.
#pragma once

#include <string>
#include <vector>

#include "driver/calibrate/fit.h"
#include "driver/json.h"

namespace sysdl::calibrate {

/// The constants of one group of rows.
struct Calibrated {
  std::string group;  // the format of a product; of a collective, the level
  CostModel model;
  Fit fit;
};

/// All that was fitted to one file.
struct Calibration {
  bool products = false;     // else collectives
  std::string measurements;  // the file
  double share = 0;          // of the rows that were fitted on
  size_t total = 0;          // rows of the file
  size_t used = 0;           // of those, chosen by `--where`
  Named what;                // the chip or network
  std::vector<Calibrated> groups;
};

/// A file in canonical form: the constants with their sources and errors, and a chip or network that
/// has them.
std::string textOf(const Calibration& calibration);

/// The members of the JSON object of `calibrate`, within an object that has begun.
void writeJson(JsonWriter& json, const Calibration& calibration);

}  // namespace sysdl::calibrate
