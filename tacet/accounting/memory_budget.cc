#include "tacet/accounting/memory_budget.h"

#include <unistd.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::accounting {

MemoryBudget::MemoryBudget(Adjacency adjacency)
    : adjacency_(adjacency),
      process_(getpid()),
      book_(std::make_unique<privacy::TrustingBudget>(adjacency)) {}

MemoryBudget::MemoryBudget(const Guarantee& cap)
    : adjacency_(cap.adjacency),
      process_(getpid()),
      book_(std::make_unique<privacy::TrustingBudget>(cap)) {}

MemoryBudget::~MemoryBudget() = default;

void MemoryBudget::check_process() const {
  if (process_ == getpid()) return;
  throw base::BudgetError(
      "a budget in memory cannot be spent in another process than its own, where it would be spent "
      "once more; use a ledger, which processes share");
}

void MemoryBudget::expect_unit(std::string_view unit) {
  const std::lock_guard lock(unit_mutex_);
  if (unit_.empty()) unit_ = unit;
  if (unit_ == unit) return;
  throw base::BudgetError(
      "the budget protects each {}, and this release each {}: what they cost does not add up; give "
      "it a budget of its own, or name the same unit",
      unit_, unit);
}

privacy::Reservation MemoryBudget::reserve(const Event& planned, Delta delta) {
  check_process();
  return book_->reserve(planned, account(planned, adjacency_, delta));
}

privacy::Reservation MemoryBudget::reserve(const Event& planned, const Guarantee& cost) {
  check_process();
  if (std::isfinite(cost.epsilon) && cost.adjacency == adjacency_) {
    const auto stated = privacy::checked(cost);
    const auto proved = account(planned, adjacency_, Delta(stated.delta));
    if (proved.epsilon > stated.epsilon) {
      throw base::UsageError(
          "a price of epsilon {} was stated, {} is proved at delta {}; reserve(event, delta) books "
          "what is proved",
          stated.epsilon, proved.epsilon, stated.delta);
    }
  }
  return book_->reserve(planned, cost);
}

Guarantee MemoryBudget::spent() const { return book_->spent(); }

}  // namespace tacet::accounting
