#pragma once

#include <mutex>
#include <optional>

#include "tacet/privacy/budget.h"
#include "tacet/privacy/exact_cost.h"

namespace tacet::privacy {

/// A budget that ends with the process and believes the price it is told: for prices that were
/// proved a line before, and for tests. It is not installed; accounting::MemoryBudget asks the
/// accountant. Its currency is basic composition: epsilons add, deltas add, without any rounding
/// and as the decimals that they print as. Safe for use by several threads.
class TrustingBudget : public Budget {
 public:
  /// Without a cap: books everything, refuses nothing but another adjacency.
  explicit TrustingBudget(Adjacency adjacency);
  explicit TrustingBudget(const Guarantee& cap);

  [[nodiscard]] Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// The same; what is added up is `amount`, which stands for `cost`.
  [[nodiscard]] Reservation reserve(const Event& planned, const Guarantee& cost,
                                    const Amount& amount);
  /// Everything reserved and not given back; rounded up where it is no decimal.
  [[nodiscard]] Guarantee spent() const;

 private:
  friend class TrustingRecord;

  mutable std::mutex mutex_;
  Adjacency adjacency_;
  std::optional<Guarantee> cap_;
  ExactCost spent_;
};

}  // namespace tacet::privacy
