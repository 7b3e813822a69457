#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/ledger/database.h"
#include "tacet/ledger/entry.h"

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

/// All rows in order, and the key.
struct Rows {
  std::vector<Entry> entries;       ///< row n is entries[n - 1]
  std::vector<std::string> hashes;  ///< of each row
  std::string key;

  [[nodiscard]] std::string head() const { return hashes.empty() ? first_hash() : hashes.back(); }
};

/// Makes `rows` what the file holds now. DataError where a row, their number, the key or the chain
/// is not what was written: nothing is ever decided by a ledger that does not verify. Every row is
/// hashed again; only those whose hash is new are parsed again.
void read_rows(Database& database, Rows& rows);

/// Appends a row, inside a transaction that has read `rows`; returns its number.
std::int64_t append_row(Database& database, Rows& rows, const Entry& entry);

}  // namespace tacet::ledger::internal
