#pragma once

#include <optional>

#include "tacet/ledger/books.h"

/// What the runs of an account promise together. None of these numbers includes the PRG slack.
namespace tacet::ledger {

/// The PRG slack of all outputs: (1 + e^epsilon) times it adds to the delta of any epsilon.
[[nodiscard]] double prg_slack(const Account& account);

/// The epsilon at `delta` of what is spent, valid whoever chose the runs and the moment to look,
/// and why (accounting::epsilon_at_any_time, with the caps 2^-20 c, 2^-19 c, ... for the account's
/// first cap c). Infinity where the currency promises none.
[[nodiscard]] double epsilon_at_any_time(const Account& account, const Amount& spent,
                                         privacy::Delta delta);

/// The smallest guarantee that is proved for all runs as one composition, valid if the parameters
/// of each had been fixed before the first one started. At the delta asked for; else at that of the
/// cap, where the account counts deltas, or the largest that a run states; else at the sum of all,
/// since composition adds deltas up (Dwork, Roth 2014, theorem 3.16). None where nothing finite is
/// proved, and beyond 50 runs, where computing it takes too long.
[[nodiscard]] std::optional<privacy::Guarantee> joint_guarantee(const Account& account,
                                                                std::optional<double> delta);

}  // namespace tacet::ledger
