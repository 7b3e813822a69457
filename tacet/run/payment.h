#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "tacet/data/schema/schema.h"
#include "tacet/ledger/fingerprint.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/privacy/budget.h"
#include "tacet/run/account.h"
#include "tacet/run/front.h"
#include "tacet/run/records.h"

namespace tacet::run {

/// A schema that may carry the cost of its fit.
struct SchemaFile {
  const data::Schema* schema = nullptr;
  std::string file;
};

/// What a run is about to spend: all of it public, determined before a record is read.
struct Expense {
  std::string command;  ///< as the ledger keeps it
  std::string data;     ///< file with the private records; empty: they are in memory
  /// Set where the records lie in parts (optimize/parts/): nobody here sees them, so that the
  /// ledger cannot know them again.
  bool in_parts = false;
  std::string privacy_unit = "record";
  privacy::Event planned = privacy::no_event();
  privacy::Guarantee cost;
  SchemaFile schema = {};               ///< whose fit is paid with this run, unless it was
  std::string unprotected_reason = {};  ///< not empty: nothing protects the records
  /// Set where exact figures go out that the records' owner may attest to be a look of hers alone:
  /// the SHA-256 of the schema that she looks through, empty where it has no file.
  std::optional<std::string> look_schema = {};
};

/// UsageError where the result would be written over what it is made of: the records, the schema,
/// or the mark of a ledger beside them, by whatever path. Overwriting is for earlier results.
void check_output(const std::string& output, const Expense& expense);

/// What a command spends that gives out exact figures of records: without end. Records that have an
/// account are not public, whoever says so; without theirs, or without a reason that their ledger
/// keeps, run::spend refuses it. `what` goes out: "exact metrics".
[[nodiscard]] Expense unprotected_use(const std::string& command, const std::string& data,
                                      const std::string& what);

namespace internal {

/// What the account `data_set` keeps of a run that pays `expense`.
[[nodiscard]] ledger::RunDetails details_of(const Expense& expense, const Front& front,
                                            const std::string& data_set);

}  // namespace internal

/// The payment of one run: by the account of its data, by a budget, or in a book that ends with
/// the process. run::spend (spend.h) calls the steps in the order in which they stand here. Not for
/// several threads at once.
class Payment {
 public:
  /// Finds the account. BudgetError when the data have one and it was not given; UsageError when
  /// two were given to pay.
  Payment(const Expense& expense, const Front& front);

  /// Books what the schema cost when it was fitted to these records, once (booking.h): it was
  /// released with the schema, so that it stays spent whatever becomes of this run. From a budget
  /// of a kind that knows no fits again with each run.
  void book_schema();

  [[nodiscard]] privacy::Reservation reserve();

  /// The result of `reader`. When the records cannot be read, or have another account, nothing was
  /// released and the reservation is given back. A reader of records in memory takes the
  /// fingerprint that they are to be added to, one that reads a file once the observer of its bytes
  /// (data::ReadOptions); null where nobody knows records again. The file of a reader that takes
  /// neither is read once more.
  template <typename Reader>
  [[nodiscard]] auto read(privacy::Reservation& reservation, const Reader& reader) {
    try {
      auto records = records_of(reader);
      note_records(reservation);
      return records;
    } catch (...) {
      give_back(reservation);
      throw;
    }
  }

  /// Writes the end of the run into the ledger: the SHA-256 of its complete output, hexadecimal,
  /// and the PRG slack. Only then may the output appear.
  void release(const std::string& sha256, const std::string& output, double prg_slack);

 private:
  template <typename Reader>
  [[nodiscard]] auto records_of(const Reader& reader) {
    if constexpr (std::is_invocable_v<const Reader&, ledger::Fingerprint*>) {
      return reader(fingerprint_ ? &*fingerprint_ : nullptr);
    } else if constexpr (std::is_invocable_v<const Reader&, data::ByteObserver*>) {
      if (account_ && !expense_.data.empty()) {
        seen_ = std::make_unique<SeenRecords>(*account_->ledger, expense_.data, front_.cancel);
      }
      return reader(seen_ ? &seen_->observer() : nullptr);
    } else {
      return reader();
    }
  }
  void open_account();
  [[nodiscard]] privacy::Reservation attest();
  void warn_of_end(const privacy::Reservation& reservation) const;
  void warn_of_last_delta() const;
  void note_in_marks(privacy::Reservation& reservation);
  void note_records(privacy::Reservation& reservation);
  void check_records();
  void restore_mark();
  void give_back(privacy::Reservation& reservation);

  const Expense& expense_;
  const Front& front_;
  std::optional<PayingAccount> account_;
  std::unique_ptr<ledger::LedgerBudget> own_;       // the account's
  ledger::LedgerBudget* ledger_ = nullptr;          // it, or the caller's
  std::optional<ledger::Fingerprint> fingerprint_;  // of records in memory
  std::unique_ptr<SeenRecords> seen_;               // of a file that is read once
  bool tried_to_give_back_ = false;                 // and the error says what became of it
};

}  // namespace tacet::run
