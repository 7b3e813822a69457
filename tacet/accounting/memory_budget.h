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

/// A budget that ends with the process. It computes the cost of what it books and does not rely on
/// stated prices. Like a basic account of a ledger (stated_cost), it adds epsilons and deltas
/// without any rounding, as the decimals that were written if the proof reaches them. Several
/// threads may use it; it must outlive its reservations. A copy of the process (fork) spends
/// nothing from it: BudgetError.
///
/// Example:
///
///     accounting::MemoryBudget budget({2, 1e-6, privacy::Adjacency::add_remove});
///     auto permit = budget.reserve(privacy::Gaussian{5}, privacy::Delta{1e-6});
///     const double epsilon = permit.guarantee().epsilon;  // what that costs: 0.9
class MemoryBudget : public privacy::Budget {
 public:
  /// Without a cap: refuses only another adjacency, and events without a proof.
  explicit MemoryBudget(Adjacency adjacency);
  explicit MemoryBudget(const Guarantee& cap);
  ~MemoryBudget() override;

  /// Books `planned` at the cost that account() proves for it at `delta`. BudgetExceeded if that
  /// does not fit; GuaranteeError as account().
  [[nodiscard]] privacy::Reservation reserve(const Event& planned, Delta delta);
  /// Books a stated price: stated_cost() of it. UsageError if the price is below what the event
  /// certainly costs at its delta. If it lies within the accountant's interval, the upper end is
  /// booked. A price with an infinite epsilon needs no proof.
  [[nodiscard]] privacy::Reservation reserve(const Event& planned, const Guarantee& cost) override;
  /// Books, under a name, a cost that was spent outside of this budget's reservations, such as the
  /// fit of a schema. A name that was booked or noted before costs nothing more. The cost stays
  /// spent. Errors as reserve().
  void book_once(const std::string& name, const Event& spent, const Guarantee& cost);
  /// Notes that a reservation has paid for the thing of that name, so that book_once() does not
  /// book it again.
  void note_paid(const std::string& name);
  /// States whom the next reservations protect: "record" or a unit column. BudgetError if another
  /// one was stated before, since costs for different units do not add up.
  void expect_unit(std::string_view unit);
  /// The sum of everything that is reserved and not given back.
  [[nodiscard]] Guarantee spent() const;

 private:
  void check_process() const;

  Adjacency adjacency_;
  pid_t process_;
  std::mutex mutex_;            // guards the members below
  std::string unit_;            // empty: no unit was stated
  std::set<std::string> paid_;  // names that were booked or noted
  std::unique_ptr<privacy::TrustingBudget> book_;
};

}  // namespace tacet::accounting
