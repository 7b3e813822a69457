#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tacet/ledger/store/database.h"
#include "tacet/local/protocol/task.h"
#include "tacet/local/service/held_file.h"
#include "tacet/local/service/token.h"

namespace tacet::local {

/// What messages say of a state file.
[[nodiscard]] const ledger::Wording& state_wording();

/// A round as it stands in the file.
struct StoredRound {
  std::int64_t round = 0;
  std::int64_t frames = 0;  ///< counted before it began
  std::string learner;      ///< SHA-256 of the learner's state at its beginning
  std::string model;        ///< SHA-256 of the point that its devices compute at
  std::string point;        ///< its bytes; empty for rounds that nobody reports to any more
};

/// A report that was counted.
struct StoredFrame {
  std::int64_t sequence = 0;  ///< 1 for the first
  TokenMac mac{};
  std::string bytes;
};

/// Reports that stay on record and teach nothing: those after `before`, up to `last`.
struct DroppedFrames {
  std::int64_t before = 0;
  std::int64_t last = 0;
};
[[nodiscard]] bool is_dropped(const std::vector<DroppedFrames>& dropped, std::int64_t sequence);
/// How many they are together; some may have been dropped more than once.
[[nodiscard]] std::int64_t count_dropped(std::vector<DroppedFrames> dropped);

/// An enrolled token, or a certificate's key that came. Times are in milliseconds since 1970.
struct StoredToken {
  TokenMac mac{};
  std::int64_t missed = 0;        ///< slots that ended without a report
  std::int64_t barred_until = 0;  ///< no slot before
  bool counted = false;           ///< a report came
};

/// A place in a round that was kept for a token, and has not ended without a report.
struct StoredSlot {
  std::int64_t place = 0;  ///< below the batch: the next one here takes its row
  TokenMac mac{};
  std::int64_t round = 0;
  std::int64_t end = 0;  ///< milliseconds since 1970
};

/// Everything a server knows, in one file of SQLite: the task, tokens with their slots, the reports
/// that were counted in their order, rounds and the learner. Several processes may read it; one
/// serves (claim). Not for several threads at once.
class StateFile {
 public:
  /// Makes it with the first round; false where there is a file of that name.
  [[nodiscard]] static bool make(const std::filesystem::path& path, const Task& task);
  /// IoError and DataError as ledger::Database, DataError where it is no sound state of a task, or
  /// of a newer version.
  StateFile(const std::filesystem::path& path, ledger::Access access);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }
  [[nodiscard]] TokenMac mac_of(std::string_view token) const { return key_->mac(token); }
  /// UsageError where the state is of another task.
  void expect(const Task& task) const;

  /// Notes that this process serves, until `release` or the end of the object; IoError where
  /// another one does, with its number. A lock on FILE.serving holds also where processes do not
  /// see each other, and goes with the process.
  void claim();
  /// Writes down who serves, for those who are refused; the first change that a claim makes.
  void note_holder();
  /// The opposite of both.
  void release();

  /// Runs `body` as one durable transaction, or not at all.
  void transaction(const std::function<void()>& body);
  /// Runs `body` on one unchanging state of the file, whatever a server writes meanwhile.
  void snapshot(const std::function<void()>& body) { database_.snapshot(body); }

  /// Adds tokens, inside a transaction of its own, and returns them: the only time.
  [[nodiscard]] std::vector<std::string> enrol(std::int64_t count);
  /// No slot and no report is taken any more. `why` is a word, "closed"; the first one stays.
  void close(const std::string& why);
  /// Why it was closed; empty: it is open.
  [[nodiscard]] std::string closed();

  // What a server writes, inside a transaction.
  void put_token(const StoredToken& token);
  void put_slot(const StoredSlot& slot);
  void drop_slot(std::int64_t place);
  void put_frame(const StoredFrame& frame, std::uint64_t report_id);
  void put_round(const StoredRound& round, const std::string& learner);

  /// Goes back to the beginning of `round`, whose learner this is: later rounds are no more, their
  /// reports stay and are noted as dropped, slots end, and a task that was closed is open. `points`
  /// are those of the last rounds, which devices may still report to. Inside a transaction.
  void drop_rounds(const StoredRound& round, const std::string& learner,
                   const std::vector<StoredRound>& points);

  // What is there.
  /// The key of the order of groups (GroupOrder), which no device has.
  [[nodiscard]] std::string group_key() const;
  [[nodiscard]] std::vector<DroppedFrames> dropped();
  [[nodiscard]] std::string learner();
  [[nodiscard]] StoredRound last_round();
  void each_round(std::int64_t from, const std::function<void(const StoredRound&)>& see);
  void each_frame(std::int64_t from, const std::function<void(const StoredFrame&)>& see);
  void each_token(const std::function<void(const StoredToken&)>& see);
  /// In the order in which they end, also those that were used.
  void each_slot(const std::function<void(const StoredSlot&)>& see);
  [[nodiscard]] std::optional<StoredFrame> frame_of(const TokenMac& mac);
  [[nodiscard]] std::int64_t count(const std::string& table);
  /// DataError unless SQLite finds its own structures sound.
  void check_structure();

 private:
  [[nodiscard]] std::string meta(const std::string& key);
  void set_meta(const std::string& key, const std::string& value);
  [[nodiscard]] ledger::Statement& kept(std::optional<ledger::Statement>& statement,
                                        std::string_view sql);

  ledger::Database database_;
  std::optional<HeldFile> serving_;
  // Written for each report: compiled once.
  std::optional<ledger::Statement> write_slot_;
  std::optional<ledger::Statement> write_frame_;
  Task task_;
  std::optional<TokenKey> key_;
};

}  // namespace tacet::local
