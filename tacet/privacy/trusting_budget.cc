#include "tacet/privacy/trusting_budget.h"

#include <fmt/format.h>

#include <utility>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace {

std::string in_words(const Guarantee& guarantee) {
  return fmt::format("(epsilon {}, delta {})", guarantee.epsilon, guarantee.delta);
}

Guarantee guarantee_of(const Amount& amount, Adjacency adjacency) {
  return {amount.value, amount.delta, adjacency};
}

}  // namespace

/// What one reservation has booked.
class TrustingRecord : public ReservationRecord {
 public:
  TrustingRecord(TrustingBudget& budget, const Amount& amount) : budget_(budget), amount_(amount) {}
  void commit(const Event& /*spent*/) override {}
  void cancel() override {
    const std::lock_guard lock(budget_.mutex_);
    budget_.spent_.subtract(amount_);
  }

 private:
  TrustingBudget& budget_;
  Amount amount_;
};

TrustingBudget::TrustingBudget(Adjacency adjacency) : adjacency_(adjacency) {}

TrustingBudget::TrustingBudget(const Guarantee& cap)
    : adjacency_(cap.adjacency), cap_(checked(cap)) {}

Guarantee TrustingBudget::spent() const {
  const std::lock_guard lock(mutex_);
  return guarantee_of(spent_.rounded_up(), adjacency_);
}

Reservation TrustingBudget::reserve(const Event& planned, const Guarantee& cost) {
  return reserve(planned, cost, {cost.epsilon, cost.delta, true});
}

Reservation TrustingBudget::reserve(const Event& planned, const Guarantee& cost,
                                    const Amount& amount) {
  const auto asked = checked(cost);
  if (asked.adjacency != adjacency_) {
    throw base::UsageError(
        "the budget counts {0}, and this run is protected under {1}, which does not convert: run "
        "it under adjacency {0} where it can, or give it a budget whose adjacency is {1}",
        to_string(adjacency_), to_string(asked.adjacency));
  }
  const std::lock_guard lock(mutex_);
  auto after = spent_;
  after.add(amount);
  if (cap_ && !after.within_written({cap_->epsilon, cap_->delta})) {
    const ExactCost limit({cap_->epsilon, cap_->delta, true});
    const auto remaining = guarantee_of(spent_.left_of(limit), adjacency_);
    throw BudgetExceeded(fmt::format("the privacy budget does not cover this: requested {}, "
                                     "remaining {}, cap {}",
                                     in_words(asked), in_words(remaining), in_words(*cap_)),
                         asked, remaining, *cap_);
  }
  Reservation reservation(planned, asked, std::make_unique<TrustingRecord>(*this, amount));
  spent_ = std::move(after);
  return reservation;
}

}  // namespace tacet::privacy
