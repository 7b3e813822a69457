#include "tacet/local/service/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/process.h"
#include "tacet/ledger/store/new_database.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/service/round_learner.h"

namespace tacet::local {
namespace {

using internal::blob;
using internal::mac_from;
using internal::seal_of;
using internal::seal_of_revoked;
using ledger::Blob;
using ledger::Database;

constexpr std::int64_t state_version = 1;
constexpr std::int64_t state_application = 0x54434c53;  // "TCLS", PRAGMA application_id

constexpr const char* state_tables =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL, seal BLOB NOT NULL) WITHOUT "
    "ROWID;"
    "CREATE TABLE tokens(mac BLOB PRIMARY KEY, missed INTEGER NOT NULL,"
    " barred_until INTEGER NOT NULL, expires INTEGER NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE revoked(mac BLOB PRIMARY KEY, seal BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE slots(place INTEGER PRIMARY KEY, mac BLOB NOT NULL, round INTEGER NOT NULL,"
    " slot_end INTEGER NOT NULL, seal BLOB NOT NULL);"
    "CREATE TABLE frames(sequence INTEGER PRIMARY KEY, mac BLOB NOT NULL UNIQUE,"
    " report INTEGER NOT NULL UNIQUE, frame BLOB NOT NULL, seal BLOB NOT NULL);"
    "CREATE TABLE rounds(round INTEGER PRIMARY KEY, frames INTEGER NOT NULL,"
    " learner TEXT NOT NULL, model TEXT NOT NULL, point BLOB NOT NULL);"
    "CREATE TABLE dropped(number INTEGER PRIMARY KEY, round INTEGER NOT NULL,"
    " before INTEGER NOT NULL, last INTEGER NOT NULL, seal BLOB NOT NULL);";

constexpr std::array meta_keys{"task", "digest", "key", "shard", "closed", "holder", "learner"};

std::string process_json(const ledger::Process& process) {
  return nlohmann::json{{"id", process.id}, {"start", process.start}, {"boot", process.boot}}
      .dump();
}

ledger::Process process_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  return {json.value("id", std::int64_t{0}), json.value("start", std::int64_t{0}),
          json.value("boot", std::string())};
}

void write_meta(Database& database, ThreadTokenKey& own, const std::string& key,
                const std::string& value) {
  const auto seal = seal_of(key, value).under(own);
  database.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2, ?3)", key, Blob{value}, Blob{seal})
      .run();
}

std::string shard_text(Shard shard) { return fmt::format("{} of {}", shard.index, shard.count); }

/// SQLite reads a last page that is not whole as if zeros followed, and calls that sound. Beside a
/// write-ahead log it is: a process died while it copied from there, and it is copied again.
const std::filesystem::path& whole(const std::filesystem::path& path) {
  constexpr std::size_t page_size_at = 16;
  std::array<char, page_size_at + 2> header{};
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return path;  // a pipe, too, which would be waited for
  std::ifstream file(path, std::ios::binary);
  if (!file.read(header.data(), header.size()) ||
      !std::string_view(header.data(), header.size()).starts_with("SQLite format 3")) {
    return path;  // others say what it is
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(header[i]); };
  const auto stored = static_cast<std::uintmax_t>(byte(page_size_at) << 8 | byte(page_size_at + 1));
  const auto page = stored == 1 ? std::uintmax_t{65536} : stored;
  const auto log = std::filesystem::file_size(path.string() + "-wal", error);
  if (page == 0 || size % page == 0 || (!error && log > 0)) return path;
  throw base::DataError(
      "the state '{}' was cut: its last page is not whole; nothing was changed. {}", path.string(),
      state_wording().damaged);
}

}  // namespace

const ledger::Wording& state_wording() {
  static const ledger::Wording wording{
      .noun = "state",
      .nothing = "nothing was stored",
      .missing = "a service makes one when it starts, and so does the enrolment of devices",
      .shared = "two servers could count one report twice",
      .names = "what was counted would be lost",
      .moved =
          "reports were stored: they are in the file that had this name. Nothing is answered "
          "on it",
      .access = "Serving needs write access to the file and to its folder",
      .damaged =
          "A backup lacks the reports that were counted since: their devices have spent "
          "their budget and cannot send them again"};
  return wording;
}

bool Shard::takes(std::string_view token) const {
  constexpr std::int64_t digits = 16;
  const char first = token.empty() ? '0' : token.front();
  const auto digit = static_cast<std::int64_t>(first <= '9' ? first - '0' : first - 'a' + 10);
  return digit * count / digits == index;
}

