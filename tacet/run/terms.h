#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tacet/ledger/currency.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/run/account.h"

/// What the account that will pay allows, so that what nobody chose can be chosen to fit it.
namespace tacet::run {

struct AccountTerms {
  std::string data_set;
  std::filesystem::path ledger = {};
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  ledger::Currency currency = ledger::Currency::basic;
  double delta_left = 0;      ///< of an account that counts deltas
  bool past_the_cap = false;  ///< what is spent need not fit
};

/// The terms of the account that find_account opens; nothing if no account pays. Errors as
/// find_account.
[[nodiscard]] std::optional<AccountTerms> terms_of(const std::string& data, const Front& front,
                                                   const Use& use);

/// The delta of a run that names none: `usual` where that is at most half of what the account has
/// left, else a tenth of that, in one digit, so that it never takes all. 0 where the account has
/// nothing left of delta, or counts pure epsilons. `usual` itself where no deltas are counted;
/// nothing where neither says anything.
[[nodiscard]] std::optional<double> fitting_delta(const AccountTerms& terms,
                                                  std::optional<double> usual);

}  // namespace tacet::run
