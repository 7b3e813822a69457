#pragma once

#include "tacet/ledger/ledger.h"

/// Which runs an account takes, and at what cost.
namespace tacet::ledger::internal {

/// What a run costs an account. UsageError when adjacency or unit differ, GuaranteeError when the
/// currency has no proved cost for it.
[[nodiscard]] Amount cost_of_booking(const Booking& booking, const Snapshot::Account& account);

/// UsageError for an infinite cost past the cap that is not said to be for ever.
void check_for_ever(const Booking& booking, const Amount& cost);

/// BudgetExceeded when `cost` does not fit into what the account has left.
void check_covered(const Booking& booking, const Amount& cost, const Snapshot::Account& account);

/// As check_covered, and BudgetError when the run must wait for another one.
void check_admitted(const Booking& booking, const Amount& cost, const Snapshot& snapshot,
                    const Bookings& bookings);

/// What a run that has ended costs.
[[nodiscard]] Amount cost_of_outcome(const FinishedRun& finished, const Reserved& booking,
                                     const Snapshot::Account& account);

}  // namespace tacet::ledger::internal
