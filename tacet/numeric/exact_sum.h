#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::numeric {

/// A sum of non-negative doubles, products of two, and decimals, without any rounding. Budgets add
/// up what was spent in it, so that neither the order nor the number of runs matters. Not for
/// several threads at once.
class ExactSum {
 public:
  /// `value` must be at least 0; infinity makes the sum infinite. Anything else is an
  /// InternalError.
  void add(double value);
  void add(const ExactSum& other);
  /// Adds the decimal of `value`, which is the shortest decimal that reads back as `value`. Ten
  /// times the double 0.1 is more than 1; ten times the decimal 0.1 is 1.
  void add_decimal(double value);
  /// The exact product of two finite values of at least 0.
  void add_product(double left, double right);
  /// Subtracts a sum that was added before.
  void subtract(const ExactSum& part);

  [[nodiscard]] bool infinite() const { return infinite_ > 0; }
  /// The smallest double that is at least the sum.
  [[nodiscard]] double rounded_up() const;
  /// The largest double that is at most the sum.
  [[nodiscard]] double rounded_down() const;
  /// The double whose decimal is the sum, if there is one.
  [[nodiscard]] std::optional<double> as_decimal() const;
  /// this - other; 0 if other is larger.
  [[nodiscard]] ExactSum minus(const ExactSum& other) const;

  /// Exact, for files.
  [[nodiscard]] std::string text() const;
  /// The inverse; anything else is a DataError.
  [[nodiscard]] static ExactSum from_text(std::string_view text);

  friend bool operator<=(const ExactSum& left, const ExactSum& right);
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  // In units of 2^-2148 5^-324, which fit squares of doubles and decimals. A whole number, lowest
  // 64 bits first, without zeros on top. It is kept here and not in the library for large numbers,
  // since the header of that library would add half a second to every file that includes this one.
  std::vector<std::uint64_t> units_;
  std::int64_t infinite_ = 0;  // how many infinities
};

}  // namespace tacet::numeric