bool StateFile::make(const std::filesystem::path& path, const Task& task, Shard shard,
                     const std::string& shared_key) {
  const int failure = ledger::make_database(path, state_wording(), [&](Database& database) {
    database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}",
                                 state_application, state_version));
    database.execute(state_tables);
    const RoundLearner learner(task, GroupOrder(""));
    const auto bytes = learner.bytes();
    const auto point = model_bytes(learner.point());
    const auto key = shared_key.empty() ? ledger::random_key() : shared_key;
    ThreadTokenKey own(key);
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, std::string>>{{"task", task.text},
                                                                    {"digest", task.digest},
                                                                    {"key", key},
                                                                    {"shard", shard_text(shard)},
                                                                    {"closed", ""},
                                                                    {"holder", process_json({})},
                                                                    {"learner", bytes}}) {
      write_meta(database, own, name, value);
    }
    internal::write_round(database, {0, 0, ledger::sha256(bytes), ledger::sha256(point), point});
  });
  return failure == 0;
}

StateFile::StateFile(const std::filesystem::path& path, ledger::Access access)
    : database_(
          whole(path),
          {.access = access, .durability = ledger::Durability::wal, .wording = state_wording()}) {
  if (database_.value("PRAGMA application_id") != fmt::format("{}", state_application)) {
    throw base::DataError("'{}' is no state of a task", path.string());
  }
  if (const auto found = database_.value("PRAGMA user_version");
      found != fmt::format("{}", state_version)) {
    throw base::DataError(
        "the state '{}' has version {}, this version of tacet reads and writes version {}; nothing "
        "was changed. Use a newer version of tacet",
        path.string(), found, state_version);
  }
  auto row = database_.prepare("SELECT value FROM meta WHERE key = 'key'");
  if (!row.step()) throw base::DataError("the state '{}' lacks its key", path.string());
  key_.emplace(row.text(0));
  seals_.emplace(row.text(0));
  if (!ledger::is_digest(row.text(0)) || !fits_its_key()) {
    throw base::DataError(
        "the state '{}' was changed: its key is not the one that its tokens were enrolled under, "
        "so that no device would be known. {}",
        path.string(), state_wording().damaged);
  }
  const auto text = meta("task");
  if (ledger::sha256(text) != meta("digest")) {
    throw base::DataError("the state '{}' was changed: its task is not the one it was made for",
                          path.string());
  }
  task_ = task_from_text(text, path.string());
  points_from_ = std::stoll(
      database_.value("SELECT coalesce(min(round), 0) FROM rounds WHERE length(point) > 0"));
}

/// Seals of the key's own row and of the first token: the key in the file is theirs.
bool StateFile::fits_its_key() {
  auto own = database_.prepare("SELECT value, seal FROM meta WHERE key = 'key'");
  if (!own.step() || own.text(1) != seal_of("key", own.text(0)).under(*seals_)) return false;
  auto row =
      database_.prepare("SELECT mac, missed, barred_until, expires, seal FROM tokens LIMIT 1");
  if (!row.step()) return true;
  const StoredToken token{mac_from(row.text(0)), row.integer(1), row.integer(2), row.integer(3)};
  return row.text(4) == seal_of(token).under(*seals_);
}

Shard StateFile::shard() {
  const auto text = meta("shard");
  for (std::int64_t count = 1; count <= 16; ++count) {
    for (std::int64_t index = 0; index < count; ++index) {
      if (text == shard_text({index, count})) return {index, count};
    }
  }
  throw base::DataError("the state '{}' was changed: it is no shard of a task", path().string());
}

void StateFile::expect(const Task& task) const {
  if (task.digest == task_.digest) return;
  throw base::UsageError(
      "the state '{}' is of task {}, not of {}; each task has a state of its own", path().string(),
      task_.digest, task.digest);
}

void StateFile::claim() {
  const auto refuse = [this](std::int64_t process) {
    throw base::IoError("the state '{}' is served by {} already; nothing was changed",
                        path().string(),
                        process > 0 ? fmt::format("process {}", process) : "another process");
  };
  auto serving = HeldFile::hold(path().string() + ".serving");
  if (!serving) refuse(process_from(meta("holder")).id);
  const auto holder = process_from(meta("holder"));
  if (holder != ledger::this_process() && ledger::running(holder)) refuse(holder.id);
  serving_ = std::move(serving);
}

void StateFile::note_holder() {
  transaction([&] { set_meta("holder", process_json(ledger::this_process())); });
}

void StateFile::release() {
  if (!serving_) return;
  transaction([&] { set_meta("holder", process_json({})); });
  serving_.reset();
}

