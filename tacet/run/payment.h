#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/privacy/budget.h"
#include "tacet/run/account.h"
#include "tacet/run/front.h"

namespace tacet::run {

/// A schema that may carry the cost of its fit.
struct SchemaFile {
  const data::Schema* schema = nullptr;
  std::string file;
};

/// What a run is about to spend: all of it public, settled before a record is read.
struct Expense {
  std::string command;  ///< as the ledger keeps it
  std::string data;     ///< file with the private records
  std::string privacy_unit = "record";
  privacy::Event planned = privacy::no_event();
  privacy::Guarantee cost;
  SchemaFile schema = {};               ///< whose fit is paid with this run, unless it was
  std::string unprotected_reason = {};  ///< not empty: nothing protects the records
};

/// The payment of one run: by the account of its data, or in a book that ends with the
/// process. run::spend (spend.h) calls the steps in the order in which they stand here.
class Payment {
 public:
  /// Finds the account. BudgetError when the data have one and it was not given.
  Payment(const Expense& expense, const Front& front);

  /// Books what the schema cost when it was fitted to these records, under the unit that the fit
  /// protects, unless the account holds that already: each fit is paid for once, told by its name
  /// and its events.
  void book_schema();

  [[nodiscard]] privacy::Reservation reserve();

  /// The result of `reader`. When the records cannot be read, or have another account, nothing was
  /// released and the reservation is given back.
  template <typename Reader>
  [[nodiscard]] auto read(privacy::Reservation& reservation, const Reader& reader) {
    try {
      auto records = reader();
      check_records();
      return records;
    } catch (...) {
      give_back(reservation);
      throw;
    }
  }

  /// Writes the end of the run into the ledger: the SHA-256 of its complete output, hexadecimal,
  /// and the cipher's term. Only then may the output appear.
  void release(const std::string& sha256, const std::string& output, double cipher_delta);

 private:
  void note_in_marks(privacy::Reservation& reservation);
  void check_records();
  void give_back(privacy::Reservation& reservation);

  const Expense& expense_;
  const Front& front_;
  std::optional<Account> account_;
  std::unique_ptr<ledger::LedgerBudget> budget_;  // the account's
};

}  // namespace tacet::run
