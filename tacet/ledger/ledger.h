#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/books.h"
#include "tacet/ledger/fingerprint.h"
#include "tacet/ledger/snapshot.h"
#include "tacet/ledger/store/database.h"
#include "tacet/privacy/budget.h"

/// The account of what was spent on data sets. It is a file that outlives processes, is shared by
/// them, and survives their crashes.
///
/// It guards against mistakes and against runs that spend at the same time. Rows are chained by
/// SHA-256, so that a change shows. But if somebody rewrites the whole file or puts back an old
/// copy, only runs that were open at that time notice.
namespace tacet::ledger {

struct OpenOptions {
  Access access = Access::write;
  int busy_milliseconds = 30000;              ///< how long to wait for other processes
  const base::CancelToken* cancel = nullptr;  ///< ends the wait: Interrupted
};

/// A new account.
struct Enrolment {
  std::string data_set;  ///< the owner's name for it
  privacy::Adjacency adjacency;
  std::string privacy_unit = "record";
  Cap cap;
  std::vector<std::string> fingerprints{};  ///< of the records, if they are available
  std::string file{};                       ///< the file that the records came from
  /// The account that the records have in another ledger, and why they get another one here.
  std::optional<OtherLedger> elsewhere{};
  std::vector<Look> looks{};  ///< looks to copy from that ledger
};

/// A booking before data are read.
struct Booking {
  std::string data_set;
  std::string command;
  std::string calibration = "tight";
  std::string privacy_unit = "record";
  privacy::Event event;
  privacy::Guarantee stated;
  /// Results leave the process while the run goes on, and may influence other runs. In a basic
  /// account no other run may be open at the same time: nothing is proved here for interleaved
  /// groups of (epsilon, delta). A run whose only result appears at its end is not interactive.
  bool interactive = false;
  std::string override_reason{};  ///< not empty: booked even above the cap, for this reason
  /// not empty: the run has no guarantee, and its cost is infinite
  std::string unprotected_reason{};
  /// The caller knows that an infinite cost ends the account: afterwards no run fits, and nothing
  /// undoes it. Without this flag an infinite cost is not booked.
  bool for_ever = false;
};

/// What would be left of an account before and after planned runs, in the words of its currency.
struct Forecast {
  std::string left;
  std::string left_after;
};

/// What to book if a run debited less than it had reserved.
enum class Stopping {
  unknown,  ///< everything that was reserved
  /// what was debited, if the account's currency is a filter that allows it; only if the
  /// decision to stop used nothing but released values
  by_released_values
};

struct FinishedRun {
  std::int64_t run;
  privacy::Event spent;
  Stopping stopping = Stopping::unknown;
  double prg_slack = 0;  ///< the PRG slack, which adds to delta; 0: not stated
};

struct OutputRecord {
  std::string sha256;
  std::string name;
  /// What happens to the output if the end of its run cannot be written. Empty: it does not appear,
  /// and the message says how to give the booking back.
  std::string fate{};
};

/// How records compare with earlier ones under the same name.
enum class RecordMatch {
  given,   ///< seen before; the account was opened with them
  known,   ///< seen before
  first,   ///< the first records under this name
  changed  ///< different from the earlier ones
};

/// The end of a ledger's chain. If you keep it elsewhere, it shows later whether any row up to it
/// was changed.
struct LedgerPosition {
  std::int64_t rows = 0;
  std::string head;  ///< hash of the last row

  friend bool operator==(const LedgerPosition&, const LedgerPosition&) = default;
};

/// Several threads may use one object; their calls wait for each other. Several processes may use
/// one file.
class Ledger {
 public:
  /// Makes a new file, readable by its owner only. IoError when it exists.
  static void create(const std::filesystem::path& path);
  /// Makes a ledger unless a file of that name exists. If several processes try at once, one of
  /// them makes it.
  static void ensure(const std::filesystem::path& path);
  /// IoError if the file is missing, locked, unreadable, on a network file system, has several
  /// names (hard links), or was moved while it was open. DataError if it is not a valid ledger, has
  /// another version or was changed.
  explicit Ledger(std::filesystem::path path, const OpenOptions& options = {});

