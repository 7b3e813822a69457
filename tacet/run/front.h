#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tacet/base/progress.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/privacy/budget.h"

namespace tacet::run {

/// Which account is to pay, as the user says it; all empty: the data have none.
struct AccountChoice {
  std::string ledger;           ///< `ledger`: its file
  std::string data_set;         ///< `data_set`: the account in it
  std::string override_reason;  ///< `without_ledger`: why the cap does not count
  bool for_ever = false;        ///< `for_ever`: that an infinite cost ends the account is known
  /// `attested_look`: why the owner looks at exact figures, which nobody else sees and which decide
  /// nothing about later releases.
  std::string look_reason = {};
  /// The front end offers the three ways past the account above, so that refusals may name them.
  bool offers_ways_past = false;
};

/// What a front end brings along: the choice of the account, a way to talk to a person, and a flag
/// that ends waits and computations.
struct Front {
  AccountChoice account;
  std::function<void(std::string_view line)> warn;
  const base::CancelToken* cancel = nullptr;
  /// Pays where the records have no account; null: nobody adds prices up.
  privacy::Budget* budget = nullptr;
  /// Pays for records in memory, with details of the caller's own; null: the account chosen, if
  /// any.
  ledger::LedgerBudget* ledger = nullptr;
};

}  // namespace tacet::run
