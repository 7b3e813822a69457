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

/// The account of what has been spent on data sets: a file that outlives processes, is shared by
/// them, and survives their crashes.
///
/// It guards against mistakes and against runs that spend at the same time. Rows are chained by
/// SHA-256, so that a change shows; somebody who rewrites the whole file, or puts back an old copy,
/// is caught only by the runs that were open.
namespace tacet::ledger {

struct OpenOptions {
  Access access = Access::write;
  int busy_milliseconds = 30000;              ///< how long to wait for other processes
  const base::CancelToken* cancel = nullptr;  ///< ends that wait: Interrupted
};

/// A new account.
struct Enrolment {
  std::string data_set;  ///< the owner's name for it
  privacy::Adjacency adjacency;
  std::string privacy_unit = "record";
  Cap cap;
  std::vector<std::string> fingerprints{};  ///< of the records, when they are at hand
  std::string file{};                       ///< where they were
  /// The account that they have in another ledger, and why they get this one all the same.
  std::optional<OtherLedger> elsewhere{};
  std::vector<Look> looks{};  ///< taken over from there
};

/// What is to be booked before data are read.
struct Booking {
  std::string data_set;
  std::string command;
  std::string calibration = "tight";
  std::string privacy_unit = "record";
  privacy::Event event;
  privacy::Guarantee stated;
  /// Results leave while the run goes on and may steer other runs. In a basic account such a run
  /// has the data set to itself: interleaved (epsilon, delta) groups would need a theorem of their
  /// own. A run whose only result appears at its end is not interactive.
  bool interactive = false;
  std::string override_reason{};     ///< not empty: booked whatever the cap says, in these words
  std::string unprotected_reason{};  ///< not empty: no guarantee, an infinite cost
  /// The caller knows that an infinite cost ends the account: nothing fits after it, and nothing
  /// undoes it. Without this, an infinite cost is not booked.
  bool for_ever = false;
};

/// What an account has left before and after runs that are only planned, each in the words of
/// its currency.
struct Forecast {
  std::string left;
  std::string left_after;
};

/// What to book for a run that debited less than it had reserved.
enum class Stopping {
  unknown,            ///< all that was reserved
  by_released_values  ///< what was debited, where the currency's filter allows it; only when the
                      ///< decision to stop used nothing but released values
};

struct FinishedRun {
  std::int64_t run;
  privacy::Event spent;
  Stopping stopping = Stopping::unknown;
  double prg_slack = 0;  ///< the PRG slack, to be added to delta; 0: not stated
};

struct OutputRecord {
  std::string sha256;
  std::string name;
  /// What becomes of it where the end of its run cannot be written. Empty: it does not appear, and
  /// the message says how to give the booking back.
  std::string fate{};
};

/// How records compare with those seen under a name.
enum class RecordMatch {
  given,   ///< seen before, and the account was opened with its records
  known,   ///< seen before
  first,   ///< the first records under this name
  changed  ///< others than those seen before
};

/// How far a sound ledger goes. Whoever keeps it elsewhere can tell later that no row up to it
/// changed.
struct LedgerPosition {
  std::int64_t rows = 0;
  std::string head;  ///< hash of the last row

  friend bool operator==(const LedgerPosition&, const LedgerPosition&) = default;
};

/// Several threads may use one object, whose calls take turns; several processes one file.
class Ledger {
 public:
  /// Makes a new file, readable by its owner only. IoError when it exists.
  static void create(const std::filesystem::path& path);
  /// Makes one unless there is a file of that name; of several at once one makes it.
  static void ensure(const std::filesystem::path& path);
  /// IoError when the file is missing, locked, unreadable, on a network file system, has several
  /// names (hard links) or was moved while it was open; DataError
  /// when it is no sound ledger, has another version or was changed.
  explicit Ledger(std::filesystem::path path, const OpenOptions& options = {});

  /// All rows, after a check of the chain.
  [[nodiscard]] Books books();
  /// What they come to. Takes a time that does not grow with their number: it reads what was
  /// written down last, and the few rows since.
  [[nodiscard]] Snapshot snapshot();
  /// All rows; also that what was written down follows from them, that nothing foreign lies in the
  /// file, and SQLite's own structures.
  LedgerPosition verify();
  /// How far the chain goes now.
  [[nodiscard]] LedgerPosition position();
  /// Whether this ledger is the one in which somebody saw `seen`, or a later state of it: a copy
  /// that was made before, or went its own way before, is not.
  [[nodiscard]] bool continues(const LedgerPosition& seen);
  /// A fingerprint under this ledger's key.
  [[nodiscard]] Fingerprint fingerprint();

  /// UsageError when the name is taken, BudgetError when the same records have an account already.
  void enrol(const Enrolment& enrolment);
  /// A further name for the account of `data_set`, whose budget both then share. UsageError when
  /// the name is taken or there is no such account.
  void add_alias(std::string_view alias, std::string_view data_set);
  /// Keeps in an account that its records have another one elsewhere, on a person's word, and the
  /// looks that were attested there.
  void note_elsewhere(const OtherLedger& other, std::span<const Look> looks = {});
  /// Takes over looks at the records of an account from another ledger, with their times and users;
  /// each once.
  void take_over(std::string_view data_set, std::span<const Look> looks);
  /// Keeps an owner's word, before the figures are shown that it is about. UsageError for words
  /// that say nothing.
  void attest_look(const Looked& look);
  /// Lowers the cap; raises it only with a reason, which stays in the ledger: BudgetError without.
  /// The currency stays what it was.
  void set_cap(std::string_view data_set, const Cap& cap, std::string_view reason);

  /// Books a run; returns its number. BudgetExceeded when it does not fit, GuaranteeError when the
  /// account's currency has no proved cost for it, UsageError when adjacency or unit differ, and
  /// for an infinite cost without `for_ever`.
  [[nodiscard]] std::int64_t reserve(const Booking& booking);
  /// What these runs, all on one data set, would leave of its account if they were booked in turn.
  /// Nothing is booked. Errors as those of `reserve`, except that runs which are still open hold
  /// up nobody.
  [[nodiscard]] Forecast forecast(std::span<const Booking> planned);
  /// Ends runs that this object has booked; only after it returns may the output appear. IoError
  /// when the ledger was overwritten meanwhile, so that the row of a run is no longer its booking.
  void commit(const std::vector<FinishedRun>& runs, const OutputRecord& output);
  /// From now on a run counts as one that this object has booked: one of a process that has ended,
  /// or of this process, where the caller knows that nobody else goes on with it. BudgetError while
  /// another process may, or when the run has ended.
  void adopt(std::int64_t run);
  /// Before the first thing that was released leaves the process of a run that this object has
  /// booked and that goes on: from now on the run cannot be given back.
  void disclose(std::int64_t run);
  /// Gives back what this object has booked and not used; IoError as in `commit`.
  void cancel(std::int64_t run);
  /// Gives back what a run had booked that ended without releasing anything, on a person's word.
  /// BudgetError while its process runs, after it has ended otherwise, and after disclose().
  void resolve(std::int64_t run, std::string_view attestation);
  /// Notes the records that a run has read, by all of their fingerprints; known by one of them they
  /// are known. BudgetError when they belong to another account.
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
  /// What is so when the end of these runs cannot be written.
  [[nodiscard]] std::string stays_spent(const std::vector<FinishedRun>& runs,
                                        const std::string& fate = {}) const;

  std::mutex mutex_;
  Database database_;
  std::map<std::int64_t, std::string> booked_;  // own open runs, each with the hash of its row
};

}  // namespace tacet::ledger
