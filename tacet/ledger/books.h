#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/entry.h"
#include "tacet/ledger/snapshot.h"

namespace tacet::ledger {

enum class RunState {
  reserved,   ///< booked; spent in full unless it is cancelled or resolved
  committed,  ///< ended; its output may appear
  cancelled,  ///< gave everything back before a release
  resolved    ///< died; a person attested that it released nothing
};

/// "reserved", "committed", "cancelled" or "resolved".
[[nodiscard]] std::string to_string(RunState state);

/// One run, as the rows of the ledger tell it.
struct Run {
  std::int64_t number = 0;  ///< the row of its reservation, which names the run in the ledger
  std::string time;
  std::int64_t user = 0;
  Reserved booking;
  RunState state = RunState::reserved;
  bool disclosed = false;            ///< a released value has left its process before its end
  std::string end_time;              ///< empty while reserved
  std::optional<Committed> outcome;  ///< if committed
  std::string attestation;           ///< if resolved

  /// The amount that counts against the cap.
  [[nodiscard]] Amount counted() const;
};

struct CapChange {
  std::string time;
  std::int64_t user = 0;
  CapSet set;
};

/// Records of this account have another account elsewhere, known since this time.
struct Elsewhere {
  std::string time;
  std::int64_t user = 0;
  OtherLedger other;
};

/// The account of one data set.
struct Account : NamedAccount {
  std::vector<CapChange> caps;       ///< in their order; the last one is valid
  std::vector<RecordsSeen> records;  ///< fingerprints seen under this name, oldest first
  std::vector<Run> runs;
  std::vector<Look> looks;
  std::vector<Elsewhere> elsewhere;

  [[nodiscard]] const Cap& cap() const { return caps.back().set.cap; }
  /// The sum of everything reserved or committed.
  [[nodiscard]] Tally counted() const;
  /// The sum of the runs in `state`.
  [[nodiscard]] Tally counted(RunState state) const;
  /// The number of different sets of records that were seen under its name.
  [[nodiscard]] std::int64_t record_sets() const;
};

/// The contents of a ledger.
struct Books : Accounts<Account> {
  std::string ledger;

  /// UsageError if there is no such run.
  [[nodiscard]] const Run& run(std::int64_t number) const;
};

/// Adds the rows up. DataError when they contradict each other.
[[nodiscard]] Books books_of(std::span<const Entry> entries);

}  // namespace tacet::ledger
