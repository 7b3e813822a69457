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

/// The rows of a ledger. A row is written once and never changed; the state of an account is the
/// sum of its rows.
namespace tacet::ledger {

/// The first row.
struct Created {
  std::string ledger;      ///< random name of this ledger
  std::string key_digest;  ///< SHA-256 of the key under which its fingerprints are made
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
  /// fingerprints of the records, any of which identifies them; at least one
  std::vector<std::string> fingerprints;
  std::string file;
  bool given = false;  ///< the records came with the new account; else a run read them
};

/// The cap was set. A cap above the earlier one needs a reason.
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
  std::string calibration;  ///< "tight" or a paper; with both the proved cost is booked
  privacy::Event event;
  privacy::Guarantee stated;
  Amount cost;
  Process process;
  bool interactive = false;     ///< results leave the process while the run goes on
  std::string override_reason;  ///< why the run was booked although the account has not enough left
  std::string unprotected_reason;
};

/// The run ended and its output may appear.
struct Committed {
  std::int64_t run;  ///< row of the reservation
  privacy::Event event;
  Amount cost;
  std::string output_sha256;
  std::string output;
  double prg_slack = 0;  ///< the PRG slack, which adds to delta; 0: not stated
};

/// A released value has left the process of a run before its end. From now on nobody can attest
/// that the run released nothing.
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

/// An owner attests, before exact figures of the records are shown, that nobody else sees them and
/// that they decide nothing about later releases. Later releases are private on that condition.
struct Looked {
  std::string data_set;
  /// Empty if it is not known whether there was a look: an earlier ledger of the records could not
  /// be read when they got this account.
  std::string command;
  std::string reason;
  /// of the schema with which the records were read; empty: it has no file
  std::string schema_sha256;
  /// The random name of the ledger that first had this row, with its time and user; empty: this
  /// ledger.
  std::string ledger = {};

  friend bool operator==(const Looked&, const Looked&) = default;
};

/// The same records also have an account in another ledger. A person states why.
struct OtherLedger {
  std::string data_set;
  std::string ledger;   ///< random name of the other one
  std::string path;     ///< where the other ledger was
  bool earlier = true;  ///< true if the other account came first
  std::string reason;
};

struct Entry {
  using Content = std::variant<Created, Enrolled, Aliased, RecordsSeen, CapSet, Reserved, Committed,
                               Disclosed, Cancelled, Resolved, Looked, OtherLedger>;
  std::string time;       ///< UTC, "2026-01-31T12:00:00Z"
  std::int64_t user = 0;  ///< number of the user who wrote the row
  Content content;
};

/// A row by the current user, with the current time.
[[nodiscard]] Entry entry_now(Entry::Content content);

inline constexpr std::size_t max_entry_bytes = std::size_t{1} << 22;

/// The row's canonical text: JSON with sorted keys. Amounts are exact: hexadecimal doubles, or the
/// decimals that were stated.
[[nodiscard]] std::string to_text(const Entry& entry);

/// Reads that text strictly; anything unknown, missing or out of range is a DataError.
[[nodiscard]] Entry entry_from_text(std::string_view text);

/// UsageError unless the name of a data set has 1 to 100 characters out of letters, digits and _ -
/// . :
void check_data_set_name(std::string_view name);

/// UsageError, which names `what`, unless the text has 3 to 1000 bytes of printable UTF-8. Such
/// texts stay in the ledger for ever.
void check_words(std::string_view what, std::string_view words);

}  // namespace tacet::ledger
