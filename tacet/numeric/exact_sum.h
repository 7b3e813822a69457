#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::numeric {

/// A sum of non-negative doubles, of products of two, and of decimals, without any rounding. What
/// has been spent is added up in it, so that the order of the runs and their number change nothing.
/// Not for several threads at once.
class ExactSum {
 public:
  /// `value` must be at least 0; infinity outweighs everything, anything else is an InternalError.
  void add(double value);
  void add(const ExactSum& other);
  /// The decimal that `value` prints as: the shortest one that reads back as it. Ten times the
  /// double 0.1 is more than 1; ten times the decimal 0.1 is 1.
  void add_decimal(double value);
  /// The exact product of two finite values of at least 0.
  void add_product(double left, double right);
  /// Takes back what was added before.
  void subtract(const ExactSum& part);

  [[nodiscard]] bool infinite() const { return infinite_ > 0; }
  /// The smallest double that is not below the sum.
  [[nodiscard]] double rounded_up() const;
  /// The largest double that is not above it.
  [[nodiscard]] double rounded_down() const;
  /// The double that prints as the sum, where there is one.
  [[nodiscard]] std::optional<double> as_decimal() const;
  /// this - other; 0 where other is larger.
  [[nodiscard]] ExactSum minus(const ExactSum& other) const;

  /// Exact, for files.
  [[nodiscard]] std::string text() const;
  /// The inverse; anything else is a DataError.
  [[nodiscard]] static ExactSum from_text(std::string_view text);

  friend bool operator<=(const ExactSum& left, const ExactSum& right);
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  // In 2^-2148 5^-324: squares of doubles, and decimals. A whole number, its lowest 64 bits first
  // and none of 0 on top: reading the library of large numbers would take programs half a second.
  std::vector<std::uint64_t> units_;
  std::int64_t infinite_ = 0;  // how many infinities
};

}  // namespace tacet::numeric
