// The fit: constants that bring predicted times nearest to measured ones, judged on rows not fitted on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/calibrate/cost_model.h"

namespace sysdl::calibrate {

/// Errors of predictions, relative to what was measured: 0.1 is a tenth too slow.
struct Errors {
  size_t rows = 0;
  double median = 0, p90 = 0;  // of |error|
  double worst = 0;            // signed
  uint32_t line = 0;           // of the row of the worst
  std::string shown;           // that row
};

enum class Kept : uint8_t {
  Fitted,
  AsBefore,  // the rows do not determine it: it stays what it was
  Assumed,   // the rows do not determine it, and there was nothing before
};

struct FittedConstant {
  double value = 0;  // SI units, rounded to what is printed
  Kept kept = Kept::Fitted;
  bool atBound = false;
};

struct Fit {
  std::vector<FittedConstant> constants;  // in the order of the model's
  size_t rows = 0, fittedOn = 0;
  Errors fitted, heldBack;
  std::optional<Errors> before;  // of the constants that were there, on the rows held back
};

/// Chooses the rows to fit on: in the order of `rows`, which shall be that of size, the middle one of
/// each 1 / share; rows of the same sizes go together. One entry a row.
std::vector<bool> chooseRows(std::span<const Row> rows, double share);

/// Least rows to fit on: as many as there are constants, and as many again that are held back.
bool enough(const CostModel& model, const std::vector<bool>& chosen);

/// Fits by Levenberg and Marquardt's method from the best points of a grid: the sum of squares of
/// log(predicted / measured) becomes least. The same rows always give the same constants. A row that
/// no way predicts is reported (E0906); then nothing is returned.
std::optional<Fit> fitConstants(const CostModel& model, std::span<const Row> rows,
                                const std::vector<bool>& chosen, Diagnostics& diagnostics);

/// Errors of some values on the rows for which `chosen` says `wanted`.
Errors errorsOf(const CostModel& model, std::span<const double> values, std::span<const Row> rows,
                const std::vector<bool>& chosen, bool wanted);

}  // namespace sysdl::calibrate
