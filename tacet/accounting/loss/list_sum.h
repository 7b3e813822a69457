#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/loss/components.h"
#include "tacet/accounting/loss/single_use.h"

namespace tacet::accounting::pld {

/// The composition of few uses of pairs with few losses, such as releases that are known by an
/// epsilon and a delta: all sums of their losses with their masses, in place of a grid (Kairouz,
/// Oh, Viswanath 2015, Theorem 3.3, whatever the pairs).
class ListSum {
 public:
  /// Nothing where a pair has no list of losses, or the sums would be many.
  [[nodiscard]] static std::optional<ListSum> of(std::span<const Component> components);

  /// Bounds of log delta at eps >= 0; nothing if rounding errors drive them apart.
  [[nodiscard]] std::optional<Ends> log_delta(double eps) const;
  /// Bounds of epsilon at delta; nothing where rounding alone may exceed what infinite losses leave
  /// of it.
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
  double slack_ = 0;       ///< relative, of masses
  double loss_error_ = 0;  ///< absolute, of every sum
};

}  // namespace tacet::accounting::pld
