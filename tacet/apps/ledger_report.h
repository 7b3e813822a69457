#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/ledger/books.h"

namespace tacet::apps {

/// What an account holds: its cap, what is spent and left, what that promises, each run, and what
/// the account does not cover.
[[nodiscard]] std::string account_text(const ledger::Account& account);
[[nodiscard]] nlohmann::ordered_json account_json(const ledger::Account& account);

}  // namespace tacet::apps
