// A curve: the interpolation.
#include "ir/formula/curve.h"

#include <algorithm>

namespace sysdl {

double Curve::at(double value) const {
  if (value <= x.front()) return y.front();
  if (value >= x.back()) return y.back();
  auto after = std::upper_bound(x.begin(), x.end(), value);
  auto i = static_cast<size_t>(after - x.begin());
  double t = (value - x[i - 1]) / (x[i] - x[i - 1]);
  return y[i - 1] + t * (y[i] - y[i - 1]);
}

}  // namespace sysdl
