#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tacet/local/vectors.h"

namespace tacet::local {

/// A round's report, cut to a length that honest devices do not exceed. It keeps the numbers as
/// they are where it is not longer. All of them are finite.
class BoundedReport {
 public:
  /// Keeps a reference where nothing is cut.
  BoundedReport(std::span<const double> report, double bound) : values_(report) {
    if (std::sqrt(dot(report, report)) <= bound) return;
    double largest = 0;  // squares of long ones may overflow
    for (const double value : report) largest = std::max(largest, std::fabs(value));
    cut_values_.assign(report.begin(), report.end());
    for (double& value : cut_values_) value /= largest;
    const double factor = bound / std::sqrt(dot(cut_values_, cut_values_));
    for (double& value : cut_values_) value *= factor;
    values_ = cut_values_;
  }
  BoundedReport(const BoundedReport&) = delete;
  BoundedReport& operator=(const BoundedReport&) = delete;

  [[nodiscard]] std::span<const double> values() const { return values_; }
  [[nodiscard]] bool cut() const { return !cut_values_.empty(); }

 private:
  std::span<const double> values_;
  std::vector<double> cut_values_;
};

}  // namespace tacet::local
