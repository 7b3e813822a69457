#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tacet/privacy/budget.h"
#include "tacet/privacy/event.h"

namespace tacet::ledger {
class Ledger;
class LedgerBudget;
}  // namespace tacet::ledger

/// A budget that outlives the process: accounts of data sets in one file, which several processes
/// share (docs/explanations/ledger.md).
///
/// Example:
///
///     api::Ledger::create("budget.ledger");
///     api::Ledger book("budget.ledger");
///     book.enrol({.data_set = "visits", .adjacency = privacy::Adjacency::add_remove,
///                 .currency = "pure", .cap = 1});
///     api::LedgerBudget budget(book, {.data_set = "visits", .command = "my program"});
namespace tacet::api {

/// The description of a new account.
struct Account {
  std::string data_set;  ///< the owner's name for it
  privacy::StatedAdjacency adjacency;
  std::string currency = "basic";  ///< or "zcdp", "gdp", "rdp", "pure"
  double cap = 0;    ///< epsilon for basic and pure, rho, mu, or the Renyi bound at `order`
  double delta = 0;  ///< basic only; 0 admits only runs with delta 0
  double order = 0;  ///< rdp only; above 1
  std::string privacy_unit = "record";
};

/// Several threads may use one ledger. It must outlive its budgets.
class Ledger {
 public:
  /// Makes a new file, readable by its owner only. IoError when it exists.
  static void create(const std::string& path);
  /// IoError if the file is missing, locked, or on a network file system; DataError if it is not a
  /// valid ledger.
  explicit Ledger(const std::string& path);

  /// UsageError if the name is taken.
  void enrol(const Account& account);
  /// The sum of what was booked, in words: "epsilon 1, delta 1e-06". UsageError if there is no such
  /// account.
  [[nodiscard]] std::string spent(const std::string& data_set);

 private:
  friend class LedgerBudget;
  std::shared_ptr<ledger::Ledger> held_;
};

/// What the ledger stores about a run besides its event.
struct Run {
  std::string data_set;
  std::string command;
  std::string privacy_unit = "record";
  std::string override_reason = {};  ///< not empty: booked even above the cap, for this reason
  /// not empty: the run has no guarantee, and its cost is infinite
  std::string unprotected_reason = {};
  bool for_ever = false;  ///< confirms that an infinite cost ends the account for ever
};

/// The budget of one run. reserve() writes the booking to the disk before data are read, and the
/// output may appear once release() has returned. If the process ends in between, the reservation
/// stays spent in full. Not for several threads at once.
class LedgerBudget : public privacy::Budget {
 public:
  LedgerBudget(Ledger& book, const Run& run);
  ~LedgerBudget() override;

  [[nodiscard]] privacy::Reservation reserve(const privacy::Event& planned,
                                             const privacy::Guarantee& cost) override;
  /// Writes the end of the run, with the hash of its output. The output's receipt states the PRG
  /// slack. train() calls it by itself. InternalError if no reservation was committed.
  void release(std::string_view output, const std::string& name, double prg_slack);

 private:
  friend struct Inside;
  std::unique_ptr<ledger::LedgerBudget> held_;
};

}  // namespace tacet::api
