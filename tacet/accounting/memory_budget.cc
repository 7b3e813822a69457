#include "tacet/accounting/memory_budget.h"

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::accounting {

MemoryBudget::MemoryBudget(Adjacency adjacency)
    : adjacency_(adjacency), book_(std::make_unique<privacy::TrustingBudget>(adjacency)) {}

MemoryBudget::MemoryBudget(const Guarantee& cap)
    : adjacency_(cap.adjacency), book_(std::make_unique<privacy::TrustingBudget>(cap)) {}

MemoryBudget::~MemoryBudget() = default;

privacy::Reservation MemoryBudget::reserve(const Event& planned, Delta delta) {
  return book_->reserve(planned, account(planned, adjacency_, delta));
}

privacy::Reservation MemoryBudget::reserve(const Event& planned, const Guarantee& cost) {
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
