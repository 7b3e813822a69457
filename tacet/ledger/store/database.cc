#include "tacet/ledger/store/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;

struct NetworkFileSystem {
  std::uint64_t magic;
  std::string_view name;
};

// statfs(2); FUSE (0x65735546) is left out: it also serves local disks.
constexpr std::array<NetworkFileSystem, 12> network_file_systems{{
    {0x6969, "nfs"},
    {0x517B, "smb"},
    {0xFF534D42, "cifs"},
    {0xFE534D42, "smb2"},
    {0x5346414F, "afs"},
    {0x6B414653, "afs"},
    {0x73757245, "coda"},
    {0x01021997, "9p"},
    {0x00C36400, "ceph"},
    {0x0BD00BD0, "lustre"},
    {0x47504653, "gpfs"},
    {0x19830326, "beegfs"},
}};

constexpr std::string_view full_disk = "could not be written: the disk is full";
constexpr std::string_view make_room = "Make room and try again";

/// A path as an SQLite URI, in which ? # and % have a special meaning.
std::string as_uri(const fs::path& path) {
  const auto name = fs::absolute(path).string();
  // Two leading slashes would introduce the name of a host.
  std::string uri = "file:/";
  for (const char c : name.substr(std::min(name.find_first_not_of('/'), name.size()))) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri;
}

constexpr std::string_view without_locks = "?immutable=1";

/// The options with which SQLite opens a file without making other files beside it. Without a
/// write-ahead log nothing is shared with a writer. With a log its index exists, even if the writer
/// died. A log that consists of its header has no page, and SQLite would wait for the process that
/// wrote it.
std::string looking_at(const fs::path& path) {
  constexpr std::uintmax_t header = 32;  // bytes; https://www.sqlite.org/fileformat2.html#walformat
  std::error_code error;
  const auto log = fs::file_size(path.string() + "-wal", error);
  if (error || log <= header) return std::string(without_locks);
  return fs::exists(path.string() + "-shm", error) ? "?readonly_shm=1" : "";
}

}  // namespace

std::string network_file_system(std::uint64_t magic) {
  for (const auto& known : network_file_systems) {
    if (known.magic == magic) return std::string(known.name);
  }
  return {};
}

void require_local_disk(const fs::path& path, const Wording& wording) {
  struct statfs status {};
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::statfs(path.c_str(), &status) != 0 && ::statfs(folder.c_str(), &status) != 0) return;
  // The field is signed on some machines; the magic numbers have 32 bits.
  const auto name = network_file_system(static_cast<std::uint32_t>(status.f_type));
  if (name.empty()) return;
  throw base::IoError(
      "the {} '{}' lies on a network file system ({}), where locks between machines cannot be "
      "trusted and {}; {}. Keep it on a local disk",
      wording.noun, path.string(), name, wording.shared, wording.nothing);
}

Statement::Statement(Database& database, sqlite3_stmt* statement)
    : database_(&database), statement_(statement) {}
Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}
Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index, value); code != SQLITE_OK) {
    database_->fail(code);
  }
}

void Statement::bind(int index, std::string_view value) {
  const int code = sqlite3_bind_text64(statement_, index, value.data(), value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind(int index, Blob value) {
  const int code = sqlite3_bind_blob64(statement_, index, value.bytes.data(), value.bytes.size(),
                                       SQLITE_TRANSIENT);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_->fail(code);
}

void Statement::run() {
  if (step()) throw base::InternalError("a statement gave a row that nobody asked for");
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

/// How long to wait for other processes' locks, and the token that ends the wait early.
struct Database::Waiting {
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds limit;
  const base::CancelToken* cancel;
  Clock::time_point start{};

  [[nodiscard]] bool cancelled() const { return cancel != nullptr && cancel->cancelled(); }

  /// SQLite's busy handler. Returning 0 gives up.
  static int once_more(void* self, int times) {
    // milliseconds: the longest time that an interrupt has to wait
    constexpr std::int64_t longest_nap = 20;
    auto& waiting = *static_cast<Waiting*>(self);
    if (times == 0) waiting.start = Clock::now();
    if (waiting.cancelled() || Clock::now() - waiting.start >= waiting.limit) return 0;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::min<std::int64_t>(1 + times, longest_nap)));
    return 1;
  }
};

void Database::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

Database::~Database() = default;

Database::Database(fs::path path, const Options& options)
    : path_(std::move(path)),
      shown_as_(options.shown_as.empty() ? path_ : options.shown_as),
      durability_(options.durability),
      wording_(options.wording),
      consequence_(wording_.nothing),
      waiting_(std::make_unique<Waiting>(
          Waiting{std::chrono::milliseconds(options.busy_milliseconds), options.cancel})) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    const int error = errno;
    throw base::IoError("there is no {} '{}'{}; {}", wording_.noun, shown_as_.string(),
                        error != ENOENT ? ": " + std::generic_category().message(error) : "",
                        wording_.missing);
  }
  if (!S_ISREG(status.st_mode)) {
    throw base::IoError("the {} '{}' is not a regular file", wording_.noun, shown_as_.string());
  }
  place_ = {status.st_dev, status.st_ino};
  require_local_disk(path_, wording_);
  open(options);
}

