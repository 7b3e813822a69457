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

using ledger::Blob;
using ledger::Database;

constexpr std::int64_t state_version = 1;
constexpr std::int64_t state_application = 0x54434c53;  // "TCLS", PRAGMA application_id

constexpr const char* state_tables =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE tokens(mac BLOB PRIMARY KEY, missed INTEGER NOT NULL,"
    " barred_until INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE slots(place INTEGER PRIMARY KEY, mac BLOB NOT NULL, round INTEGER NOT NULL,"
    " slot_end INTEGER NOT NULL);"
    "CREATE TABLE frames(sequence INTEGER PRIMARY KEY, mac BLOB NOT NULL UNIQUE,"
    " report INTEGER NOT NULL UNIQUE, frame BLOB NOT NULL);"
    "CREATE TABLE rounds(round INTEGER PRIMARY KEY, frames INTEGER NOT NULL,"
    " learner TEXT NOT NULL, model TEXT NOT NULL, point BLOB NOT NULL);"
    "CREATE TABLE dropped(number INTEGER PRIMARY KEY, round INTEGER NOT NULL,"
    " before INTEGER NOT NULL, last INTEGER NOT NULL);";

Blob blob(const TokenMac& mac) { return {{reinterpret_cast<const char*>(mac.data()), mac.size()}}; }

TokenMac mac_from(const std::string& bytes) {
  TokenMac mac{};
  if (bytes.size() != mac.size()) throw base::DataError("the state holds a token of no such size");
  std::copy(bytes.begin(), bytes.end(), mac.begin());
  return mac;
}

StoredRound round_from(const ledger::Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2), row.text(3), row.text(4)};
}

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

void write_round(Database& database, const StoredRound& round) {
  database
      .prepare("INSERT INTO rounds VALUES(?1, ?2, ?3, ?4, ?5)", round.round, round.frames,
               round.learner, round.model, Blob{round.point})
      .run();
}

void write_meta(Database& database, const std::string& key, const std::string& value) {
  database.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)", key, Blob{value}).run();
}

