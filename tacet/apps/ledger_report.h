#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tacet/ledger/books.h"

namespace tacet::apps {

/// What an account holds: its cap, what is spent and left, what that promises, each run, and what
/// the account does not cover.
/// `delta` is where all runs are summed up; a delta that the account means where none is given.
[[nodiscard]] std::string account_text(const ledger::Account& account,
                                       std::optional<double> delta = {});
[[nodiscard]] nlohmann::ordered_json account_json(const ledger::Account& account,
                                                  std::optional<double> delta = {});

/// A cap, and what is left of it.
struct Balance {
  ledger::Cap cap;
  ledger::Amount left;
};
/// In six digits, rounded down.
[[nodiscard]] std::string left_text(const Balance& balance);

}  // namespace tacet::apps
