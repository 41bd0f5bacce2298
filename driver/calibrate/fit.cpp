// The fit of constants to measured times, and its errors.
#include "driver/calibrate/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include "fmt/format.h"

namespace sysdl::calibrate {
namespace {

/// Of a prediction that fails: far off, but finite, so that the search turns around.
constexpr double kFailed = 20;
/// A constant that moves no time by this share over all of its range is not determined.
constexpr double kVisible = 0.005;

/// The squared logarithms of predicted over measured times, over the constants that are free. These
/// are taken over a sine, `low + (high - low) (1 + sin x) / 2`, so that the bounds hold by themselves.
class Residuals {
public:
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  Residuals(const CostModel& model, std::vector<const Row*> rows, std::vector<double> values,
            std::vector<size_t> free)
      : model_(model), rows_(std::move(rows)), values_(std::move(values)), free_(std::move(free)) {}

  int inputs() const { return static_cast<int>(free_.size()); }
  int values() const { return static_cast<int>(std::max(rows_.size(), free_.size())); }

  int operator()(const InputType& x, ValueType& residuals) const {
    residuals = ofValues(at(x));
    return 0;
  }
  ValueType ofValues(const std::vector<double>& constants) const {
    ValueType residuals = ValueType::Zero(values());
    for (size_t i = 0; i < rows_.size(); ++i) {
      auto seconds = model_.seconds(*rows_[i], constants, scratch_);
      residuals[static_cast<Eigen::Index>(i)] =
          seconds ? std::log(*seconds / rows_[i]->seconds) : kFailed;
    }
    return residuals;
  }
  std::vector<double> at(const InputType& x) const {
    std::vector<double> constants = values_;
    for (size_t i = 0; i < free_.size(); ++i) {
      const Constant& c = model_.constants[free_[i]];
      double share = (1 + std::sin(x[static_cast<Eigen::Index>(i)])) / 2;
      constants[free_[i]] = c.low + (c.high - c.low) * share;
    }
    return constants;
  }
  InputType angles(const std::vector<double>& constants) const {
    InputType x(inputs());
    for (size_t i = 0; i < free_.size(); ++i) {
      const Constant& c = model_.constants[free_[i]];
      double share = std::clamp((constants[free_[i]] - c.low) / (c.high - c.low), 0.01, 0.99);
      x[static_cast<Eigen::Index>(i)] = std::asin(2 * share - 1);
    }
    return x;
  }

private:
  const CostModel& model_;
  std::vector<const Row*> rows_;
  std::vector<double> values_;
  std::vector<size_t> free_;
  mutable Scratch scratch_;
};

struct Found {
  double squares = 0;
  std::vector<double> values;
  size_t number = 0;  // of a point, so that equal ones have an order
};

/// The points of a grid over the free constants, the best first.
std::vector<Found> grid(const CostModel& model, const Residuals& residuals,
                        const std::vector<double>& values, const std::vector<size_t>& free) {
  constexpr double kShares[] = {0.05, 0.3, 0.9};
  std::vector<Found> points;
  size_t count = 1;
  for (size_t i = 0; i < free.size(); ++i) count *= std::size(kShares);
  for (size_t number = 0; number < count; ++number) {
    Found point{0, values, number};
    size_t rest = number;
    for (size_t index : free) {
      const Constant& c = model.constants[index];
      point.values[index] = c.low + (c.high - c.low) * kShares[rest % std::size(kShares)];
      rest /= std::size(kShares);
    }
    points.push_back(std::move(point));
  }
  // What is usual, or was there before, is a point too.
  points.push_back({0, values, count});
  for (Found& point : points) point.squares = residuals.ofValues(point.values).squaredNorm();
  std::ranges::sort(points, {}, [](const Found& p) { return std::pair(p.squares, p.number); });
  return points;
}

/// The least squares that are found from `start` on.
Found descend(const Residuals& residuals, const Found& start) {
  Eigen::NumericalDiff<Residuals, Eigen::Central> slopes(residuals, 1e-8);
  Eigen::LevenbergMarquardt<decltype(slopes)> method(slopes);
  method.parameters.maxfev = 300;
  Eigen::VectorXd x = residuals.angles(start.values);
  method.minimize(x);
  Found found{0, residuals.at(x)};
  found.squares = residuals.ofValues(found.values).squaredNorm();
  return found.squares < start.squares ? found : start;
}

/// The least squares over the free constants; the others stay as in `values`.
Found search(const CostModel& model, const std::vector<const Row*>& rows,
             const std::vector<double>& values, const std::vector<size_t>& free) {
  constexpr size_t kStarts = 6;
  constexpr size_t kMany = 2000;
  // Of many rows, some show where to begin.
  std::vector<const Row*> some;
  size_t stride = (rows.size() + kMany - 1) / kMany;
  for (size_t i = stride / 2; i < rows.size(); i += stride) some.push_back(rows[i]);
  Residuals residuals(model, some, values, free);
  std::vector<Found> points = grid(model, residuals, values, free);
  Found best = points.front();
  if (free.empty()) return best;
  for (size_t start = 0; start < std::min(kStarts, points.size()); ++start) {
    Found found = descend(residuals, points[start]);
    if (found.squares < best.squares) best = std::move(found);
  }
  if (stride == 1) return best;
  Residuals all(model, rows, values, free);
  best.squares = all.ofValues(best.values).squaredNorm();
  return descend(all, best);
}

/// Which of the constants the rows determine: in their order, those whose effect on the logarithm of
/// the times is not that of the ones before, nor none.
std::vector<size_t> determined(const CostModel& model, const std::vector<const Row*>& rows,
                               const std::vector<double>& values) {
  Residuals residuals(model, rows, values, {});
  std::vector<Eigen::VectorXd> directions;
  std::vector<size_t> found;
  double size = std::sqrt(static_cast<double>(rows.size()));
  for (size_t i = 0; i < model.constants.size(); ++i) {
    const Constant& c = model.constants[i];
    double step = 1e-6 * (c.high - c.low);  // small: effects that are one shall look alike
    std::vector<double> below = values, above = values;
    below[i] = std::max(c.low, values[i] - step);
    above[i] = std::min(c.high, values[i] + step);
    Eigen::VectorXd effect = (residuals.ofValues(above) - residuals.ofValues(below)) *
                             ((c.high - c.low) / (above[i] - below[i]));
    for (const Eigen::VectorXd& direction : directions) effect -= effect.dot(direction) * direction;
    if (effect.norm() / size < kVisible) continue;
    directions.push_back(effect.normalized());
    found.push_back(i);
  }
  return found;
}

/// To four digits: what is judged is what is printed.
double rounded(double value, Unit unit) {
  if (value == 0) return 0;
  double scale = unit == Unit::Time ? 1e6 : 1;  // printed in microseconds
  double digits = std::pow(10, 3 - std::floor(std::log10(std::abs(value * scale))));
  digits = std::min(digits, 1e4);
  return std::round(value * scale * digits) / (digits * scale);
}

}  // namespace

std::vector<bool> chooseRows(std::span<const Row> rows, double share) {
  std::vector<bool> chosen;
  double offset = std::round(0.5 / share - 0.5);
  double number = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    bool same = i > 0 && rows[i].kind == rows[i - 1].kind && rows[i].sizes == rows[i - 1].sizes;
    if (same) {
      chosen.push_back(chosen.back());
      continue;
    }
    ++number;
    auto steps = [&](double n) { return std::floor(n * share + 1e-9); };
    chosen.push_back(steps(number + offset + 1) > steps(number + offset));
  }
  return chosen;
}

