#pragma once

#include "tacet/ledger/ledger.h"

/// Decides which runs an account accepts, and at what cost.
namespace tacet::ledger::internal {

/// The cost of a run for an account. UsageError if adjacency or unit differ, GuaranteeError if
/// there is no proved cost in the account's currency.
[[nodiscard]] Amount cost_of_booking(const Booking& booking, const Snapshot::Account& account);

/// UsageError if the cost is infinite and is booked past the cap without `for_ever`.
void check_for_ever(const Booking& booking, const Amount& cost);

/// BudgetExceeded if `cost` is more than the account has left.
void check_covered(const Booking& booking, const Amount& cost, const Snapshot::Account& account);

/// As check_covered, and BudgetError when the run must wait for another one.
void check_admitted(const Booking& booking, const Amount& cost, const Snapshot& snapshot,
                    const Bookings& bookings);

/// The cost of a run that has ended.
[[nodiscard]] Amount cost_of_outcome(const FinishedRun& finished, const Reserved& booking,
                                     const Snapshot::Account& account);

}  // namespace tacet::ledger::internal
