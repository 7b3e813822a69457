#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/entry.h"
#include "tacet/ledger/snapshot.h"
#include "tacet/ledger/store/database.h"

namespace tacet::ledger::internal {

/// SHA-256 of a row: of the hash before it, its number and its text.
[[nodiscard]] std::string row_hash(std::string_view previous, std::int64_t number,
                                   std::string_view text);

/// The hash that the first row follows.
[[nodiscard]] std::string first_hash();

/// Makes the tables, inside a transaction.
void create_journal(Database& database, std::string_view key);

/// DataError unless the file is a ledger of the version that this program reads.
void check_version(Database& database);

/// A position in the chain of rows.
struct Position {
  std::int64_t rows = 0;
  std::string hash = first_hash();  ///< of the last row
};

/// The current state of a ledger.
struct Current {
  Position at;
  std::string key;  ///< the key of its fingerprints
  Snapshot snapshot;
  std::int64_t checkpoint = 0;  ///< the row after which the last snapshot was stored
};

/// Reads the last stored snapshot and all rows since, inside a transaction. DataError if a row was
/// changed, does not follow from the one before, or if the file contains foreign objects: nothing
/// is ever decided from data that does not verify. Rows before the snapshot decide nothing any
/// more; check_all() reads them again.
[[nodiscard]] Current read_current(Database& database);

/// All rows; their hashes are checked from the first to the last.
[[nodiscard]] std::vector<Entry> read_entries(Database& database);

/// As read_entries(). Also checks that the stored snapshot follows from the rows, and that no row
/// is missing.
[[nodiscard]] Position check_all(Database& database);

/// Appends a row, inside a transaction that has read `current`. Returns its number.
std::int64_t append_row(Database& database, Current& current, const Entry& entry);

/// The reservation in row `run`, which must be open in `current`.
[[nodiscard]] Reserved read_booking(Database& database, const Snapshot& snapshot, std::int64_t run);

/// Whether row `position.rows` has that hash: this ledger then is the one in which somebody saw it,
/// or a later state.
[[nodiscard]] bool has(Database& database, const Position& position);

}  // namespace tacet::ledger::internal
