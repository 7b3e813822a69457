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
  journal,  ///< one file at rest; what a transaction has returned from is in it
  wal       ///< many small transactions: a second file beside it (NAME-wal) until it is closed
};

/// What to do where a ledger cannot be read any more.
inline constexpr std::string_view backup_advice =
    "A backup lacks the bookings made since; whoever puts one back lowers the cap by what they "
    "have spent (`ledger.cap`)";

/// What messages say of a file: each kind of file has words of its own for what was not done.
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

/// Name of a file system on which locks and shared memory cannot be relied on ("nfs", "smb", ...),
/// by its magic number as statfs(2) gives it; empty for any other.
[[nodiscard]] std::string network_file_system(std::uint64_t magic);

/// IoError when `path` lies on a network file system.
void require_local_disk(const std::filesystem::path& path, const Wording& wording = {});

/// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

/// One prepared statement.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Parameters count from 1.
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);
  void bind(int index, Blob value);
  /// Ready to run again, with the parameters as they are.
  void reset();
  /// True while there is a row.
  [[nodiscard]] bool step();
  /// Runs a statement that gives no rows.
  void run();
  /// Once more, with these parameters in order.
  template <typename... Values>
  void run_with(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
    run();
    reset();
  }
  /// Columns count from 0.
  [[nodiscard]] std::int64_t integer(int column) const;
  /// The text of a column, or the bytes of a blob.
  [[nodiscard]] std::string text(int column) const;

 private:
  friend class Database;
  Statement(class Database& database, sqlite3_stmt* statement);
  class Database* database_;
  sqlite3_stmt* statement_;
};

/// A connection to a file of SQLite: a ledger, or another one whose Wording messages use.
///
/// Bookings are written with a rollback journal: what a transaction has returned from is in the
/// file itself, durably, and locks belong to the file and not to its name. With a write-ahead log
/// it is as durable, in two files until the last connection is closed. A file with several
/// names, or one that was moved, replaced or removed while it is open, is refused in every
/// transaction: after a crash its journal would be looked for under the wrong name, and what is
/// booked would not be seen by those who open the name.
///
/// Every refusal of SQLite becomes an IoError (locked, read-only, full disk, ...) or, where the
/// file is not a sound database, a DataError; each says what became of what was to be written. Not
/// for use by several threads at once, and not after a fork.
class Database {
 public:
  struct Options {
    Access access = Access::write;
    int busy_milliseconds = 30000;
    const base::CancelToken* cancel = nullptr;  ///< ends the waiting for locks: Interrupted
    Durability durability = Durability::journal;
    Wording wording = {};
    std::filesystem::path shown_as = {};  ///< the name in messages, if the file has another one yet
  };
  Database(std::filesystem::path path, const Options& options);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  [[nodiscard]] Statement prepare(std::string_view sql);
  /// With values for its parameters, in order.
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

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT; anything thrown rolls back. While it runs no
  /// other process can write. `consequence` is what a failure leaves behind, for its message:
  /// "nothing was booked", say.
  void transaction(const std::string& consequence, const std::function<void()>& body);
  /// Runs `body` on one unchanging state of the file, and again where another process wrote to the
  /// file meanwhile: `body` must bear that. `consequence`: what stays true where that fails, if it
  /// is not that nothing was booked.
  void snapshot(const std::function<void()>& body, const std::string& consequence = {});

  /// Runs `body`, which reads; again where another process wrote to a file that was opened as one
  /// that nobody writes.
  void undisturbed(const std::function<void()>& body);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Messages name this file from now on, because what follows writes another one than `path()`.
  void show_as(std::filesystem::path name) { shown_as_ = std::move(name); }
  /// What the failure of what is going on leaves behind.
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
  /// When a file was written last, and its size.
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
