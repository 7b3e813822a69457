#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tacet/numeric/exact_sum.h"

namespace tacet::privacy {

/// The cost of one run: delta, and epsilon or the number of another currency.
struct Amount {
  double value = 0;
  double delta = 0;
  /// True if both numbers stand for the decimals as which they print, and the proved cost is at
  /// most that. Ten runs at epsilon 0.1 then add up to 1, and not to ten times the double 0.1,
  /// which is above a tenth.
  bool as_stated = false;
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// A sum of amounts without any rounding, so the order does not matter. Each amount counts as what
/// it stands for (a decimal or a double). Ledgers and budgets in memory add up with it. Not for
/// several threads at once.
class ExactCost {
 public:
  ExactCost() = default;
  explicit ExactCost(const Amount& amount) { add(amount); }
  ExactCost(numeric::ExactSum value, numeric::ExactSum delta)
      : value_(std::move(value)), delta_(std::move(delta)) {}

  void add(const Amount& amount);
  /// Subtracts an amount that was added before.
  void subtract(const Amount& amount);
  /// Whether both sums (value and delta) are at most those of `limit`.
  [[nodiscard]] bool within(const ExactCost& limit) const;
  /// Whether both sums are at most a cap that an owner wrote. The cap counts as the larger one of
  /// its decimal and its double, since one run at exactly the cap may cost the double.
  [[nodiscard]] bool within_written(const Amount& cap) const;
  /// As exact decimals if both sums have short ones, else rounded up.
  [[nodiscard]] Amount rounded_up() const;
  /// What is left of `limit`: as exact decimals if they are short, else rounded down; 0 if nothing
  /// is left.
  [[nodiscard]] Amount left_of(const ExactCost& limit) const;
  [[nodiscard]] bool infinite() const { return value_.infinite() || delta_.infinite(); }

  /// Exact, for files: two sums.
  [[nodiscard]] std::string text() const { return value_.text() + " " + delta_.text(); }
  /// The inverse; anything else is a DataError.
  [[nodiscard]] static ExactCost from_text(std::string_view text);
  friend bool operator==(const ExactCost&, const ExactCost&) = default;

 private:
  numeric::ExactSum value_;
  numeric::ExactSum delta_;
};

}  // namespace tacet::privacy
