#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/apps/console.h"
#include "tacet/apps/options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/ledger/marks.h"
#include "tacet/privacy/budget.h"

namespace tacet::apps {

/// What a command is about to spend on.
struct SpendingRequest {
  std::string command;
  std::string data;  ///< file with the private records
  std::string privacy_unit = "record";
  std::string calibration = "tight";
  privacy::Adjacency adjacency;
  std::string unprotected_reason;  ///< not empty: nothing protects the records
};

/// The budget of one command: the account of its data set, or a book that ends with the process.
///
///   reserve() before the data are opened, read() around reading them, release() when the output is
///   complete and before it appears.
class Spending {
 public:
  Spending(SpendingRequest request, const Console& console);
  /// `marks` is the folder whose marks tell of the account.
  Spending(SpendingRequest request, const Console& console, std::unique_ptr<ledger::Ledger> ledger,
           ledger::RunDetails details, std::optional<std::filesystem::path> marks);

  [[nodiscard]] privacy::Reservation reserve(const privacy::Event& planned,
                                             const privacy::Guarantee& cost);

  /// Books what the schema cost when it was fitted to these records, under the unit that the fit
  /// protects, unless the account holds that already: each fit is paid for once, told by its name
  /// and its events. Before the data are read.
  void book_schema(const data::Schema& schema, const std::string& file);

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

  /// Writes the end of the run with the hash of `output` and the cipher's term into the ledger.
  void release(std::string_view output, const std::string& name, double cipher_delta);
  /// As above for an output that was written in pieces: its SHA-256, hexadecimal.
  void release_digest(const std::string& sha256, const std::string& name, double cipher_delta);

 private:
  void note_in_marks(privacy::Reservation& reservation);
  void check_records();
  void give_back(privacy::Reservation& reservation);

  SpendingRequest request_;
  const Console& console_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<privacy::Budget> budget_;
  ledger::LedgerBudget* account_ = nullptr;  // the same budget, when it is a ledger's
  std::optional<std::filesystem::path> marks_;
};

/// The account of the records in a file.
struct FoundMark {
  ledger::Mark mark;
  std::filesystem::path ledger;
  std::filesystem::path folder;  ///< in which the mark lies
};

/// The account of `data` by the marks beside it, or beside what it links to, or by its records
/// where a marked file in its folder holds the same ones. Nothing where no mark tells of any;
/// BudgetError when a mark in its folder cannot tell, because its ledger is missing.
[[nodiscard]] std::optional<FoundMark> mark_of(const std::string& data);

/// The options that every command has which spends privacy.
class SpendingOptions {
 public:
  void declare(Options& options);
  /// Opens the account. BudgetError when the data have one and it was not given.
  [[nodiscard]] std::unique_ptr<Spending> open(const SpendingRequest& request,
                                               const Console& console) const;

 private:
  [[nodiscard]] std::string chosen_data_set(const ledger::Standing& standing,
                                            const std::optional<FoundMark>& mark) const;

  std::string ledger_;
  std::string data_set_;
  std::string without_ledger_;
};

/// Keyed fingerprint of the lines of a file; nothing when it is no regular file and can be read
/// only once.
[[nodiscard]] std::optional<std::string> fingerprint_of(ledger::Ledger& ledger,
                                                        const std::string& file);

}  // namespace tacet::apps
