#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "tacet/accounting/accountant.h"
#include "tacet/privacy/budget.h"

namespace tacet::privacy {
class TrustingBudget;
}

namespace tacet::accounting {

/// A budget that ends with the process. It accounts what it books, so that no price is believed.
/// It adds up as a basic account of a ledger does (stated_cost): epsilons and deltas, without any
/// rounding, as the decimals that were written where the proof reaches that far. Several threads
/// may use it; it must outlive its reservations. A copy of the process (fork) spends nothing from
/// it: BudgetError.
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
  /// Books a price that was stated already: stated_cost() of it. UsageError when it is below what
  /// the event certainly costs at its delta; where it lies within the accountant's interval, the
  /// upper end is booked. With an infinite epsilon, which promises nothing, nothing is to be
  /// proved.
  [[nodiscard]] privacy::Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// Books what was released before, by others than this budget's reservations, under a name: what
  /// the fit of a schema cost. A name that was booked or noted before costs nothing more. Errors as
  /// reserve(); it stays spent.
  void book_once(const std::string& name, const Event& spent, const Guarantee& cost);
  /// Notes the name of something that a reservation has paid for, so that book_once() does not book
  /// it again.
  void note_paid(const std::string& name);
  /// Says whom the next reservations protect, "record" or a unit column: prices for different units
  /// do not add up. BudgetError where another one was named before.
  void expect_unit(std::string_view unit);
  /// Everything reserved and not given back.
  [[nodiscard]] Guarantee spent() const;

 private:
  void check_process() const;

  Adjacency adjacency_;
  pid_t process_;
  std::mutex mutex_;            // of both
  std::string unit_;            // empty: none was named
  std::set<std::string> paid_;  // names
  std::unique_ptr<privacy::TrustingBudget> book_;
};

}  // namespace tacet::accounting
