#include "tacet/ledger/journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger::internal {
namespace {

constexpr std::int64_t application = 0x74616374;  // "tact"
constexpr std::int64_t format_version = 1;

// The triggers guard against slips; the chain shows what they did not stop.
constexpr const char* tables = R"sql(
CREATE TABLE journal(
  number INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE head(
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rows INTEGER NOT NULL,
  hash TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT;
CREATE TRIGGER journal_is_written_once BEFORE UPDATE ON journal
  BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END;
CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never deleted'); END;
)sql";

[[noreturn]] void broken(const Database& database, const std::string& what) {
  throw base::DataError(fmt::format(
      "the ledger '{}' was changed after it was written: {}; {}. Restore it from a backup",
      database.path().string(), what, database.consequence()));
}

}  // namespace

std::string row_hash(std::string_view previous, std::int64_t number, std::string_view text) {
  return sha256(fmt::format("{}\n{}\n{}", previous, number, text));
}

std::string first_hash() { return sha256("tacet ledger"); }

void create_journal(Database& database, std::string_view key) {
  database.execute(tables);
  auto insert = database.prepare("INSERT INTO head(only, rows, hash, key) VALUES(1, 0, ?1, ?2)");
  insert.bind(1, first_hash());
  insert.bind(2, key);
  insert.run();
  database.execute(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application, format_version));
}

void check_version(Database& database) {
  const auto name = database.path().string();
  if (database.value("PRAGMA application_id") != std::to_string(application)) {
    throw base::DataError(fmt::format("'{}' is a database, but no ledger of tacet", name));
  }
  const auto version = database.value("PRAGMA user_version");
  if (version == std::to_string(format_version)) return;
  const bool newer = std::stoll(version) > format_version;
  throw base::DataError(fmt::format(
      "the ledger '{}' has format {}, this version of tacet reads and writes format {}; nothing "
      "was booked. Use {} version of tacet",
      name, version, format_version, newer ? "a newer" : "the"));
}

namespace {

/// Drops what `rows` knows from row `number` on.
void forget_from(Rows& rows, std::size_t number) {
  rows.hashes.resize(std::min(rows.hashes.size(), number - 1));
  rows.entries.erase(rows.entries.begin() + static_cast<std::ptrdiff_t>(rows.hashes.size()),
                     rows.entries.end());
}

void check_first_row(const Database& database, const Rows& rows) {
  if (rows.entries.empty()) return;
  const auto* created = std::get_if<Created>(&rows.entries.front().content);
  if (created == nullptr) broken(database, "its first row does not say how it began");
  if (created->key_digest != sha256(rows.key)) broken(database, "its key is another one");
}

}  // namespace

void read_rows(Database& database, Rows& rows) {
  auto head = database.prepare("SELECT rows, hash, key FROM head");
  if (!head.step()) broken(database, "its head is missing");
  const auto count = head.integer(0);
  const auto head_hash = head.text(1);
  rows.key = head.text(2);
  auto select = database.prepare("SELECT number, text, hash FROM journal ORDER BY number");
  std::string hash = first_hash();
  std::size_t number = 1;
  for (; select.step(); ++number) {
    const auto row = static_cast<std::int64_t>(number);
    if (select.integer(0) != row) broken(database, fmt::format("row {} is missing", row));
    const auto text = select.text(1);
    hash = row_hash(hash, row, text);
    if (select.text(2) != hash) {
      broken(database, fmt::format("row {} does not carry its hash", row));
    }
    if (number <= rows.hashes.size() && rows.hashes[number - 1] == hash) continue;
    forget_from(rows, number);
    rows.entries.push_back(entry_from_text(text));
    rows.hashes.push_back(hash);
  }
  forget_from(rows, number);
  const auto found = static_cast<std::int64_t>(rows.entries.size());
  if (found != count || hash != head_hash) {
    broken(database, fmt::format("it has {} rows where {} were written", found, count));
  }
  check_first_row(database, rows);
}

std::int64_t append_row(Database& database, Rows& rows, const Entry& entry) {
  const auto number = static_cast<std::int64_t>(rows.entries.size()) + 1;
  const auto text = to_text(entry);
  if (text.size() > max_entry_bytes) {
    throw base::UsageError("the run has too many different events for one row of the ledger");
  }
  const auto hash = row_hash(rows.head(), number, text);
  auto insert = database.prepare("INSERT INTO journal(number, text, hash) VALUES(?1, ?2, ?3)");
  insert.bind(1, number);
  insert.bind(2, text);
  insert.bind(3, hash);
  insert.run();
  auto update = database.prepare("UPDATE head SET rows = ?1, hash = ?2");
  update.bind(1, number);
  update.bind(2, hash);
  update.run();
  rows.entries.push_back(entry);
  rows.hashes.push_back(hash);
  return number;
}

}  // namespace tacet::ledger::internal
