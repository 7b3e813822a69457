#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/ledger/currency.h"
#include "tacet/ledger/process.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// The rows of a ledger. A row is written once and never changed; what an account holds is what
/// its rows add up to.
namespace tacet::ledger {

/// The first row.
struct Created {
  std::string ledger;      ///< random name of this ledger
  std::string key_digest;  ///< SHA-256 of the key of its fingerprints
  std::string software;
};

/// A data set got an account.
struct Enrolled {
  std::string data_set;  ///< the owner's name for it
  privacy::Adjacency adjacency;
  std::string privacy_unit;  ///< "record", or the column whose records are protected together
};

/// A further name of an account.
struct Aliased {
  std::string alias;
  std::string data_set;
};

/// Records were seen under the name of a data set.
struct RecordsSeen {
  std::string data_set;
  std::vector<std::string> fingerprints;  ///< each of which they are known by; at least one
  std::string file;
  bool given = false;  ///< with the account, when it was made; else a run read them
};

/// The cap was set. Above the earlier cap only with a reason.
struct CapSet {
  std::string data_set;
  Cap cap;
  std::string reason;
};

/// Booked before any data were read.
struct Reserved {
  std::string data_set;
  std::string command;
  std::string software;
  std::string calibration;  ///< "tight" or a paper; the cost is the proved one for both
  privacy::Event event;
  privacy::Guarantee stated;
  Amount cost;
  Process process;
  bool interactive = false;     ///< results leave while the run goes on
  std::string override_reason;  ///< spent past the ledger, in the analyst's words
  std::string unprotected_reason;
};

/// The run ended and its output may appear.
struct Committed {
  std::int64_t run;  ///< row of the reservation
  privacy::Event event;
  Amount cost;
  std::string output_sha256;
  std::string output;
  double prg_slack = 0;  ///< the PRG slack, to be added to delta; 0: not stated
};

/// What was released of the records has left the run's process before the end of the run: nobody
/// can attest any more that nothing was released.
struct Disclosed {
  std::int64_t run;
};

/// The run gave its reservation back before anything was released.
struct Cancelled {
  std::int64_t run;
};

/// A person attests that a run that died released nothing.
struct Resolved {
  std::int64_t run;
  std::string attestation;
};

/// An owner's word before exact figures of the records were shown: nobody else sees them, and they
/// decide nothing about what is released later. What is released later holds on that condition.
struct Looked {
  std::string data_set;
  /// Empty: whether there was a look is not known, because an earlier ledger of the records could
  /// not be read when they got this account.
  std::string command;
  std::string reason;
  std::string schema_sha256;  ///< of the schema that was looked through; empty: it has no file
  /// Random name of the ledger that had the row first, at the time and by the user of this row;
  /// empty: this one.
  std::string ledger = {};

  friend bool operator==(const Looked&, const Looked&) = default;
};

/// The same records have an account in another ledger too, on a person's word.
struct OtherLedger {
  std::string data_set;
  std::string ledger;   ///< random name of the other one
  std::string path;     ///< where it was
  bool earlier = true;  ///< the other account came first; else this one did
  std::string reason;
};

struct Entry {
  using Content = std::variant<Created, Enrolled, Aliased, RecordsSeen, CapSet, Reserved, Committed,
                               Disclosed, Cancelled, Resolved, Looked, OtherLedger>;
  std::string time;       ///< UTC, "2026-01-31T12:00:00Z"
  std::int64_t user = 0;  ///< number of the user who wrote the row
  Content content;
};

/// A row of this user, written now.
[[nodiscard]] Entry entry_now(Entry::Content content);

inline constexpr std::size_t max_entry_bytes = std::size_t{1} << 22;

/// The row's canonical text: JSON with sorted keys. Amounts are exact: hexadecimal doubles, or the
/// decimals that were stated.
[[nodiscard]] std::string to_text(const Entry& entry);

/// Reads it strictly; anything unknown, missing or out of range is a DataError.
[[nodiscard]] Entry entry_from_text(std::string_view text);

/// A data set's name: 1 to 100 characters out of letters, digits and _ - . :, else a UsageError.
void check_data_set_name(std::string_view name);

/// Words that stay in the ledger for ever: 3 to 1000 bytes of printable UTF-8, else a UsageError
/// that names `what`.
void check_words(std::string_view what, std::string_view words);

}  // namespace tacet::ledger