/// SQLite reads a last page that is not whole as if zeros followed, and calls that sound. Beside a
/// write-ahead log it is: a process died while it copied from there, and it is copied again.
const std::filesystem::path& whole(const std::filesystem::path& path) {
  constexpr std::size_t page_size_at = 16;
  std::array<char, page_size_at + 2> header{};
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file.read(header.data(), header.size()) ||
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
      .missing = "`tacet serve` and `tacet local enrol` make one",
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

bool is_dropped(const std::vector<DroppedFrames>& dropped, std::int64_t sequence) {
  return std::ranges::any_of(dropped, [&](const DroppedFrames& some) {
    return some.before < sequence && sequence <= some.last;
  });
}

std::int64_t count_dropped(std::vector<DroppedFrames> dropped) {
  std::ranges::sort(dropped, {}, &DroppedFrames::before);
  std::int64_t count = 0;
  std::int64_t end = 0;
  for (const auto& some : dropped) {
    count += std::max<std::int64_t>(0, some.last - std::max(some.before, end));
    end = std::max(end, some.last);
  }
  return count;
}

bool StateFile::make(const std::filesystem::path& path, const Task& task) {
  const int failure = ledger::make_database(path, state_wording(), [&](Database& database) {
    database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}",
                                 state_application, state_version));
    database.execute(state_tables);
    const RoundLearner learner(task, GroupOrder(""));
    const auto bytes = learner.bytes();
    const auto point = model_bytes(learner.point());
    write_meta(database, "task", task.text);
    write_meta(database, "digest", task.digest);
    write_meta(database, "key", ledger::random_key());
    write_meta(database, "closed", "");
    write_meta(database, "holder", process_json({}));
    write_meta(database, "learner", bytes);
    write_round(database, {0, 0, ledger::sha256(bytes), ledger::sha256(point), point});
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
  const auto text = meta("task");
  if (ledger::sha256(text) != meta("digest")) {
    throw base::DataError("the state '{}' was changed: its task is not the one it was made for",
                          path.string());
  }
  task_ = task_from_text(text, path.string());
  key_.emplace(meta("key"));
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

std::vector<std::string> StateFile::enrol(std::int64_t count) {
  std::vector<std::string> tokens;
  transaction([&] {
    auto insert = database_.prepare("INSERT INTO tokens VALUES(?1, 0, 0)");
    for (std::int64_t i = 0; i < count; ++i) {
      tokens.push_back(new_token());
      const auto mac = mac_of(tokens.back());
      insert.run_with(blob(mac));
    }
  });
  return tokens;
}

void StateFile::close(const std::string& why) {
  database_
      .prepare("UPDATE meta SET value = ?1 WHERE key = 'closed' AND length(value) = 0", Blob{why})
      .run();
}

std::string StateFile::closed() { return meta("closed"); }

ledger::Statement& StateFile::kept(std::optional<ledger::Statement>& statement,
                                   std::string_view sql) {
  if (!statement) statement.emplace(database_.prepare(sql));
  return *statement;
}

void StateFile::put_token(const StoredToken& token) {
  database_
      .prepare("INSERT OR REPLACE INTO tokens VALUES(?1, ?2, ?3)", blob(token.mac), token.missed,
               token.barred_until)
      .run();
}

void StateFile::put_slot(const StoredSlot& slot) {
  kept(write_slot_, "INSERT OR REPLACE INTO slots VALUES(?1, ?2, ?3, ?4)")
      .run_with(slot.place, blob(slot.mac), slot.round, slot.end);
}

void StateFile::drop_slot(std::int64_t place) {
  database_.prepare("DELETE FROM slots WHERE place = ?1", place).run();
}

void StateFile::put_frame(const StoredFrame& frame, std::uint64_t report_id) {
  kept(write_frame_, "INSERT INTO frames VALUES(?1, ?2, ?3, ?4)")
      .run_with(frame.sequence, blob(frame.mac), static_cast<std::int64_t>(report_id),
                Blob{frame.bytes});
}

void StateFile::put_round(const StoredRound& round, const std::string& learner) {
  write_round(database_, round);
  set_meta("learner", learner);
  const std::int64_t stale = round.round - task_.terms.staleness - 1;
  if (stale >= 0) database_.prepare("UPDATE rounds SET point = '' WHERE round = ?1", stale).run();
}

void StateFile::drop_rounds(const StoredRound& round, const std::string& learner,
                            const std::vector<StoredRound>& points) {
  database_
      .prepare("INSERT INTO dropped(round, before, last) VALUES(?1, ?2, ?3)", round.round,
               round.frames, count("frames"))
      .run();
  database_.prepare("DELETE FROM rounds WHERE round > ?1", round.round).run();
  for (const auto& one : points) {
    database_.prepare("UPDATE rounds SET point = ?1 WHERE round = ?2", Blob{one.point}, one.round)
        .run();
  }
  database_.execute("DELETE FROM slots");
  set_meta("learner", learner);
  set_meta("closed", "");
}

std::string StateFile::group_key() const {
  // No token is so long.
  const auto mac = mac_of("order of groups: 64 digits are a token, and this is more than a token");
  return {mac.begin(), mac.end()};
}

std::vector<DroppedFrames> StateFile::dropped() {
  std::vector<DroppedFrames> all;
  auto row = database_.prepare("SELECT before, last FROM dropped ORDER BY number");
  while (row.step()) all.push_back({row.integer(0), row.integer(1)});
  return all;
}

std::string StateFile::learner() { return meta("learner"); }

StoredRound StateFile::last_round() {
  auto row = database_.prepare("SELECT * FROM rounds ORDER BY round DESC LIMIT 1");
  if (!row.step()) throw base::DataError("the state '{}' has no round", path().string());
  return round_from(row);
}

void StateFile::each_round(std::int64_t from, const std::function<void(const StoredRound&)>& see) {
  auto row = database_.prepare("SELECT * FROM rounds WHERE round >= ?1 ORDER BY round", from);
  while (row.step()) see(round_from(row));
}

void StateFile::each_frame(std::int64_t from, const std::function<void(const StoredFrame&)>& see) {
  auto row = database_.prepare(
      "SELECT sequence, mac, frame FROM frames WHERE sequence >= ?1 ORDER BY sequence", from);
  while (row.step()) see({row.integer(0), mac_from(row.text(1)), row.text(2)});
}

void StateFile::each_token(const std::function<void(const StoredToken&)>& see) {
  auto row = database_.prepare(
      "SELECT t.mac, t.missed, t.barred_until, f.sequence FROM tokens t "
      "LEFT JOIN frames f ON f.mac = t.mac");
  while (row.step()) {
    see({mac_from(row.text(0)), row.integer(1), row.integer(2), row.integer(3) != 0});
  }
}

void StateFile::each_slot(const std::function<void(const StoredSlot&)>& see) {
  auto row = database_.prepare("SELECT place, mac, round, slot_end FROM slots ORDER BY slot_end");
  while (row.step()) {
    see({row.integer(0), mac_from(row.text(1)), row.integer(2), row.integer(3)});
  }
}

std::optional<StoredFrame> StateFile::frame_of(const TokenMac& mac) {
  auto row = database_.prepare("SELECT sequence, frame FROM frames WHERE mac = ?1", blob(mac));
  if (!row.step()) return std::nullopt;
  return StoredFrame{row.integer(0), mac, row.text(1)};
}

std::int64_t StateFile::count(const std::string& table) {
  return std::stoll(database_.value("SELECT count(*) FROM " + table));
}

void StateFile::check_structure() {
  const auto verdict = database_.value("PRAGMA integrity_check");
  if (verdict == "ok") return;
  throw base::DataError("the state '{}' is damaged: {}", path().string(), verdict);
}

std::string StateFile::meta(const std::string& key) {
  auto row = database_.prepare("SELECT value FROM meta WHERE key = ?1", key);
  if (row.step()) return row.text(0);
  throw base::DataError("the state '{}' was changed: it lacks '{}'", path().string(), key);
}

void StateFile::set_meta(const std::string& key, const std::string& value) {
  write_meta(database_, key, value);
}

}  // namespace tacet::local
