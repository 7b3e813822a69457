#pragma once

#include <memory>

#include "tacet/accounting/routes/language.h"
#include "tacet/privacy/budget.h"

namespace tacet::privacy {
class TrustingBudget;
}

namespace tacet::accounting {

/// A budget that ends with the process. It accounts what it books, so that no price is believed.
/// Its currency is basic composition: epsilons add, deltas add, each sum rounded up. Several
/// threads may use it; it must outlive its reservations.
///
/// Example:
///
///     accounting::MemoryBudget budget({2, 1e-6, privacy::Adjacency::add_remove});
///     auto permit = budget.reserve(privacy::Gaussian{5}, privacy::Delta{1e-6});
///     const double epsilon = permit.guarantee().epsilon;  // what that costs: 0.9
class MemoryBudget : public privacy::Budget {
 public:
  /// Without a cap: refuses nothing but another adjacency and what nothing is proved for.
  explicit MemoryBudget(Adjacency adjacency);
  explicit MemoryBudget(const Guarantee& cap);
  ~MemoryBudget() override;

  /// Books `planned` at what account() proves of it at `delta`. BudgetExceeded when that does not
  /// fit, GuaranteeError as account().
  [[nodiscard]] privacy::Reservation reserve(const Event& planned, Delta delta);
  /// Books a price that was stated already. UsageError when it is below what account() proves at
  /// its delta; with an infinite epsilon, which promises nothing, nothing is to be proved.
  [[nodiscard]] privacy::Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// Everything reserved and not given back.
  [[nodiscard]] Guarantee spent() const;

 private:
  Adjacency adjacency_;
  std::unique_ptr<privacy::TrustingBudget> book_;
};

}  // namespace tacet::accounting
