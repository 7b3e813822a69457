// The rows of a state file: what a server writes for each report, and what is read again.
#include <algorithm>
#include <optional>
#include <string>

#include "tacet/base/error.h"
#include "tacet/local/service/state_file.h"

namespace tacet::local {
namespace {

using internal::blob;
using internal::mac_from;
using internal::round_from;
using internal::seal_of;
using internal::seal_of_dropped;
using internal::seal_of_revoked;
using internal::write_round;
using ledger::Blob;

}  // namespace

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

ledger::Statement& StateFile::kept(std::optional<ledger::Statement>& statement,
                                   std::string_view sql) {
  if (!statement) statement.emplace(database_.prepare(sql));
  return *statement;
}

void StateFile::put_token(const StoredToken& token) {
  const auto seal = seal_of(token).under(*seals_);
  database_
      .prepare("INSERT OR REPLACE INTO tokens VALUES(?1, ?2, ?3, ?4, ?5)", blob(token.mac),
               token.missed, token.barred_until, token.expires, Blob{seal})
      .run();
}

void StateFile::put_revoked(const TokenMac& mac) {
  const auto seal = seal_of_revoked(mac).under(*seals_);
  database_.prepare("INSERT OR REPLACE INTO revoked VALUES(?1, ?2)", blob(mac), Blob{seal}).run();
}

void StateFile::put_slot(const StoredSlot& slot) {
  const auto seal = seal_of(slot).under(*seals_);
  kept(write_slot_, "INSERT OR REPLACE INTO slots VALUES(?1, ?2, ?3, ?4, ?5)")
      .run_with(slot.place, blob(slot.mac), slot.round, slot.end, Blob{seal});
}

void StateFile::drop_slot(std::int64_t place) {
  database_.prepare("DELETE FROM slots WHERE place = ?1", place).run();
}

void StateFile::put_frame(const StoredFrame& frame, std::uint64_t report_id) {
  const auto report = static_cast<std::int64_t>(report_id);
  const auto seal = seal_of(frame, report).under(*seals_);
  kept(write_frame_, "INSERT INTO frames VALUES(?1, ?2, ?3, ?4, ?5)")
      .run_with(frame.sequence, blob(frame.mac), report, Blob{frame.bytes}, Blob{seal});
}

void StateFile::put_round(const StoredRound& round, const std::string& learner,
                          std::int64_t kept_from) {
  write_round(database_, round);
  set_meta("learner", learner);
  if (kept_from <= points_from_) return;
  database_
      .prepare("UPDATE rounds SET point = x'' WHERE round >= ?1 AND round < ?2", points_from_,
               kept_from)
      .run();
  points_from_ = kept_from;
}

void StateFile::drop_rounds(const StoredRound& round, const std::string& learner,
                            const std::vector<StoredRound>& points) {
  const auto number = count("dropped") + 1;
  const DroppedFrames dropped{round.frames, count("frames")};
  const auto seal = seal_of_dropped(number, round.round, dropped).under(*seals_);
  database_
      .prepare("INSERT INTO dropped VALUES(?1, ?2, ?3, ?4, ?5)", number, round.round,
               dropped.before, dropped.last, Blob{seal})
      .run();
  database_.prepare("DELETE FROM rounds WHERE round > ?1", round.round).run();
  for (const auto& one : points) {
    database_.prepare("UPDATE rounds SET point = ?1 WHERE round = ?2", Blob{one.point}, one.round)
        .run();
  }
  points_from_ = std::min(points_from_, points.front().round);
  database_.execute("DELETE FROM slots");
  set_meta("learner", learner);
  set_meta("closed", "");
}

std::string StateFile::group_key() const {
  // This text begins unlike every token and every sealed text, so that its MAC is none of theirs.
  const auto mac = mac_of("order of groups: 64 digits are a token, and this is more than a token");
  return {mac.begin(), mac.end()};
}

std::vector<DroppedFrames> StateFile::dropped() {
  std::vector<DroppedFrames> all;
  auto row =
      database_.prepare("SELECT number, round, before, last, seal FROM dropped ORDER BY number");
  while (row.step()) {
    const DroppedFrames some{row.integer(2), row.integer(3)};
    const auto number = std::ssize(all) + 1;
    expect_seal(row.integer(0) == number &&
                    row.text(4) == seal_of_dropped(number, row.integer(1), some).under(*seals_),
                "note of dropped reports", number);
    all.push_back(some);
  }
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
      "SELECT sequence, mac, frame, report, seal FROM frames WHERE sequence >= ?1 ORDER BY "
      "sequence",
      from);
  while (row.step()) {
    const StoredFrame frame{row.integer(0), mac_from(row.text(1)), row.text(2)};
    expect_seal(row.text(4) == seal_of(frame, row.integer(3)).under(*seals_), "report",
                frame.sequence);
    see(frame);
  }
}

void StateFile::each_token(const std::function<void(const StoredToken&)>& see) {
  auto row = database_.prepare(
      "SELECT t.mac, t.missed, t.barred_until, t.expires, f.sequence, r.mac IS NOT NULL, t.seal "
      "FROM tokens t LEFT JOIN frames f ON f.mac = t.mac LEFT JOIN revoked r ON r.mac = t.mac");
  std::int64_t number = 0;
  while (row.step()) {
    const StoredToken token{.mac = mac_from(row.text(0)),
                            .missed = row.integer(1),
                            .barred_until = row.integer(2),
                            .expires = row.integer(3),
                            .counted = row.integer(4) != 0,
                            .revoked = row.integer(5) != 0};
    expect_seal(row.text(6) == seal_of(token).under(*seals_), "token", ++number);
    see(token);
  }
}

void StateFile::each_slot(const std::function<void(const StoredSlot&)>& see) {
  auto row =
      database_.prepare("SELECT place, mac, round, slot_end, seal FROM slots ORDER BY slot_end");
  while (row.step()) {
    const StoredSlot slot{row.integer(0), mac_from(row.text(1)), row.integer(2), row.integer(3)};
    expect_seal(row.text(4) == seal_of(slot).under(*seals_), "slot", slot.place);
    see(slot);
  }
}

std::optional<StoredFrame> StateFile::frame_of(const TokenMac& mac) {
  auto row = database_.prepare("SELECT sequence, frame FROM frames WHERE mac = ?1", blob(mac));
  if (!row.step()) return std::nullopt;
  return StoredFrame{row.integer(0), mac, row.text(1)};
}

}  // namespace tacet::local
