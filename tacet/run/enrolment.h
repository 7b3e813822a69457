#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/ledger/looks.h"
#include "tacet/ledger/marks.h"
#include "tacet/run/account.h"
#include "tacet/run/front.h"

/// What is known of records that are about to get an account: a second one would spend their budget
/// a second time.
namespace tacet::run {

/// The account that records have already.
struct EarlierAccount {
  ledger::Mark mark;             ///< that told of it
  std::filesystem::path ledger;  ///< its ledger
  bool by_name = false;          ///< the file itself is marked; else its records are known
  bool reachable = false;        ///< the ledger is there, and the one that the mark means
  /// Whether these records surely have that account; else its ledger alone could tell, and is not
  /// reachable.
  bool certain = true;
};

/// The account of `data` by the marks in its folder, in the folder of what it links to, in that of
/// the ledger that is to get it, and in the folder where the program runs: by the file itself under
/// any name or link, else by its records, which every ledger of these marks is asked for. The marks
/// of other folders are not known. Nothing where no mark tells of any.
[[nodiscard]] std::optional<EarlierAccount> earlier_account(const std::string& data,
                                                            const std::filesystem::path& ledger,
                                                            const base::CancelToken* cancel);

/// BudgetError that names the ledger of the earlier account.
[[noreturn]] void refuse_enrolment(const std::string& data, const EarlierAccount& earlier);

/// The looks at the records that were attested in the earlier ledger, for the account that they get
/// now; where its rows, or some of them, cannot be read, that this is not known. `reason` is why
/// the records get another account all the same.
[[nodiscard]] std::vector<ledger::Look> looks_of(const EarlierAccount& earlier,
                                                 const std::string& reason,
                                                 const base::CancelToken* cancel);

/// Keeps a look that the owner has attested, the last one of the account, in the other ledgers in
/// which the records have an account too. Warns of one that cannot be reached.
void spread_look(const PayingAccount& account, const Front& front);

/// Marks a data file as one of `account`. IoError where its folder takes no mark.
void mark_data(const std::string& data, const PayingAccount& account,
               const std::string& override_reason, const base::CancelToken* cancel);

/// Keeps in the earlier ledger that the records have an account in `ledger` too, now or from now
/// on, and why. False where it cannot be reached or written.
[[nodiscard]] bool note_in_earlier(const EarlierAccount& earlier, const ledger::OtherLedger& other,
                                   const base::CancelToken* cancel);

}  // namespace tacet::run
