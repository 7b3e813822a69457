#include "tacet/apps/ledger_options.h"

#include <nlohmann/json.hpp>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/ledger_report.h"
#include "tacet/base/error.h"

namespace tacet::apps {

void CapOptions::declare(Options& options) {
  options.add("--cap", cap_, "NUMBER",
              "Most that may be spent: rho (zcdp), mu (gdp), the Renyi bound (rdp) or epsilon");
  options.add("--epsilon", epsilon_, "NUMBER", "With --delta: the largest cap that promises it");
  options.add("--delta", delta_, "NUMBER", "Delta of the cap; 0 in a pure account");
}

ledger::Cap CapOptions::cap(ledger::Currency currency, double order) const {
  if (cap_.empty() == epsilon_.empty()) {
    throw base::UsageError("give one of --cap and --epsilon: the most that may be spent");
  }
  const bool basic = currency == ledger::Currency::basic;
  if (basic && delta_.empty()) {
    throw base::UsageError(
        "a basic account sums up deltas too: give --delta (0 admits pure runs only)");
  }
  const double delta = delta_.empty() ? 0 : number_option("--delta", delta_, "a number of 0 to 1");
  if (!epsilon_.empty()) {
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    return ledger::cap_for(currency, privacy::Epsilon(epsilon), privacy::Delta(delta), order);
  }
  if (!basic && !delta_.empty()) {
    throw base::UsageError("--delta goes with --epsilon, or with a basic account");
  }
  return checked(ledger::Cap{.currency = currency,
                             .value = number_option("--cap", cap_, "a number of at least 0"),
                             .delta = basic ? delta : 0,
                             .order = order});
}

void add_ledger(Options& options, std::string& path) {
  options.add("ledger", path, "FILE", "Ledger file", Form::required);
}

void print_account(const Console& console, const ledger::Account& account) {
  console.result(console.json() ? json_text(account_json(account)) : account_text(account));
}

}  // namespace tacet::apps
