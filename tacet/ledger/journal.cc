#include "tacet/ledger/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger::internal {
namespace {

constexpr std::int64_t application = 0x74616374;  // "tact"
constexpr std::int64_t format_version = 1;

// The distance in rows between two stored snapshots: a booking reads at most this many rows.
constexpr std::int64_t checkpoint_distance = 64;

// A ledger that is older than snapshots gets this table with its first one.
constexpr std::string_view snapshot_table = R"sql(CREATE TABLE snapshot(
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rows INTEGER NOT NULL,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  seal TEXT NOT NULL
) STRICT)sql";

struct Object {
  std::string_view name;
  std::string_view sql;  // the text that SQLite stores for it
};

// The triggers prevent mistakes; the chain of hashes shows changes that got past them.
constexpr std::array<Object, 5> objects{{
    {"journal", R"sql(CREATE TABLE journal(
  number INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT)sql"},
    {"snapshot", snapshot_table},
    {"head", R"sql(CREATE TABLE head(
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rows INTEGER NOT NULL,
  hash TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT)sql"},
    {"journal_is_written_once",
     R"sql(CREATE TRIGGER journal_is_written_once BEFORE UPDATE ON journal
  BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END)sql"},
    {"journal_is_kept", R"sql(CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never deleted'); END)sql"},
}};

[[noreturn]] void broken(const Database& database, const std::string& what,
                         std::string_view advice = backup_advice) {
  throw base::DataError("the ledger '{}' was changed after it was written: {}; {}. {}",
                        database.path().string(), what, database.consequence(), advice);
}

}  // namespace

std::string row_hash(std::string_view previous, std::int64_t number, std::string_view text) {
  return sha256(fmt::format("{}\n{}\n{}", previous, number, text));
}

std::string first_hash() { return sha256("tacet ledger"); }

void create_journal(Database& database, std::string_view key) {
  for (const auto& object : objects) database.execute(std::string(object.sql));
  database
      .prepare("INSERT INTO head(only, rows, hash, key) VALUES(1, 0, ?1, ?2)", first_hash(), key)
      .run();
  database.execute(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application, format_version));
}

void check_version(Database& database) {
  const auto name = database.path().string();
  if (database.value("PRAGMA application_id") != std::to_string(application)) {
    throw base::DataError("'{}' is not a ledger of tacet", name);
  }
  const auto version = database.value("PRAGMA user_version");
  if (version == std::to_string(format_version)) return;
  const bool newer = std::stoll(version) > format_version;
  throw base::DataError(
      "the ledger '{}' has format {}, this version of tacet reads and writes format {}; nothing "
      "was booked. Use {} version of tacet",
      name, version, format_version, newer ? "a newer" : "the");
}

namespace {

/// Advice how to remove an object that is not tacet's, with its type and name.
std::string drop_advice(std::string_view type, std::string_view name) {
  std::string statement = "DROP ";
  for (const char c : type) statement += static_cast<char>(std::toupper(c));
  statement += " \"";
  for (const char c : name) statement += c == '"' ? std::string("\"\"") : std::string(1, c);
  return fmt::format("Remove it with sqlite3: {}\";", statement);
}

/// Somebody else's trigger, view or table could change what is booked or what is read.
void check_nothing_foreign(Database& database) {
  auto select = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid");
  while (select.step()) {
    const auto name = select.text(1);
    const auto known = std::find_if(objects.begin(), objects.end(),
                                    [&](const Object& o) { return o.name == name; });
    if (known != objects.end() && known->sql == select.text(2)) continue;
    const auto type = select.text(0);
    if (known == objects.end()) {
      broken(database, fmt::format("its {} '{}' is none of tacet's", type, name),
             drop_advice(type, name));
    }
    broken(database, fmt::format("its {} '{}' is another one", type, name));
  }
}

void check_nothing_missing(Database& database) {
  for (const auto& object : objects) {
    auto select =
        database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = ?1", object.name);
    if (select.step() && select.integer(0) == 1) continue;
    if (object.sql == snapshot_table) continue;
    broken(database, fmt::format("its '{}' is missing", object.name));
  }
}

/// Reads only the head of the chain and the key.
Current read_head(Database& database) {
  check_nothing_foreign(database);
  auto head = database.prepare("SELECT rows, hash, key FROM head");
  if (!head.step()) broken(database, "its head is missing");
  Current found{.at = {head.integer(0), head.text(1)}, .key = head.text(2), .snapshot = {}};
  if (head.step()) broken(database, "it has two heads");
  return found;
}

/// Hashes every row after `from` again and calls `receive(number, text, hash)`; checks that the
/// last hash is the head's.
template <typename Receive>
void for_rows_after(Database& database, const Position& from, const Position& head,
                    const Receive& receive) {
  auto select = database.prepare(
      "SELECT number, text, hash FROM journal WHERE number > ?1 ORDER BY number", from.rows);
  auto [row, hash] = from;
  while (select.step()) {
    ++row;
    if (select.integer(0) != row) broken(database, fmt::format("row {} is missing", row));
    const auto text = select.text(1);
    hash = row_hash(hash, row, text);
    if (select.text(2) != hash)
      broken(database, fmt::format("row {} does not carry its hash", row));
    receive(row, text, hash);
  }
  if (row != head.rows || hash != head.hash) {
    broken(database, fmt::format("it has {} rows where {} were written", row, head.rows));
  }
}

/// Keyed, so that an accidental change in one place cannot match an accidental change in another.
std::string seal_of(std::string_view key, const Position& at, std::string_view text) {
  return sha256(fmt::format("{}\nstanding\n{}\n{}\n{}", key, at.rows, at.hash, text));
}

bool has_snapshots(Database& database) {
  return database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'snapshot'") == "1";
}

struct Written {
  Position at;
  std::string text;  // empty: no snapshot was stored yet
};

Written read_written(Database& database, const std::string& key) {
  if (!has_snapshots(database)) return {};
  auto select = database.prepare("SELECT rows, hash, text, seal FROM snapshot");
  if (!select.step()) return {};
  Written written{{select.integer(0), select.text(1)}, select.text(2)};
  if (select.text(3) != seal_of(key, written.at, written.text)) {
    broken(database, "the snapshot that was written down does not carry its seal");
  }
  return written;
}

void check_key(const Database& database, const Current& current) {
  if (current.at.rows > 0 && current.snapshot.key_digest != sha256(current.key)) {
    broken(database, "its key is another one");
  }
}

void write_snapshot(Database& database, Current& current) {
  if (!has_snapshots(database)) database.execute(std::string(snapshot_table));
  const auto text = to_text(current.snapshot);
  database
      .prepare(
          "INSERT OR REPLACE INTO snapshot(only, rows, hash, text, seal) VALUES(1, ?1, ?2, ?3, ?4)",
          current.at.rows, current.at.hash, text, seal_of(current.key, current.at, text))
      .run();
  current.checkpoint = current.at.rows;
}

}  // namespace