void Database::open(const Options& options) {
  // Opens a file for writing even to read it: what a dead run left half-written is repaired first.
  // With a write-ahead log, a reader opens it without making files. Only if a process died while it
  // began the log's index, somebody who may write has to repair it first.
  bool looks = options.access == Access::read && durability_ == Durability::wal;
  constexpr int common = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  sqlite3* connection = nullptr;
  unwritten_.reset();
  if (looks) {
    const auto before = stamp();
    const auto way = looking_at(path_);
    if (way == without_locks) unwritten_ = before;
    const auto uri = as_uri(path_) + way;
    const int code =
        sqlite3_open_v2(uri.c_str(), &connection, common | SQLITE_OPEN_READONLY, nullptr);
    connection_.reset(connection);
    if (code != SQLITE_OK) fail(code);
    const int seen = sqlite3_exec(connection, "PRAGMA schema_version", nullptr, nullptr, nullptr);
    looks = (seen & 0xff) != SQLITE_PROTOCOL && seen != SQLITE_READONLY_RECOVERY;
  }
  if (!looks) {
    unwritten_.reset();
    const int code = sqlite3_open_v2(as_uri(path_).c_str(), &connection,
                                     common | SQLITE_OPEN_READWRITE, nullptr);
    connection_.reset(connection);
    if (code != SQLITE_OK) fail(code);
  }
  sqlite3_busy_handler(connection, Waiting::once_more, waiting_.get());
  // The first access to the file. A missing permission or a damaged header shows here.
  execute("PRAGMA schema_version");
  check_place();
  if (options.access == Access::read) {
    execute("PRAGMA query_only=ON");
    return;
  }
  if (durability_ == Durability::wal) {
    execute("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF");
    if (value("PRAGMA journal_mode=WAL") != "wal") fail(SQLITE_BUSY);
    // Small transactions change pages of indices at random. A cache of 16 MB keeps such pages in
    // memory. With a log of 16 MB, a page is copied once for all transactions that changed it in
    // the meantime.
    execute("PRAGMA cache_size=-16384; PRAGMA wal_autocheckpoint=4000");
    return;
  }
  // EXTRA: a transaction ends when the removal of its journal is durable.
  execute("PRAGMA synchronous=EXTRA; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF");
  if (value("PRAGMA journal_mode=DELETE") != "delete") fail(SQLITE_BUSY);
}

void Database::refuse(std::string_view what, std::string_view advice) const {
  throw base::IoError("the {} '{}' {}; {}. {}", wording_.noun, shown_as_.string(), what,
                      consequence_, advice);
}

bool Database::is_elsewhere() const {
  int moved = 0;
  if (sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) !=
      SQLITE_OK) {
    moved = 0;  // this layer cannot tell; the check below can
  }
  struct stat status {};
  return moved != 0 || ::stat(path_.c_str(), &status) != 0 ||
         Place{status.st_dev, status.st_ino} != place_;
}

