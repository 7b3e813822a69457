#pragma once

#include <cstdint>
#include <optional>

namespace tacet::mechanism {

/// Public points lower + j step, j = 0, ..., last, that an answer is chosen from. Answers on a
/// public grid reveal nothing by their last digits.
class Grid {
 public:
  /// All multiples of `step` above lower up to upper; without a step, the power of two next above
  /// 2^-40 of the width. A UsageError unless lower < upper are finite, and the step is positive and
  /// between 2^-45 of the width and the width.
  Grid(double lower, double upper, std::optional<double> step = std::nullopt);

  [[nodiscard]] double lower() const { return lower_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] std::int64_t last() const { return last_; }
  [[nodiscard]] double point(std::int64_t j) const {
    return lower_ + static_cast<double>(j) * step_;
  }
  /// The nearest point; values outside count as the first or last one, NaN as the first.
  [[nodiscard]] std::int64_t nearest(double value) const;

 private:
  double lower_;
  double step_;
  std::int64_t last_;
};

}  // namespace tacet::mechanism
