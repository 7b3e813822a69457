#pragma once

#include <cmath>
#include <cstddef>
#include <span>

/// Sums over short vectors, from first to last: the same bits on every machine.
namespace tacet::numeric {

[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// The Euclidean norm.
[[nodiscard]] inline double norm(std::span<const double> values) {
  return std::sqrt(dot(values, values));
}

/// A sum that keeps its rounding errors in a second number (Neumaier 1974, with Knuth's two-sum for
/// the error of each addition, which needs no comparison of sizes). value() of up to 2^25 terms of
/// one sign has a relative error of one unit in the last place; for terms of both signs, the error
/// is at most one such unit of the sum of their sizes. Both parts belong to a saved state.
struct CompensatedSum {
  double sum = 0;
  double rest = 0;

  void add(double term) {
    const double total = sum + term;
    const double back = total - sum;
    rest += (sum - (total - back)) + (term - back);
    sum = total;
  }
  [[nodiscard]] double value() const { return sum + rest; }
  friend bool operator==(const CompensatedSum&, const CompensatedSum&) = default;
};

}  // namespace tacet::numeric
