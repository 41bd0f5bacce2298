// A curve: monotone abscissae, piecewise-linear interpolation between them, clamped at both ends.
#pragma once

#include <vector>

namespace sysdl {

struct Curve {
  std::vector<double> x;  // strictly increasing, SI base units
  std::vector<double> y;

  double at(double value) const;
  /// Whether a value lies outside the range of x, so that the answer is extrapolated.
  bool outside(double value) const { return value < x.front() || value > x.back(); }
  friend bool operator==(const Curve&, const Curve&) = default;
};

}  // namespace sysdl
