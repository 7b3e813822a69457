#include "tacet/accounting/loss/grid_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;
using numeric::unit_roundoff;

/// A shift such that no weight mass e^{theta y - shift} overflows and the largest one is near 1.
double safe_shift(const LossGrid& grid, double theta) {
  const double rate = theta * grid.step;
  const double low = rate * static_cast<double>(grid.index.front());
  const double high = rate * static_cast<double>(grid.index.back());
  if (std::max(low, high) < 600) return 0;
  double largest = -infinity;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] <= 0) continue;
    const double exponent = rate * static_cast<double>(grid.index[i]);
    largest = std::max(largest, exponent + std::log(grid.mass[i]));
  }
  return largest;
}

/// log sum p_i e^{theta y_i} of one grid, with the mean and variance of y under the tilted law.
GridSum::Cumulants grid_cumulants(const LossGrid& grid, double theta) {
  const double shift = safe_shift(grid, theta);
  double total = 0;
  double first = 0;
  double second = 0;
  for_each_tilted(grid, theta, shift, [&](std::size_t i, double w) {
    const double y = static_cast<double>(grid.index[i]) * grid.step;
    total += w;
    first += w * y;
    second += w * y * y;
  });
  const double mean = first / total;
  return {shift + std::log(total), mean, std::max(0.0, second / total - mean * mean)};
}

}  // namespace

double log_moment(const LossGrid& grid, double theta) {
  const double shift = safe_shift(grid, theta);
  double total = 0;
  for_each_tilted(grid, theta, shift, [&](std::size_t, double w) { total += w; });
  return shift + std::log(total);
}

GridSum::GridSum(std::vector<CountedGrid> parts) : parts_(std::move(parts)), step_(0), offset_(0) {
  for (const auto& part : parts_) {
    step_ = part.grid.step;
    offset_ += static_cast<double>(part.count) * part.grid.offset;
  }
}

GridSum::Cumulants GridSum::cumulants(double theta) const {
  Cumulants sum{0, 0, 0};
  for (const auto& part : parts_) {
    const auto one = grid_cumulants(part.grid, theta);
    const auto count = static_cast<double>(part.count);
    sum.value += count * one.value;
    sum.mean += count * one.mean;
    sum.variance += count * one.variance;
  }
  return sum;
}

double GridSum::log_moment(double theta) const {
  double sum = 0;
  for (const auto& part : parts_) {
    sum += static_cast<double>(part.count) * pld::log_moment(part.grid, theta);
  }
  return sum;
}

double GridSum::infinite_mass(End end) const {
  // The mass at infinity is known as precisely as the finite masses; 1e-14 covers the sum and both
  // functions.
  const double slack = end == End::above ? mass_slack : -mass_slack;
  double log_finite = 0;
  for (const auto& part : parts_) {
    const double mass = std::min(1.0, part.grid.infinite * (1 + slack));
    log_finite += static_cast<double>(part.count) * std::log1p(-mass);
  }
  return std::min(1.0, -std::expm1(log_finite) * (1 + (end == End::above ? 1e-14 : -1e-14)));
}

std::int64_t GridSum::steps() const {
  std::int64_t total = 0;
  for (const auto& part : parts_) total += part.count;
  return total;
}

double GridSum::loss_error() const {
  double error = 8 * unit_roundoff * std::fabs(offset_);
  for (const auto& part : parts_) {
    const auto& grid = part.grid;
    const double largest = std::max(std::fabs(static_cast<double>(grid.index.front())),
                                    std::fabs(static_cast<double>(grid.index.back()))) *
                               grid.step +
                           std::fabs(grid.offset);
    error += static_cast<double>(part.count) * (grid.loss_error + 8 * unit_roundoff * largest);
  }
  return error;
}

double GridSum::lowest_index() const {
  double sum = 0;
  for (const auto& part : parts_) {
    sum += static_cast<double>(part.count) * static_cast<double>(part.grid.index.front());
  }
  return sum;
}

double GridSum::highest_index() const {
  double sum = 0;
  for (const auto& part : parts_) {
    sum += static_cast<double>(part.count) * static_cast<double>(part.grid.index.back());
  }
  return sum;
}

Window chernoff_window(const GridSum& sum, double theta, const GridSum::Cumulants& cumulants,
                       double log_tail) {
  double low = sum.lowest_index();
  double high = sum.highest_index();
  const double stddev = std::sqrt(cumulants.variance);
  if (stddev > 0) {
    // P(Y >= y) <= e^{K(theta + t) - K(theta) - t y} under the tilt, for each t > 0. The search
    // begins with the best t of a normal law; heavier tails need a smaller one.
    const double start = std::sqrt(-2 * log_tail) / stddev;
    for (const double sign : {1.0, -1.0}) {
      double best = infinity;
      double t = start;
      for (int i = 0; i < 24; ++i, t *= 0.45) {
        const double growth = sum.log_moment(theta + sign * t) - cumulants.value;
        const double bound = (growth - log_tail) / t / sum.step();
        const bool wide = std::fabs(best) * sum.step() > 100 * stddev + std::fabs(cumulants.mean);
        if (bound > best && !wide) break;
        best = std::min(best, bound);
      }
      if (sign > 0) {
        high = std::min(high, best);
      } else {
        low = std::max(low, -best);
      }
    }
  }
  constexpr double largest = 9e15;
  if (!(std::fabs(low) < largest && std::fabs(high) < largest)) {
    throw base::NumericError("a composed privacy loss exceeds the range of the loss grid");
  }
  return {static_cast<std::int64_t>(std::floor(low)) - 1,
          static_cast<std::int64_t>(std::ceil(high)) + 1};
}

}  // namespace tacet::accounting::pld
