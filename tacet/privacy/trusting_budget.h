#pragma once

#include <mutex>
#include <optional>

#include "tacet/privacy/budget.h"
#include "tacet/privacy/exact_cost.h"

namespace tacet::privacy {

/// A budget that ends with the process and does not check prices. It is for prices that the caller
/// has just proved, and for tests. It is not installed; accounting::MemoryBudget checks prices with
/// the accountant. Its currency is basic composition: epsilons add and deltas add, without any
/// rounding, as the decimals as which they print. Safe for use by several threads.
class TrustingBudget : public Budget {
 public:
  /// Without a cap: books everything and refuses only another adjacency.
  explicit TrustingBudget(Adjacency adjacency);
  explicit TrustingBudget(const Guarantee& cap);

  [[nodiscard]] Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// As reserve() above, but adds up `amount`, which stands for `cost`.
  [[nodiscard]] Reservation reserve(const Event& planned, const Guarantee& cost,
                                    const Amount& amount);
  /// Everything that is reserved and not given back; rounded up if the sum is not a short decimal.
  [[nodiscard]] Guarantee spent() const;

 private:
  friend class TrustingRecord;

  mutable std::mutex mutex_;
  Adjacency adjacency_;
  std::optional<Guarantee> cap_;
  ExactCost spent_;
};

}  // namespace tacet::privacy
