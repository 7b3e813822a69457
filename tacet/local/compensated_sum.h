#pragma once

#include <cmath>

namespace tacet::local {

/// A sum of up to 1e8 numbers of either sign without the drift of a plain one (Neumaier 1974). Both
/// parts belong to a saved state.
struct CompensatedSum {
  double sum = 0;
  double rest = 0;

  void add(double term) {
    const double total = sum + term;
    rest += std::fabs(sum) >= std::fabs(term) ? (sum - total) + term : (term - total) + sum;
    sum = total;
  }
  [[nodiscard]] double value() const { return sum + rest; }
  friend bool operator==(const CompensatedSum&, const CompensatedSum&) = default;
};

}  // namespace tacet::local
