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
  committed,  ///< ended, its output may appear
  cancelled,  ///< gave everything back before a release
  resolved    ///< died, and a person attested that it released nothing
};

/// "reserved", "committed", "cancelled" or "resolved".
[[nodiscard]] std::string to_string(RunState state);

/// One run as the rows tell it.
struct Run {
  std::int64_t number = 0;  ///< row of its reservation: its name in the ledger
  std::string time;
  std::int64_t user = 0;
  Reserved booking;
  RunState state = RunState::reserved;
  bool disclosed = false;            ///< something released has left its process before its end
  std::string end_time;              ///< empty while reserved
  std::optional<Committed> outcome;  ///< when committed
  std::string attestation;           ///< when resolved

  /// What counts against the cap.
  [[nodiscard]] Amount counted() const;
};

struct CapChange {
  std::string time;
  std::int64_t user = 0;
  CapSet set;
};

/// That the records have an account elsewhere too, and since when.
struct Elsewhere {
  std::string time;
  std::int64_t user = 0;
  OtherLedger other;
};

/// The account of one data set.
struct Account : NamedAccount {
  std::vector<CapChange> caps;       ///< in order; the last one holds
  std::vector<RecordsSeen> records;  ///< fingerprints seen under this name, oldest first
  std::vector<Run> runs;
  std::vector<Look> looks;
  std::vector<Elsewhere> elsewhere;

  [[nodiscard]] const Cap& cap() const { return caps.back().set.cap; }
  /// Everything reserved or committed.
  [[nodiscard]] Tally counted() const;
  /// Only what is in `state`.
  [[nodiscard]] Tally counted(RunState state) const;
  /// How many different sets of records were seen under its name.
  [[nodiscard]] std::int64_t record_sets() const;
};

/// What a ledger holds.
struct Books : Accounts<Account> {
  std::string ledger;

  /// UsageError when there is no such run.
  [[nodiscard]] const Run& run(std::int64_t number) const;
};

/// Adds the rows up. DataError when they contradict each other.
[[nodiscard]] Books books_of(std::span<const Entry> entries);

}  // namespace tacet::ledger
