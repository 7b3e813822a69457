#include "tacet/ledger/admission.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::ledger::internal {
namespace {

using numeric::infinity;

/// Under replace_one a neighbour has one record removed and another one added. So a cost that was
/// proved for sums under add_remove can be accounted with twice the distance. No other pair of
/// adjacencies converts.
void check_fits(const Booking& booking, const Snapshot::Account& account) {
  const auto counts = account.enrolled.adjacency;
  const auto asked = booking.stated.adjacency;
  const bool converts =
      counts == privacy::Adjacency::replace_one && asked == privacy::Adjacency::add_remove;
  if (asked != counts && !converts) {
    throw base::UsageError(
        "the account '{}' counts {} budgets, and `{}` was planned for {}, whose cost does not "
        "convert; nothing was booked. Add `adjacency={}`; where the release has no proof for "
        "that, give it an account of its own, in {} (`ledger.enrol`)",
        account.name(), privacy::to_string(counts), booking.command, privacy::to_string(asked),
        privacy::to_string(counts), privacy::to_string(asked));
  }
  if (booking.privacy_unit != account.enrolled.privacy_unit) {
    throw base::UsageError("the account of '{}' protects each {}, the run each {}", account.name(),
                           account.enrolled.privacy_unit, booking.privacy_unit);
  }
}

void check_alone(const Booking& booking, const Snapshot& snapshot, const Snapshot::Account& account,
                 const Bookings& bookings) {
  if (account.cap().currency != Currency::basic) return;
  for (const auto& [number, hash] : snapshot.open) {
    if (!booking.interactive && !account.interactive.contains(number)) continue;
    const auto other = bookings(number);
    if (other.data_set != account.name() || !running(other.process)) continue;
    throw base::BudgetError(
        "run {} on '{}' has not ended; an (epsilon, delta) account takes a run whose results "
        "appear while it goes on only by itself. Wait for it, or use an account in zcdp, gdp or "
        "rdp",
        number, account.name());
  }
}

privacy::Guarantee at_delta(const Amount& amount, const Snapshot::Account& account, double delta) {
  const auto& cap = account.cap();
  if (cap.currency == Currency::basic) {
    return {amount.value, amount.delta, account.enrolled.adjacency};
  }
  return {epsilon_at(amount, cap, privacy::Delta(delta)), delta, account.enrolled.adjacency};
}

[[noreturn]] void exceeded(const Booking& booking, const Snapshot::Account& account,
                           const Amount& cost) {
  const auto& cap = account.cap();
  const auto remaining = account.counted.remaining(cap);
  const auto asked = std::isinf(cost.value)
                         ? fmt::format("an infinite cost ({})", booking.unprotected_reason)
                         : spent_in_words(cost, cap);
  throw privacy::BudgetExceeded(
      fmt::format("the privacy budget of '{}' does not cover this: requested {}, remaining {}, cap "
                  "{}; nothing was booked and no data were read",
                  account.name(), asked, left_in_words(remaining, cap), in_words(cap)),
      booking.stated, at_delta(remaining, account, booking.stated.delta),
      at_delta(amount_of(cap), account, booking.stated.delta));
}

}  // namespace

Amount cost_of_booking(const Booking& booking, const Snapshot::Account& account) {
  if (!booking.unprotected_reason.empty()) return {infinity, 0};
  check_fits(booking, account);
  try {
    return cost_of(booking.event, account.enrolled.adjacency, account.cap(), booking.stated);
  } catch (const base::GuaranteeError&) {
    if (booking.override_reason.empty()) throw;
    return {infinity, 0};  // the run happens anyway, so it is booked with the most it can cost
  }
}

void check_for_ever(const Booking& booking, const Amount& cost) {
  if (booking.override_reason.empty() || booking.for_ever || !std::isinf(cost.value)) return;
  throw base::UsageError(
      "the account '{}' would be infinite from now on ({}): it can promise nothing after that, and "
      "neither a higher cap nor `ledger.resolve` undoes it; nothing was booked. If that is "
      "meant, add `for_ever`",
      booking.data_set,
      booking.unprotected_reason.empty() ? "no cost is proved for this run"
                                         : booking.unprotected_reason);
}

void check_covered(const Booking& booking, const Amount& cost, const Snapshot::Account& account) {
  auto tally = account.counted;
  tally.add(cost);
  if (!tally.within(account.cap())) exceeded(booking, account, cost);
}

void check_admitted(const Booking& booking, const Amount& cost, const Snapshot& snapshot,
                    const Bookings& bookings) {
  if (!booking.override_reason.empty()) return;
  const auto& account = snapshot.account(booking.data_set);
  check_covered(booking, cost, account);
  check_alone(booking, snapshot, account, bookings);
}

/// A filter stops when the next cost would not fit, so a run that stops early costs only what it
/// has spent. For sums of (epsilon, delta) at random times that is not proved.
Amount cost_of_outcome(const FinishedRun& finished, const Reserved& booking,
                       const Snapshot::Account& account) {
  const auto& reserved = booking.cost;
  const bool filter = account.cap().currency != Currency::basic;
  if (finished.stopping == Stopping::unknown || !filter || std::isinf(reserved.value)) {
    return reserved;
  }
  const auto cost =
      cost_of(finished.spent, account.enrolled.adjacency, account.cap(), booking.stated);
  return cost.value < reserved.value ? cost : reserved;
}

}  // namespace tacet::ledger::internal
