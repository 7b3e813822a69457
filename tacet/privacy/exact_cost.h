#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tacet/numeric/exact_sum.h"

namespace tacet::privacy {

/// What one run costs: epsilon, or the number of another currency, and delta.
struct Amount {
  double value = 0;
  double delta = 0;
  /// Both stand for the decimals that they print as: what is proved is at most these. Ten runs at
  /// epsilon 0.1 are then 1, and not ten times the double above a tenth.
  bool as_stated = false;
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// Amounts, added without any rounding: in any order, and each as what it stands for. Ledgers and
/// budgets in memory add up in it. Not for several threads at once.
class ExactCost {
 public:
  ExactCost() = default;
  explicit ExactCost(const Amount& amount) { add(amount); }
  ExactCost(numeric::ExactSum value, numeric::ExactSum delta)
      : value_(std::move(value)), delta_(std::move(delta)) {}

  void add(const Amount& amount);
  /// Takes back what was added.
  void subtract(const Amount& amount);
  /// Whether neither sum is above the other's.
  [[nodiscard]] bool within(const ExactCost& limit) const;
  /// Whether neither sum is above a number that an owner wrote: the decimal and the double that it
  /// is read as, whichever is larger, since one run at just the cap may cost the double.
  [[nodiscard]] bool within_written(const Amount& cap) const;
  /// As the decimals that it is, else rounded up.
  [[nodiscard]] Amount rounded_up() const;
  /// What `limit` leaves: as the decimals that it is, else rounded down. 0 where nothing is left.
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