void Database::check_place() const {
  if (is_elsewhere()) {
    refuse("was moved, replaced or removed while it was open",
           "Put the file back that had this name, then try again");
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && status.st_nlink > 1) {
    refuse(fmt::format("has {} names (hard links): after a crash its journal would be looked for "
                       "under one of them only, and {}",
                       status.st_nlink, wording_.names),
           "Remove the other names, which `find -samefile` lists; a copy is no other name");
  }
  struct statx more {};
  const bool known = ::statx(AT_FDCWD, path_.c_str(), 0, STATX_BASIC_STATS, &more) == 0;
  if (known && (more.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    refuse("is mounted by itself, so that its journal lies beside another name of it",
           "Mount the folder that it lies in");
  }
}

void Database::fail(int code) const {
  if (code == SQLITE_READONLY_DBMOVED) {
    refuse("was moved, replaced or removed while it was open",
           "Put the file back that had this name, then try again");
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      if (waiting_->cancelled()) {
        throw base::Interrupted(
            "interrupted while another process held the {} "
            "'{}'; {}",
            wording_.noun, shown_as_.string(), consequence_);
      }
      refuse("is locked by another process", "Try again when that has ended");
    case SQLITE_READONLY:
      refuse("is read-only", wording_.access);
    case SQLITE_FULL:
      refuse(full_disk, make_room);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      refuse("cannot be opened (permission denied, or its folder cannot be written)",
             "Check the permissions of the file and of its folder");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
      throw base::DataError("the {} '{}' is damaged or no {} at all: {}; {}. {}", wording_.noun,
                            shown_as_.string(), wording_.noun, sqlite3_errmsg(connection_.get()),
                            consequence_, wording_.damaged);
    default:
      break;
  }
  const int system = connection_ ? sqlite3_system_errno(connection_.get()) : 0;
  // A full disk may also show as a failure to extend the index of a write-ahead log, which is not
  // SQLITE_FULL.
  if (system == ENOSPC || system == EDQUOT) refuse(full_disk, make_room);
  const auto reason =
      system != 0 ? std::generic_category().message(system) : std::string(sqlite3_errstr(code));
  refuse(fmt::format("could not be read or written: {}", reason), "Check the disk");
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return {*this, statement};
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::string Database::value(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement.step())
    throw base::DataError("the {} '{}' is empty", wording_.noun, shown_as_.string());
  return statement.text(0);
}

void Database::transaction(const std::string& consequence, const std::function<void()>& body) {
  consequence_ = consequence;
  between("BEGIN IMMEDIATE", [&] {
    body();
    check_place();
  });
  consequence_ = wording_.nothing;
  // The file may have been moved between two checks of its name, and then nobody would look for the
  // rows there.
  if (is_elsewhere()) {
    throw base::IoError("the {} '{}' was moved, replaced or removed while {}; put that file back",
                        wording_.noun, shown_as_.string(), wording_.moved);
  }
}

void Database::snapshot(const std::function<void()>& body, const std::string& consequence) {
  undisturbed([&] {
    if (!consequence.empty()) consequence_ = consequence;
    between("BEGIN", body);
  });
  consequence_ = wording_.nothing;
}

Database::Stamp Database::stamp() const {
  // Time stamps of files have a resolution of some milliseconds. A later write shows only if the
  // last one is older than that.
  constexpr auto step = std::chrono::milliseconds(20);
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return {};
  const auto written = std::chrono::seconds(status.st_mtim.tv_sec) +
                       std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  const auto age = std::chrono::system_clock::now().time_since_epoch() - written;
  if (age >= std::chrono::nanoseconds(0) && age < step) {
    std::this_thread::sleep_for(step);
    if (::stat(path_.c_str(), &status) != 0) return {};
  }
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size};
}

void Database::undisturbed(const std::function<void()>& body) {
  while (true) {
    try {
      body();
      if (!was_disturbed()) return;
    } catch (...) {
      if (!was_disturbed()) throw;
    }
    Options again;
    again.access = Access::read;
    open(again);
  }
}

void Database::between(const char* begin, const std::function<void()>& body) {
  if (durability_ == Durability::journal) {
    // SQLite uses pages in memory as long as the file's change counter is the same. If an older
    // copy overwrote the file and was written to, the counter may have the same value again. So
    // empty the cache.
    const int code =
        sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_RESET_CACHE, nullptr);
    if (code != SQLITE_OK) fail(code);
  }
  try {
    execute(begin);
    check_place();
    body();
    execute("COMMIT");
  } catch (...) {
    // Some errors have rolled back already. A second rollback does no harm.
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    consequence_ = wording_.nothing;
    throw;
  }
}

}  // namespace tacet::ledger
