#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/store/database.h"
#include "tacet/local/service/seal.h"
#include "tacet/local/service/token.h"

/// What stands in a state file, row by row.
namespace tacet::local {

/// A round as it stands in the file.
struct StoredRound {
  std::int64_t round = 0;
  std::int64_t frames = 0;  ///< counted before it began
  std::string learner;      ///< SHA-256 of the learner's state at its beginning
  std::string model;        ///< SHA-256 of the point that its devices compute at
  std::string point;        ///< its bytes; empty for rounds that nobody reports to any more
};

/// A report that was counted.
struct StoredFrame {
  std::int64_t sequence = 0;  ///< 1 for the first
  TokenMac mac{};
  std::string bytes;
};

/// Reports that stay on record and teach nothing: those after `before`, up to `last`.
struct DroppedFrames {
  std::int64_t before = 0;
  std::int64_t last = 0;
};
[[nodiscard]] bool is_dropped(const std::vector<DroppedFrames>& dropped, std::int64_t sequence);
/// How many they are together; some may have been dropped more than once.
[[nodiscard]] std::int64_t count_dropped(std::vector<DroppedFrames> dropped);

/// An enrolled token, or a certificate's key that came. Times are in milliseconds since 1970.
struct StoredToken {
  TokenMac mac{};
  std::int64_t missed = 0;        ///< slots that ended without a report
  std::int64_t barred_until = 0;  ///< no slot before
  std::int64_t expires = 0;       ///< no slot from then on; 0: never
  bool counted = false;           ///< a report came
  bool revoked = false;           ///< nothing is taken under it any more
};

/// One of several states that share a task: it takes the tokens of one range. {0, 1}: all of them.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;

  /// Whether the first digit of a token says that it is of this range: a proxy can tell.
  [[nodiscard]] bool takes(std::string_view token) const;
};

/// A place in a round that was kept for a token, and has not ended without a report.
struct StoredSlot {
  std::int64_t place = 0;  ///< below the task's number of slots: the next one here takes its row
  TokenMac mac{};
  std::int64_t round = 0;
  std::int64_t end = 0;  ///< milliseconds since 1970
};

namespace internal {

// What each row is sealed over.
inline Seal seal_of(std::string_view key, std::string_view value) {
  return Seal("meta").add(key).add(value);
}
inline Seal seal_of(const StoredToken& token) {
  return Seal("tokens").add(token.mac).add(token.missed).add(token.barred_until).add(token.expires);
}
inline Seal seal_of_revoked(const TokenMac& mac) { return Seal("revoked").add(mac); }
inline Seal seal_of(const StoredSlot& slot) {
  return Seal("slots").add(slot.place).add(slot.mac).add(slot.round).add(slot.end);
}
inline Seal seal_of(const StoredFrame& frame, std::int64_t report) {
  return Seal("frames").add(frame.sequence).add(frame.mac).add(report).add(frame.bytes);
}

/// `number` is 1 for the first, `round` the one that was gone back to.
inline Seal seal_of_dropped(std::int64_t number, std::int64_t round, const DroppedFrames& some) {
  return Seal("dropped").add(number).add(round).add(some.before).add(some.last);
}

inline ledger::Blob blob(const TokenMac& mac) {
  return {{reinterpret_cast<const char*>(mac.data()), mac.size()}};
}

inline TokenMac mac_from(const std::string& bytes) {
  TokenMac mac{};
  if (bytes.size() != mac.size()) throw base::DataError("the state holds a token of no such size");
  std::copy(bytes.begin(), bytes.end(), mac.begin());
  return mac;
}

inline StoredRound round_from(const ledger::Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2), row.text(3), row.text(4)};
}

inline void write_round(ledger::Database& database, const StoredRound& round) {
  database
      .prepare("INSERT INTO rounds VALUES(?1, ?2, ?3, ?4, ?5)", round.round, round.frames,
               round.learner, round.model, ledger::Blob{round.point})
      .run();
}

}  // namespace internal
}  // namespace tacet::local
