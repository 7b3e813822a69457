#pragma once

#include <boost/multiprecision/cpp_int.hpp>

namespace tacet::ledger {

/// A sum of non-negative doubles, and of products of two, without any rounding. What has been spent
/// is added up in it, so that the order of the runs and their number change nothing.
class ExactSum {
 public:
  /// `value` must be at least 0; infinity is absorbing, anything else an InternalError.
  void add(double value);
  /// The exact product of two finite values of at least 0.
  void add_product(double left, double right);

  [[nodiscard]] bool infinite() const { return infinite_; }
  /// The smallest double that is not below the sum.
  [[nodiscard]] double rounded_up() const;
  /// this - other as the largest double that is not above it; 0 where other is larger.
  [[nodiscard]] double minus_rounded_down(const ExactSum& other) const;

  friend bool operator<=(const ExactSum& left, const ExactSum& right) {
    if (left.infinite_ || right.infinite_) return right.infinite_;
    return left.units_ <= right.units_;
  }

 private:
  boost::multiprecision::cpp_int units_;  // in 2^-2148, the square of the smallest double
  bool infinite_ = false;
};

/// a / b for positive finite values, rounded up unless the quotient is exact.
[[nodiscard]] double divide_up(double a, double b);
/// a b for values of at least 0, rounded up unless the product is exact.
[[nodiscard]] double multiply_up(double a, double b);
/// The same, rounded down.
[[nodiscard]] double multiply_down(double a, double b);

}  // namespace tacet::ledger
