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

/// DataError unless the file is a ledger of the version that is read here.
void check_version(Database& database);

/// How far a chain of rows goes.
struct Position {
  std::int64_t rows = 0;
  std::string hash = first_hash();  ///< of the last one
};

/// A ledger as it is now.
struct Current {
  Position at;
  std::string key;  ///< of the fingerprints
  Snapshot snapshot;
  std::int64_t checkpoint = 0;  ///< the row after which the snapshot was last written down
};

/// Reads the last snapshot that was written down and all rows since, in a transaction. DataError
/// where one of them is not what was written, does not follow from the one before, or where the
/// file holds what no ledger has: nothing is ever decided by what does not verify. Rows before the
/// written snapshot decide nothing any more; `check_all` reads them again.
[[nodiscard]] Current read_current(Database& database);

/// All rows, hashed again from the first to the last.
[[nodiscard]] std::vector<Entry> read_entries(Database& database);

/// As read_entries; also that the snapshot that was written down follows from the rows, and that
/// nothing is missing.
[[nodiscard]] Position check_all(Database& database);

/// Appends a row, inside a transaction that has read `current`; returns its number.
std::int64_t append_row(Database& database, Current& current, const Entry& entry);

/// The reservation in row `run`, which is open in `current`.
[[nodiscard]] Reserved read_booking(Database& database, const Snapshot& snapshot, std::int64_t run);

/// Whether row `position.rows` carries that hash: whether the ledger is the one in which somebody
/// saw it, or a later state of it.
[[nodiscard]] bool has(Database& database, const Position& position);

}  // namespace tacet::ledger::internal
