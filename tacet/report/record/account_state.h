#pragma once

#include <string>
#include <vector>

#include "tacet/ledger/books.h"

/// What an account says to a person.
namespace tacet::report {

/// The amount that counts in the account's currency: mu of an account in gdp.
[[nodiscard]] double amount_in_currency(const ledger::Amount& amount, const ledger::Cap& cap);

/// "rho 0.5", "epsilon 1, delta 1e-5", rounded up for what is spent and down for what is left.
[[nodiscard]] std::string spent_words(const ledger::Amount& amount, const ledger::Cap& cap);
[[nodiscard]] std::string left_words(const ledger::Amount& amount, const ledger::Cap& cap);

/// The delta at which an account in a currency without deltas is put into epsilon: the largest that
/// one of its runs states, 1e-5 without any.
[[nodiscard]] double delta_of(const ledger::Account& account);

/// Whether a run at epsilon 1 fits, and what is left.
[[nodiscard]] std::string next_run_answer(const ledger::Account& account);

/// What all runs of the account promise at most, whatever they are.
[[nodiscard]] std::string account_promise(const ledger::Account& account);

}  // namespace tacet::report
