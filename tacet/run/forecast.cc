#include "tacet/run/forecast.h"

#include <vector>

#include "tacet/run/booking.h"

namespace tacet::run {

std::optional<Forecast> forecast(const Expense& expense, const Front& front) {
  const auto found = find_account(
      expense.data, front,
      {.unprotected_reason = expense.unprotected_reason, .access = ledger::Access::read});
  if (!found) return std::nullopt;
  auto& ledger = *found->ledger;
  const auto details = internal::details_of(expense, front, found->data_set);
  std::vector<ledger::Booking> planned;
  if (expense.schema.schema != nullptr) {
    const auto owed = internal::owed_fit(ledger.snapshot(), details, *expense.schema.schema,
                                         expense.cost.adjacency);
    if (owed) {
      planned.push_back(ledger::booking_of(owed->details, owed->cost.events, owed->cost.guarantee));
    }
  }
  planned.push_back(ledger::booking_of(details, expense.planned, expense.cost));
  return Forecast{found->data_set, ledger.forecast(planned)};
}

}  // namespace tacet::run