bool enough(const CostModel& model, const std::vector<bool>& chosen) {
  auto fitted = static_cast<size_t>(std::ranges::count(chosen, true));
  return fitted >= model.constants.size() && chosen.size() - fitted >= model.constants.size();
}

Errors errorsOf(const CostModel& model, std::span<const double> values, std::span<const Row> rows,
                const std::vector<bool>& chosen, bool wanted) {
  Errors errors;
  std::vector<double> sizes;
  Scratch scratch;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (chosen[i] != wanted) continue;
    auto seconds = model.seconds(rows[i], values, scratch);
    if (!seconds) continue;
    double error = *seconds / rows[i].seconds - 1;
    sizes.push_back(std::abs(error));
    if (errors.line > 0 && std::abs(error) <= std::abs(errors.worst)) continue;
    errors.worst = error;
    errors.line = rows[i].line;
    errors.shown = rows[i].shown;
  }
  errors.rows = sizes.size();
  if (sizes.empty()) return errors;
  std::ranges::sort(sizes);
  errors.median = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  errors.p90 = sizes[(sizes.size() * 9 + 9) / 10 - 1];
  return errors;
}

std::optional<Fit> fitConstants(const CostModel& model, std::span<const Row> rows,
                                const std::vector<bool>& chosen, Diagnostics& diagnostics) {
  std::vector<double> values;
  for (const Constant& c : model.constants)
    values.push_back(std::clamp(c.before.value_or(c.usual), c.low, c.high));
  Scratch scratch;
  bool sound = true;
  std::vector<const Row*> fitted;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (chosen[i]) fitted.push_back(&rows[i]);
    if (model.seconds(rows[i], values, scratch)) continue;
    sound = false;
    diagnostics.report(Code::E0906, rows[i].span,
                       fmt::format("no time can be predicted for {}", rows[i].shown),
                       "too large, or no algorithm applies");
  }
  if (!sound) return std::nullopt;

  std::vector<size_t> all(model.constants.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  Found found = search(model, fitted, values, all);
  std::vector<size_t> free = determined(model, fitted, found.values);
  if (free.size() < all.size()) found = search(model, fitted, values, free);

  Fit fit;
  std::vector<double> before;
  std::vector<double> printed;
  for (size_t i = 0; i < all.size(); ++i) {
    const Constant& c = model.constants[i];
    FittedConstant constant;
    bool isFree = std::ranges::find(free, i) != free.end();
    if (!isFree) constant.kept = c.before ? Kept::AsBefore : Kept::Assumed;
    double range = c.high - c.low;
    constant.atBound = isFree && (found.values[i] - c.low < 1e-4 * range ||
                                  c.high - found.values[i] < 1e-4 * range);
    bool asItWas = constant.kept == Kept::AsBefore;
    constant.value = asItWas ? *c.before : rounded(found.values[i], c.unit);
    printed.push_back(constant.value);
    if (c.before) before.push_back(*c.before);
    fit.constants.push_back(constant);
  }
  fit.rows = rows.size();
  fit.fittedOn = fitted.size();
  fit.fitted = errorsOf(model, printed, rows, chosen, true);
  fit.heldBack = errorsOf(model, printed, rows, chosen, false);
  if (before.size() == all.size()) fit.before = errorsOf(model, before, rows, chosen, false);
  return fit;
}

}  // namespace sysdl::calibrate