  /// All rows, after their chain of hashes was checked.
  [[nodiscard]] Books books();
  /// The current state. The time does not grow with the number of rows: it reads the last stored
  /// snapshot and the few rows since.
  [[nodiscard]] Snapshot snapshot();
  /// Checks all rows, that the stored snapshot follows from them, that the file contains no foreign
  /// objects, and SQLite's own structures.
  LedgerPosition verify();
  /// The current end of the chain.
  [[nodiscard]] LedgerPosition position();
  /// Whether this ledger is the one in which somebody saw `seen`, or a later state of it. False for
  /// a copy that was made before that, or that has since gone its own way.
  [[nodiscard]] bool continues(const LedgerPosition& seen);
  /// A new fingerprint under this ledger's key.
  [[nodiscard]] Fingerprint fingerprint();

  /// UsageError if the name is taken, BudgetError if the same records have an account already.
  void enrol(const Enrolment& enrolment);
  /// Adds another name for the account of `data_set`; both names share its budget. UsageError if
  /// the name is taken or if there is no such account.
  void add_alias(std::string_view alias, std::string_view data_set);
  /// Notes in an account that its records have another account elsewhere, as a person states, and
  /// the looks attested there.
  void note_elsewhere(const OtherLedger& other, std::span<const Look> looks = {});
  /// Copies looks at the records of an account from another ledger, with their times and users;
  /// each look only once.
  void take_over(std::string_view data_set, std::span<const Look> looks);
  /// Notes an owner's attestation before the figures are shown. UsageError for a text that
  /// check_words() refuses.
  void attest_look(const Looked& look);
  /// Lowers the cap, or raises it for a reason, which stays in the ledger (BudgetError without
  /// one). The currency must stay the same.
  void set_cap(std::string_view data_set, const Cap& cap, std::string_view reason);

  /// Books a run; returns its number. BudgetExceeded if it does not fit, GuaranteeError if there is
  /// no proved cost in the account's currency, UsageError if adjacency or unit differ, and for an
  /// infinite cost without `for_ever`.
  [[nodiscard]] std::int64_t reserve(const Booking& booking);
  /// What would be left of an account if these runs, all on one data set, were booked one after the
  /// other. Nothing is booked. Errors as `reserve`, except that open runs do not delay these.
  [[nodiscard]] Forecast forecast(std::span<const Booking> planned);
  /// Ends runs that this object has booked. The output may appear only after it returns. IoError if
  /// the ledger was overwritten in the meantime, so that the row of a run is no longer its booking.
  void commit(const std::vector<FinishedRun>& runs, const OutputRecord& output);
  /// From now on a run counts as booked by this object. Its process must have ended, or be this
  /// process; in that case the caller must know that nobody else continues it. BudgetError if
  /// another process may continue it, or if the run has ended.
  void adopt(std::int64_t run);
  /// Call it before the first released value leaves the process of a run that this object has
  /// booked and that goes on. From then on the run cannot be given back.
  void disclose(std::int64_t run);
  /// Gives back runs that this object has booked and not used; IoError as in `commit`.
  void cancel(std::int64_t run);
  /// Gives back the booking of a run that ended without releasing anything, as a person attests.
  /// BudgetError while its process runs, after the run has ended in another way, and after
  /// disclose().
  void resolve(std::int64_t run, std::string_view attestation);
  /// Notes the records that a run has read, with all of their fingerprints; one of these is enough
  /// to recognise them later. BudgetError if they belong to another account.
  [[nodiscard]] RecordMatch see_records(std::string_view data_set,
                                        std::span<const std::string> fingerprints,
                                        const std::string& file);

  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

 private:
  class WriterQueue;
  template <typename Look>
  auto look(const Look& body);
  template <typename Change>
  void change(const std::string& on_failure, const Change& body);
  /// Says what is true if the end of these runs cannot be written.
  [[nodiscard]] std::string stays_spent(const std::vector<FinishedRun>& runs,
                                        const std::string& fate = {}) const;

  std::mutex mutex_;
  Database database_;
  std::map<std::int64_t, std::string> booked_;  // own open runs, each with the hash of its row
};

}  // namespace tacet::ledger
