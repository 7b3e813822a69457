#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/ledger/books.h"
#include "tacet/report/record/content.h"
#include "tacet/report/record/planned.h"

/// What is shown of result files and of an account. No file of records is opened, here or below:
/// all of it is public, or the owner's account.
namespace tacet::report {

/// A result file of the program: its name, and what stands in it.
struct ResultText {
  std::string name;
  std::string text;
};

struct LedgerAccount {
  std::string file;
  ledger::Account account;
  std::int64_t rows = 0;  ///< of the ledger, whose last one has the hash `head`
  std::string head{};
  std::vector<std::string> other_accounts{};  ///< what other data sets of the ledger are called
};

/// A command, as the front end spells it, and what it shows.
struct CheckCommand {
  std::string purpose;
  std::string text;
};

struct ReportRequest {
  std::vector<ResultText> results{};
  std::optional<LedgerAccount> account{};
  std::vector<CheckCommand> commands{};
  std::vector<std::string> only{};        ///< ids of sections; empty: all
  std::optional<PlannedSpending> plan{};  ///< instead of results and an account
};

/// The account of that name in a ledger or, without a name, its only one. Errors as ledger::Ledger;
/// UsageError where the name is missing.
[[nodiscard]] LedgerAccount account_in(const std::string& file, const std::string& data_set,
                                       const base::CancelToken* cancel);

/// Every section's id, in the order of the page.
[[nodiscard]] const std::vector<std::string>& section_ids();

/// Guarantees are computed again as `verify` does. A result whose guarantee does not follow is
/// shown with that verdict instead, and Report::refuted says so. DataError for what is no result;
/// UsageError for results of different adjacencies or units, results that are not of the account,
/// a plan beside either, and sections that do not exist. Same request, same report.
[[nodiscard]] Report gather(const ReportRequest& request, base::WorkMeter& work);

}  // namespace tacet::report
