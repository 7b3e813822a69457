#pragma once

#include <optional>
#include <string>

#include "tacet/run/payment.h"

namespace tacet::run {

/// What a run would leave of the account that pays for it.
struct Forecast {
  std::string data_set;
  ledger::Forecast account;
};

/// What run::spend would book for `expense`, the fit of its schema included, without booking it:
/// the same errors where the account does not take it. No records are read, and the ledger is not
/// written. Nothing where no account was chosen.
[[nodiscard]] std::optional<Forecast> forecast(const Expense& expense, const Front& front);

}  // namespace tacet::run
