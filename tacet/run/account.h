#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tacet/base/progress.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/marks.h"
#include "tacet/run/front.h"

namespace tacet::run {

/// The account of the records in a file, as the marks beside it tell.
struct FoundMark {
  ledger::Mark mark;
  std::filesystem::path ledger;
  std::filesystem::path folder;  ///< in which the mark lies
};

/// The account of `data` by the marks beside it, or beside what it links to, or by its records
/// where a marked file in its folder holds the same ones. Nothing where no mark tells of any;
/// BudgetError when a mark in its folder cannot tell, because its ledger is missing.
[[nodiscard]] std::optional<FoundMark> mark_of(const std::string& data,
                                               const base::CancelToken* cancel);

/// The account that pays for a run.
struct PayingAccount {
  std::unique_ptr<ledger::Ledger> ledger;
  std::string data_set;                        ///< its name there
  std::optional<std::filesystem::path> marks;  ///< the folder whose marks tell of it
};

/// What a run does with the records, as far as the choice of an account depends on it.
struct Use {
  std::string unprotected_reason = {};            ///< not empty: nothing protects them
  bool may_be_attested = false;                   ///< exact figures for their owner's eyes
  ledger::Access access = ledger::Access::write;  ///< read: nothing is going to be booked
};

/// Opens the account that was chosen; nothing where the data have none and none was given. Records
/// in memory, an empty `data`, have no marks.
/// BudgetError when the data have one and another one was given, or none; UsageError for options
/// that do not go together, as past the cap for a use that protects nobody without `for_ever`.
[[nodiscard]] std::optional<PayingAccount> find_account(const std::string& data, const Front& front,
                                                        const Use& use);

}  // namespace tacet::run
