#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/loss/components.h"
#include "tacet/accounting/loss/single_use.h"

namespace tacet::accounting::pld {

/// The composition of a few uses of pairs with few losses, such as releases of which only epsilon
/// and delta are known. It lists all sums of losses with their masses and needs no grid (Kairouz,
/// Oh, Viswanath 2015, theorem 3.3, here for any pairs).
class ListSum {
 public:
  /// Nothing if a pair has no list of losses, or if there would be too many sums.
  [[nodiscard]] static std::optional<ListSum> of(std::span<const Component> components);

  /// Bounds of log delta at eps >= 0; nothing if rounding errors drive them too far apart.
  [[nodiscard]] std::optional<Ends> log_delta(double eps) const;
  /// Bounds of epsilon at delta; nothing if rounding alone may exceed the delta that infinite
  /// losses leave.
  [[nodiscard]] std::optional<Ends> epsilon(double log_delta) const;

 private:
  ListSum() = default;
  void add(const Component& component);
  [[nodiscard]] double delta(double eps, End end) const;

  struct Sum {
    double loss;
    double p;
  };
  std::vector<Sum> sums_{{0, 1}};
  double infinite_ = 0;
  double slack_ = 0;       ///< relative error of masses
  double loss_error_ = 0;  ///< absolute error of every sum
};

}  // namespace tacet::accounting::pld
