#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/progress.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tacet::ledger {

enum class Access { read, write };

/// How transactions are made durable.
enum class Durability {
  journal,  ///< one file: a transaction that has returned is durable in it
  /// for many small transactions: a second file beside it (NAME-wal) until the database is closed
  wal
};

/// Advice for a ledger that cannot be read any more.
inline constexpr std::string_view backup_advice =
    "A backup lacks the bookings made since; whoever puts one back lowers the cap by what they "
    "have spent (`ledger.cap`)";

/// How messages speak about a file. Each kind of file has its own words for what was not done.
struct Wording {
  std::string noun = "ledger";
  std::string nothing = "nothing was booked";
  std::string missing = "`ledger.enrol` makes one";
  std::string shared = "two runs could spend the same budget";
  std::string names = "the budget would be spent twice";
  std::string moved =
      "a booking was written: it is in the file that had this name. Nothing is released on it";
  std::string access = "Spending needs write access to the file and to its folder";
  std::string damaged = std::string(backup_advice);
};

/// The name of a file system without reliable locks and shared memory ("nfs", "smb", ...), by the
/// magic number that statfs(2) returns; empty for any other.
[[nodiscard]] std::string network_file_system(std::uint64_t magic);

/// IoError if `path` is on a network file system.
void require_local_disk(const std::filesystem::path& path, const Wording& wording = {});

/// Bytes that are not a text.
struct Blob {
  std::string_view bytes;
};

/// One prepared statement.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Parameters are numbered from 1.
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);
  void bind(int index, Blob value);
  /// Makes the statement ready to run again, with the same parameters.
  void reset();
  /// Fetches the next row; false if there is none.
  [[nodiscard]] bool step();
  /// Runs a statement that returns no rows.
  void run();
  /// Runs it again, with these parameters in order.
  template <typename... Values>
  void run_with(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
    run();
    reset();
  }
  /// Columns are numbered from 0.
  [[nodiscard]] std::int64_t integer(int column) const;
  /// The text of a column, or the bytes of a blob.
  [[nodiscard]] std::string text(int column) const;

 private:
  friend class Database;
  Statement(class Database& database, sqlite3_stmt* statement);
  class Database* database_;
  sqlite3_stmt* statement_;
};

/// A connection to an SQLite file: a ledger, or another file, which messages describe with its
/// Wording.
///
/// Bookings are written with a rollback journal: when a transaction has returned, its changes are
/// durable in the file itself. Locks belong to the file and not to its name. A write-ahead log is
/// as durable, in two files until the last connection is closed. A transaction refuses a file that
/// has several names, or that was moved, replaced or removed while it is open. After a crash SQLite
/// would look for its journal under the wrong name, and others who open the name would not see the
/// bookings.
///
/// Every refusal of SQLite becomes an IoError (locked, read-only, full disk, ...) or, if the file
/// is not a valid database, a DataError. Each says what happened to the data that should have been
/// written. Not for use by several threads at once, and not after a fork.
class Database {
 public:
  struct Options {
    Access access = Access::write;
    int busy_milliseconds = 30000;
    const base::CancelToken* cancel = nullptr;  ///< ends the wait for locks: Interrupted
    Durability durability = Durability::journal;
    Wording wording = {};
    /// the name for messages, if the file has another name for now
    std::filesystem::path shown_as = {};
  };
  Database(std::filesystem::path path, const Options& options);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  [[nodiscard]] Statement prepare(std::string_view sql);
  /// Runs the statement with values for its parameters, in order.
  template <typename First, typename... Rest>
  [[nodiscard]] Statement prepare(std::string_view sql, const First& first, const Rest&... rest) {
    auto statement = prepare(sql);
    int index = 1;
    statement.bind(index, first);
    (statement.bind(++index, rest), ...);
    return statement;
  }
  void execute(const std::string& sql);
  /// The single value of a query.
  [[nodiscard]] std::string value(std::string_view sql);

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT; an exception rolls back. Meanwhile no other
  /// process can write. `consequence` says in an error message what a failure leaves behind, such
  /// as "nothing was booked".
  void transaction(const std::string& consequence, const std::function<void()>& body);
  /// Runs `body` on one unchanging state of the file. Runs it again if another process wrote to the
  /// file in the meantime, so `body` must allow that. `consequence` says what is true after a
  /// failure, if that is not "nothing was booked".
  void snapshot(const std::function<void()>& body, const std::string& consequence = {});

  /// Runs `body`, which only reads. Runs it again if another process wrote to a file that was
  /// opened as unchanging.
  void undisturbed(const std::function<void()>& body);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// From now on messages name this file, because the next steps write a file other than `path()`.
  void show_as(std::filesystem::path name) { shown_as_ = std::move(name); }
  /// What a failure of the current operation leaves behind.
  [[nodiscard]] const std::string& consequence() const { return consequence_; }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  struct Waiting;
  struct Place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// The time of the last write to a file, and its size.
  struct Stamp {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    std::int64_t size = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  void open(const Options& options);
  [[nodiscard]] Stamp stamp() const;
  [[nodiscard]] bool was_disturbed() const { return unwritten_ && stamp() != *unwritten_; }
  void between(const char* begin, const std::function<void()>& body);
  void check_place() const;
  [[nodiscard]] bool is_elsewhere() const;
  [[noreturn]] void refuse(std::string_view what, std::string_view advice) const;

  std::filesystem::path path_;
  std::filesystem::path shown_as_;
  Durability durability_;
  Wording wording_;
  Place place_;
  std::string consequence_;
  std::optional<Stamp> unwritten_;  ///< of a file that is read without locks
  std::unique_ptr<Waiting> waiting_;
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace tacet::ledger
