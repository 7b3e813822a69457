#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tacet/accounting/loss/discretize.h"

namespace tacet::accounting::pld {

/// log sum p_i e^{theta y_i} of the finite part of one grid, without its offset.
[[nodiscard]] double log_moment(const LossGrid& grid, double theta);

/// Calls visit(i, w) with w = mass[i] e^{theta y_i - shift} for every mass above 0.
template <typename Visit>
void for_each_tilted(const LossGrid& grid, double theta, double shift, const Visit& visit) {
  const double rate = theta * grid.step;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] <= 0) continue;
    const double x = rate * static_cast<double>(grid.index[i]) - shift;
    // Avoids overflow of the factor if the product is moderate.
    const double tilted =
        x < 600 ? grid.mass[i] * std::exp(x) : grid.mass[i] * std::exp(0.5 * x) * std::exp(0.5 * x);
    visit(i, tilted);
  }
}

/// The law of one loss on a grid, used `count` times.
struct CountedGrid {
  LossGrid grid;
  std::int64_t count;
};

/// The sum of independent losses on grids of the same step. Offsets are kept apart.
class GridSum {
 public:
  explicit GridSum(std::vector<CountedGrid> parts);

  struct Cumulants {
    double value;
    double mean;
    double variance;
  };
  /// log E[e^{theta Y}] of the finite part Y (offsets excluded) with its two derivatives.
  [[nodiscard]] Cumulants cumulants(double theta) const;
  /// The value of cumulants() without its derivatives.
  [[nodiscard]] double log_moment(double theta) const;

  [[nodiscard]] const std::vector<CountedGrid>& parts() const { return parts_; }
  [[nodiscard]] double step() const { return step_; }
  /// Sum of count times offset.
  [[nodiscard]] double offset() const { return offset_; }
  /// P(some loss is infinite), rounded up for the upper end and down for the lower one.
  [[nodiscard]] double infinite_mass(End end) const;
  [[nodiscard]] std::int64_t steps() const;
  /// The largest amount by which rounding may change the summed loss.
  [[nodiscard]] double loss_error() const;
  /// Smallest and largest value of Y in steps.
  [[nodiscard]] double lowest_index() const;
  [[nodiscard]] double highest_index() const;

 private:
  std::vector<CountedGrid> parts_;
  double step_;
  double offset_;
};

/// A transform never has to hold more of the tilted law than all but e^-60.
constexpr double log_smallest_tail = -60;

/// Indices beyond which the tilted sum has at most e^log_tail on either side.
struct Window {
  std::int64_t low;
  std::int64_t high;
};
[[nodiscard]] Window chernoff_window(const GridSum& sum, double theta,
                                     const GridSum::Cumulants& cumulants, double log_tail);

}  // namespace tacet::accounting::pld
