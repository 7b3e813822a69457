#include "tacet/accounting/memory_budget.h"

#include <unistd.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::accounting {
namespace {

/// A statement above the lower end of the interval is accepted: another version of the accountant,
/// or another delta, may have proved it to more digits. Below the lower end nobody can have proved
/// it.
void check_not_refuted(const Event& planned, const Guarantee& stated, double proved) {
  const auto interval = epsilon_interval(planned, stated.adjacency, Delta(stated.delta));
  if (std::isfinite(proved) && stated.epsilon >= interval.lower) return;
  throw base::UsageError(
      "a price of epsilon {} was stated, {} is proved at delta {}; reserve(event, delta) books "
      "what is proved",
      stated.epsilon, proved, stated.delta);
}

}  // namespace

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
  const std::lock_guard lock(mutex_);
  if (unit_.empty()) unit_ = unit;
  if (unit_ == unit) return;
  throw base::BudgetError(
      "the budget protects each {}, and this release each {}: what they cost does not add up; give "
      "it a budget of its own, or name the same unit",
      unit_, unit);
}

privacy::Reservation MemoryBudget::reserve(const Event& planned, Delta delta) {
  check_process();
  const auto proved = account(planned, adjacency_, delta);
  return book_->reserve(planned, proved, {proved.epsilon, proved.delta});
}

privacy::Reservation MemoryBudget::reserve(const Event& planned, const Guarantee& cost) {
  check_process();
  const auto stated = privacy::checked(cost);
  // An infinite epsilon promises nothing; another adjacency is refused below.
  if (!std::isfinite(stated.epsilon) || stated.adjacency != adjacency_) {
    return book_->reserve(planned, stated);
  }
  const auto amount = stated_cost(planned, adjacency_, stated);
  if (amount.value > stated.epsilon) check_not_refuted(planned, stated, amount.value);
  return book_->reserve(planned, {amount.value, amount.delta, adjacency_}, amount);
}

void MemoryBudget::book_once(const std::string& name, const Event& spent, const Guarantee& cost) {
  const std::lock_guard lock(mutex_);
  if (paid_.contains(name)) return;
  auto permit = reserve(spent, cost);
  permit.debit(spent);
  permit.commit();
  paid_.insert(name);
}

void MemoryBudget::note_paid(const std::string& name) {
  const std::lock_guard lock(mutex_);
  paid_.insert(name);
}

Guarantee MemoryBudget::spent() const { return book_->spent(); }

}  // namespace tacet::accounting
