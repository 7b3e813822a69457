#include "tacet/privacy/trusting_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"
#include "tacet/numeric/rounding.h"

namespace tacet::privacy {
namespace {

using numeric::add_up;

using numeric::infinity;

/// a - b, rounded down; what is left never looks larger than it is.
double subtract_down(double a, double b) {
  if (std::isinf(a)) return a;
  return std::max(0.0, std::nextafter(a - b, -infinity));
}

std::string in_words(const Guarantee& guarantee) {
  return fmt::format("(epsilon {}, delta {})", guarantee.epsilon, guarantee.delta);
}

}  // namespace

/// The place of one reservation in TrustingBudget's list.
class TrustingRecord : public ReservationRecord {
 public:
  TrustingRecord(TrustingBudget& budget, std::size_t index) : budget_(budget), index_(index) {}
  void commit(const Event& /*spent*/) override {}
  void cancel() override {
    const std::lock_guard lock(budget_.mutex_);
    budget_.costs_[index_].reset();
  }

 private:
  TrustingBudget& budget_;
  std::size_t index_;
};

TrustingBudget::TrustingBudget(Adjacency adjacency) : adjacency_(adjacency) {}

TrustingBudget::TrustingBudget(const Guarantee& cap)
    : adjacency_(cap.adjacency), cap_(checked(cap)) {}

Guarantee TrustingBudget::total() const {
  Guarantee sum{0, 0, adjacency_};
  for (const auto& cost : costs_) {
    if (!cost) continue;
    sum.epsilon = add_up(sum.epsilon, cost->epsilon);
    sum.delta = add_up(sum.delta, cost->delta);
  }
  return sum;
}

Guarantee TrustingBudget::spent() const {
  const std::lock_guard lock(mutex_);
  return total();
}

Reservation TrustingBudget::reserve(const Event& planned, const Guarantee& cost) {
  const auto asked = checked(cost);
  if (asked.adjacency != adjacency_) {
    throw base::UsageError(
        "the budget counts {}, the request {}; budgets do not convert between adjacencies",
        to_string(adjacency_), to_string(asked.adjacency));
  }
  const std::lock_guard lock(mutex_);
  const auto before = total();
  const Guarantee after{add_up(before.epsilon, asked.epsilon), add_up(before.delta, asked.delta),
                        adjacency_};
  if (cap_ && (after.epsilon > cap_->epsilon || after.delta > cap_->delta)) {
    const Guarantee remaining{subtract_down(cap_->epsilon, before.epsilon),
                              subtract_down(cap_->delta, before.delta), adjacency_};
    throw BudgetExceeded(fmt::format("the privacy budget does not cover this: requested {}, "
                                     "remaining {}, cap {}",
                                     in_words(asked), in_words(remaining), in_words(*cap_)),
                         asked, remaining, *cap_);
  }
  Reservation reservation(planned, asked, std::make_unique<TrustingRecord>(*this, costs_.size()));
  costs_.emplace_back(asked);
  return reservation;
}

}  // namespace tacet::privacy