void StateFile::transaction(const std::function<void()>& body) {
  database_.transaction(state_wording().nothing, body);
}

std::vector<std::string> StateFile::enrol(std::int64_t count, std::int64_t expires) {
  std::vector<std::string> tokens;
  const auto range = shard();
  transaction([&] {
    auto insert = database_.prepare("INSERT INTO tokens VALUES(?1, ?2, ?3, ?4, ?5)");
    for (std::int64_t i = 0; i < count; ++i) {
      auto token = new_token();
      while (!range.takes(token)) token = new_token();
      const StoredToken stored{.mac = mac_of(token), .expires = expires};
      const auto seal = seal_of(stored).under(*seals_);
      insert.run_with(blob(stored.mac), stored.missed, stored.barred_until, expires, Blob{seal});
      tokens.push_back(std::move(token));
    }
  });
  return tokens;
}

void StateFile::revoke(const std::vector<std::string>& tokens) {
  transaction([&] {
    std::int64_t number = 0;
    for (const auto& token : tokens) {
      ++number;
      const auto mac = mac_of(token);
      if (!database_.prepare("SELECT 1 FROM tokens WHERE mac = ?1", blob(mac)).step()) {
        throw base::DataError("token {} of those given is not enrolled in '{}'; none was revoked",
                              number, path().string());
      }
      put_revoked(mac);
    }
  });
}

void StateFile::close(const std::string& why) {
  if (closed().empty()) set_meta("closed", why);
}

std::string StateFile::closed() { return meta("closed"); }

std::int64_t StateFile::count(const std::string& table) {
  return std::stoll(database_.value("SELECT count(*) FROM " + table));
}

void StateFile::check_structure() {
  const auto verdict = database_.value("PRAGMA integrity_check");
  if (verdict != "ok") {
    throw base::DataError("the state '{}' is damaged: {}", path().string(), verdict);
  }
  check_types();
  check_rows();
}

void StateFile::check_types() {
  // Names are quoted by SQLite: whoever made the file chose them. Points of old rounds are emptied;
  // earlier programs did that by an empty text.
  auto column = database_.prepare(
      "SELECT m.name, printf('SELECT count(*) FROM \"%w\" WHERE typeof(\"%w\") <> %Q%s', m.name, "
      "c.name, lower(c.type), iif(m.name = 'rounds' AND c.name = 'point', ' AND point <> ''''', "
      "'')) FROM sqlite_schema m, pragma_table_info(m.name) c "
      "WHERE m.type = 'table'");
  while (column.step()) {
    if (database_.value(column.text(1)) == "0") continue;
    throw base::DataError("the state '{}' was changed: values of '{}' have another type",
                          path().string(), column.text(0));
  }
}

void StateFile::check_rows() {
  for (const char* key : meta_keys) static_cast<void>(meta(key));
  static_cast<void>(shard());
  each_token([](const StoredToken&) {});
  each_slot([](const StoredSlot&) {});
  static_cast<void>(dropped());
  auto revoked = database_.prepare("SELECT mac, seal FROM revoked");
  for (std::int64_t number = 1; revoked.step(); ++number) {
    const auto mac = mac_from(revoked.text(0));
    expect_seal(revoked.text(1) == seal_of_revoked(mac).under(*seals_), "revoked token", number);
  }
  const auto lost = database_.value(
      "SELECT (SELECT count(*) FROM frames f LEFT JOIN tokens t ON t.mac = f.mac "
      "WHERE t.mac IS NULL) + (SELECT count(*) FROM revoked r LEFT JOIN tokens t "
      "ON t.mac = r.mac WHERE t.mac IS NULL)");
  if (lost != "0" || count("meta") != std::ssize(meta_keys)) {
    throw base::DataError("the state '{}' was changed: tokens are missing", path().string());
  }
}

void StateFile::expect_seal(bool fits, std::string_view table, std::int64_t number) const {
  if (fits) return;
  throw base::DataError("the state '{}' was changed: {} {} is not what was stored", path().string(),
                        table, number);
}

std::string StateFile::meta(const std::string& key) {
  auto row = database_.prepare("SELECT value, seal FROM meta WHERE key = ?1", key);
  if (!row.step()) {
    throw base::DataError("the state '{}' was changed: it lacks '{}'", path().string(), key);
  }
  auto value = row.text(0);
  if (row.text(1) == seal_of(key, value).under(*seals_)) return value;
  throw base::DataError("the state '{}' was changed: its '{}' is not what was stored",
                        path().string(), key);
}

void StateFile::set_meta(const std::string& key, const std::string& value) {
  write_meta(database_, *seals_, key, value);
}

}  // namespace tacet::local
