#pragma once

#include <string>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/ledger/books.h"

/// What the commands around a ledger have in common.
namespace tacet::apps {

/// How a cap is given on the command line.
class CapOptions {
 public:
  void declare(Options& options);
  [[nodiscard]] bool given() const { return !cap_.empty() || !epsilon_.empty() || !delta_.empty(); }
  /// In the account's currency; UsageError where it is not given, or twice.
  [[nodiscard]] ledger::Cap cap(ledger::Currency currency, double order) const;

 private:
  std::string cap_;
  std::string epsilon_;
  std::string delta_;
};

/// The ledger file, which every one of them wants.
void add_ledger(Options& options, std::string& path);

void print_account(const Console& console, const ledger::Account& account);

}  // namespace tacet::apps
