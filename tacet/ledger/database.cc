#include "tacet/ledger/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/statfs.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::ledger::internal {
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

/// A path as an SQLite URI, in which ? # and % have a meaning.
std::string as_uri(const fs::path& path, std::string_view parameters) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri + std::string(parameters);
}

bool no_unfinished_log(const fs::path& path) {
  std::error_code error;
  const auto log = fs::path(path.string() + "-wal");
  return !fs::exists(log, error) || (fs::file_size(log, error) == 0 && !error);
}

}  // namespace

std::string network_file_system(std::uint64_t magic) {
  for (const auto& known : network_file_systems) {
    if (known.magic == magic) return std::string(known.name);
  }
  return {};
}

void require_local_disk(const fs::path& path) {
  struct statfs status {};
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::statfs(path.c_str(), &status) != 0 && ::statfs(folder.c_str(), &status) != 0) return;
  // The field is signed on some machines; the magic numbers have 32 bits.
  const auto name = network_file_system(static_cast<std::uint32_t>(status.f_type));
  if (name.empty()) return;
  throw base::IoError(fmt::format(
      "the ledger '{}' lies on a network file system ({}), where locks between machines cannot be "
      "trusted and two runs could spend the same budget; nothing was booked. Keep it on a local "
      "disk",
      path.string(), name));
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

void Database::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

Database::Database(fs::path path, const Options& options) : path_(std::move(path)) {
  std::error_code error;
  const auto status = fs::status(path_, error);
  if (!options.create && !fs::exists(status)) {
    throw base::IoError(fmt::format(
        "there is no ledger '{}'{}; `tacet ledger init` makes one", path_.string(),
        error && error != std::errc::no_such_file_or_directory ? ": " + error.message() : ""));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw base::IoError(fmt::format("the ledger '{}' is not a regular file", path_.string()));
  }
  require_local_disk(path_);
  open(options);
}

void Database::open(const Options& options) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= options.access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (options.create) flags |= SQLITE_OPEN_CREATE;
  const auto try_open = [&](std::string_view parameters) {
    sqlite3* connection = nullptr;
    const int code =
        sqlite3_open_v2(as_uri(path_, parameters).c_str(), &connection, flags, nullptr);
    connection_.reset(connection);
    if (code != SQLITE_OK) return code;
    sqlite3_busy_timeout(connection, options.busy_milliseconds);
    // The first look at the file: here a missing permission or a damaged header shows.
    return sqlite3_exec(connection, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  };
  int code = try_open("");
  // In a folder that takes no files SQLite cannot keep its shared memory; a ledger that nobody has
  // open for writing can still be read as it lies.
  const bool refused = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
  if (refused && options.access == Access::read && no_unfinished_log(path_)) {
    code = try_open("?immutable=1");
  }
  if (code != SQLITE_OK) fail(code);
  if (options.access == Access::read) return;
  execute("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF");
}

void Database::fail(int code) const {
  const auto name = path_.string();
  const auto io = [&](std::string_view what, std::string_view advice) {
    throw base::IoError(
        fmt::format("the ledger '{}' {}; nothing was booked. {}", name, what, advice));
  };
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      io("is locked by another process", "Try again when that has ended");
      break;
    case SQLITE_READONLY:
      io("is read-only", "Spending needs write access to the file and to its folder");
      break;
    case SQLITE_FULL:
      io("could not be written: the disk is full", "Make room and try again");
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      io("cannot be opened (permission denied, or its folder cannot be written)",
         "Check the permissions of the file and of its folder");
      break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
      throw base::DataError(
          fmt::format("the ledger '{}' is damaged or no ledger at all: {}; nothing was booked. "
                      "Restore it from a backup",
                      name, sqlite3_errmsg(connection_.get())));
    default:
      break;
  }
  const int system = connection_ ? sqlite3_system_errno(connection_.get()) : 0;
  const auto reason =
      system != 0 ? std::generic_category().message(system) : std::string(sqlite3_errstr(code));
  io(fmt::format("could not be read or written: {}", reason), "Check the disk");
  throw base::InternalError("unreachable");
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
    throw base::DataError(fmt::format("the ledger '{}' is empty", path_.string()));
  return statement.text(0);
}

void Database::transaction(const std::function<void()>& body) { between("BEGIN IMMEDIATE", body); }

void Database::snapshot(const std::function<void()>& body) { between("BEGIN", body); }

void Database::between(const char* begin, const std::function<void()>& body) {
  execute(begin);
  try {
    body();
    execute("COMMIT");
  } catch (...) {
    // Some errors have rolled back already; a second time does no harm.
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace tacet::ledger::internal
