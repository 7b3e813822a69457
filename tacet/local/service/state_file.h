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
#include "tacet/local/service/state_rows.h"
#include "tacet/local/service/token.h"

namespace tacet::local {

/// What messages say of a state file.
[[nodiscard]] const ledger::Wording& state_wording();

/// Everything a server knows, in one file of SQLite: the task, tokens with their slots, the reports
/// that were counted in their order, rounds and the learner. Several processes may read it; one
/// serves (claim). Not for several threads at once, but for mac_of.
class StateFile {
 public:
  /// Makes it with the first round; false where there is a file of that name. Shards of a task have
  /// one key, so that a token has one HMAC in all of them; empty: a key of its own.
  [[nodiscard]] static bool make(const std::filesystem::path& path, const Task& task,
                                 Shard shard = {}, const std::string& key = {});
  /// IoError and DataError as ledger::Database, DataError where it is no sound state of a task, or
  /// of a newer version. To read, nothing is written, not even a file beside it.
  StateFile(const std::filesystem::path& path, ledger::Access access);

  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }
  [[nodiscard]] TokenMac mac_of(std::string_view token) const { return key_->mac(token); }
  /// UsageError where the state is of another task.
  void expect(const Task& task) const;
  [[nodiscard]] Shard shard();
  /// What tokens' HMACs are made with: a secret.
  [[nodiscard]] std::string key() { return meta("key"); }

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

  /// Adds tokens of the state's range, inside a transaction of its own, and returns them: the only
  /// time. `expires` is in milliseconds since 1970; 0: never.
  [[nodiscard]] std::vector<std::string> enrol(std::int64_t count, std::int64_t expires = 0);
  /// Nothing more is taken under these tokens, in a transaction of its own; what counted stays.
  /// DataError, and none is revoked, where one of them is not enrolled.
  void revoke(const std::vector<std::string>& tokens);
  /// No slot and no report is taken any more. `why` is a word, "closed"; the first one stays.
  void close(const std::string& why);
  /// Why it was closed; empty: it is open.
  [[nodiscard]] std::string closed();

  // What a server writes, inside a transaction.
  /// Without `counted` and `revoked`, which have tables of their own.
  void put_token(const StoredToken& token);
  void put_revoked(const TokenMac& mac);
  void put_slot(const StoredSlot& slot);
  void drop_slot(std::int64_t place);
  void put_frame(const StoredFrame& frame, std::uint64_t report_id);
  /// The points of rounds before `kept_from` are left out from now on.
  void put_round(const StoredRound& round, const std::string& learner, std::int64_t kept_from);

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
  /// DataError unless SQLite finds its own structures sound, and each row fits its seal.
  void check_structure();
  /// Copies what is stored now to a new file, readable by its owner only, also while a server
  /// writes. IoError where there is a file of that name.
  void back_up(const std::filesystem::path& copy);

 private:
  /// SQLite keeps a type beside each value. A flipped bit there can leave its bytes, and thus its
  /// seal; but then the row is not found by its key any more.
  void check_types();
  void check_rows();
  [[nodiscard]] bool fits_its_key();
  void expect_seal(bool fits, std::string_view table, std::int64_t number) const;
  [[nodiscard]] std::string meta(const std::string& key);
  void set_meta(const std::string& key, const std::string& value);
  [[nodiscard]] ledger::Statement& kept(std::optional<ledger::Statement>& statement,
                                        std::string_view sql);

  ledger::Database database_;
  std::int64_t points_from_ = 0;  // the first round whose point is stored
  std::optional<HeldFile> serving_;
  // Written for each report: compiled once.
  std::optional<ledger::Statement> write_slot_;
  std::optional<ledger::Statement> write_frame_;
  Task task_;
  std::optional<TokenKey> key_;
  std::optional<ThreadTokenKey> seals_;
};

}  // namespace tacet::local