Reserved read_booking(Database& database, const Snapshot& snapshot, std::int64_t run) {
  const auto hash_of = [&](std::int64_t row) {
    auto select = database.prepare("SELECT hash FROM journal WHERE number = ?1", row);
    return select.step() ? select.text(0) : std::string();
  };
  auto select = database.prepare("SELECT text FROM journal WHERE number = ?1", run);
  if (!select.step()) broken(database, fmt::format("row {} is missing", run));
  const auto text = select.text(0);
  if (row_hash(hash_of(run - 1), run, text) != snapshot.open.at(run)) {
    broken(database, fmt::format("row {} does not carry its hash", run));
  }
  return std::get<Reserved>(entry_from_text(text).content);
}

Current read_current(Database& database) {
  auto current = read_head(database);
  const auto written = read_written(database, current.key);
  if (!written.text.empty()) current.snapshot = snapshot_from_text(written.text);
  current.checkpoint = written.at.rows;
  const Bookings bookings = [&](std::int64_t run) {
    return read_booking(database, current.snapshot, run);
  };
  for_rows_after(database, written.at, current.at,
                 [&](std::int64_t row, const std::string& text, const std::string& hash) {
                   take(current.snapshot, row, hash, entry_from_text(text), bookings);
                 });
  check_key(database, current);
  return current;
}

std::vector<Entry> read_entries(Database& database) {
  const auto head = read_head(database);
  std::vector<Entry> entries;
  for_rows_after(database, {}, head.at,
                 [&](std::int64_t, const std::string& text, const std::string&) {
                   entries.push_back(entry_from_text(text));
                 });
  if (!entries.empty()) {
    const auto* created = std::get_if<Created>(&entries.front().content);
    if (created == nullptr) broken(database, "its first row does not say how it began");
    if (created->key_digest != sha256(head.key)) broken(database, "its key is another one");
  }
  return entries;
}

Position check_all(Database& database) {
  const auto entries = read_entries(database);
  const auto head = read_head(database);
  const auto written = read_written(database, head.key);
  Snapshot snapshot;
  const Bookings bookings = [&](std::int64_t run) {
    return std::get<Reserved>(entries[static_cast<std::size_t>(run - 1)].content);
  };
  for_rows_after(database, {}, head.at,
                 [&](std::int64_t row, const std::string&, const std::string& hash) {
                   take(snapshot, row, hash, entries[static_cast<std::size_t>(row - 1)], bookings);
                   if (row != written.at.rows) return;
                   if (hash == written.at.hash && to_text(snapshot) == written.text) return;
                   broken(database, "the snapshot that was written down does not follow from it");
                 });
  if (written.at.rows > head.at.rows) {
    broken(database, "the snapshot that was written down is of rows it does not have");
  }
  check_nothing_missing(database);
  return head.at;
}

std::int64_t append_row(Database& database, Current& current, const Entry& entry) {
  const auto number = current.at.rows + 1;
  const auto text = to_text(entry);
  if (text.size() > max_entry_bytes) {
    throw base::UsageError("the run has too many different events for one row of the ledger");
  }
  const auto hash = row_hash(current.at.hash, number, text);
  database.prepare("INSERT INTO journal(number, text, hash) VALUES(?1, ?2, ?3)", number, text, hash)
      .run();
  database.prepare("UPDATE head SET rows = ?1, hash = ?2", number, hash).run();
  take(current.snapshot, number, hash, entry,
       [&](std::int64_t run) { return read_booking(database, current.snapshot, run); });
  current.at = {number, hash};
  if (number - current.checkpoint >= checkpoint_distance) write_snapshot(database, current);
  return number;
}

bool has(Database& database, const Position& position) {
  if (position.rows == 0) return position.hash == first_hash();
  auto select = database.prepare("SELECT hash FROM journal WHERE number = ?1", position.rows);
  return select.step() && select.text(0) == position.hash;
}

}  // namespace tacet::ledger::internal
