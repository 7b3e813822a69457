#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "tacet/privacy/budget.h"

namespace tacet::privacy {

/// A budget that ends with the process and believes the price it is told: for prices that were
/// proved a line before, and for tests. It is not installed; accounting::MemoryBudget asks the
/// accountant. Its currency is basic composition: epsilons add, deltas
/// add, each sum rounded up. Safe for use by several threads.
class TrustingBudget : public Budget {
 public:
  /// Without a cap: books everything, refuses nothing but another adjacency.
  explicit TrustingBudget(Adjacency adjacency);
  explicit TrustingBudget(const Guarantee& cap);

  [[nodiscard]] Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// Everything reserved and not given back.
  [[nodiscard]] Guarantee spent() const;

 private:
  friend class TrustingRecord;
  [[nodiscard]] Guarantee total() const;

  mutable std::mutex mutex_;
  Adjacency adjacency_;
  std::optional<Guarantee> cap_;
  std::vector<std::optional<Guarantee>> costs_;
};

}  // namespace tacet::privacy
