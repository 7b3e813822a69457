#pragma once

#include <optional>

#include "tacet/ledger/books.h"

/// What all runs of an account together promise. These numbers do not include the PRG slack.
namespace tacet::ledger {

/// The PRG slack of all outputs. It adds (1 + e^epsilon) times itself to the delta at any epsilon.
[[nodiscard]] double prg_slack(const Account& account);

/// The epsilon at `delta` of everything spent. It is valid whoever chose the runs and the moment to
/// look (accounting::epsilon_at_any_time, with the caps 2^-20 c, 2^-19 c, ... for the account's
/// first cap c). Infinity if the currency promises none.
[[nodiscard]] double epsilon_at_any_time(const Account& account, const Amount& spent,
                                         privacy::Delta delta);

/// The smallest guarantee that is proved for all runs as one composition, valid if the parameters
/// of each had been fixed before the first one started. Its delta is the one asked for. Otherwise
/// it is the delta of the cap (if the account counts deltas) or the largest that a run states. If
/// that gives no finite epsilon, it is the sum of all deltas, since composition adds deltas (Dwork,
/// Roth 2014, theorem 3.16). Nothing if no finite epsilon is proved, or for more than 50 runs,
/// which would take too long.
[[nodiscard]] std::optional<privacy::Guarantee> joint_guarantee(const Account& account,
                                                                std::optional<double> delta);

}  // namespace tacet::ledger
