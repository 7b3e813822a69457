#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/entry.h"
#include "tacet/ledger/looks.h"

namespace tacet::ledger {

/// The names of an account: its own, and aliases.
struct NamedAccount {
  Enrolled enrolled;
  std::vector<std::string> aliases;  ///< further names

  [[nodiscard]] const std::string& name() const { return enrolled.data_set; }
  [[nodiscard]] bool is_called(std::string_view word) const {
    return name() == word || std::ranges::find(aliases, word) != aliases.end();
  }
};

/// The accounts of a ledger, each a NamedAccount.
template <typename Account>
struct Accounts {
  std::vector<Account> accounts;

  /// The account of that name or alias; null if there is none.
  [[nodiscard]] const Account* find(std::string_view name) const {
    for (const auto& account : accounts) {
      if (account.is_called(name)) return &account;
    }
    return nullptr;
  }
  /// UsageError, which lists the names, if there is no such account.
  [[nodiscard]] const Account& account(std::string_view name) const {
    if (const auto* found = find(name)) return *found;
    std::string names;
    for (const auto& account : accounts) names += (names.empty() ? "" : ", ") + account.name();
    throw base::UsageError("the ledger has no data set '{}'; it has {}", name,
                           names.empty() ? "none yet" : names);
  }
};

/// What a booking needs to know about an account.
struct AccountSnapshot : NamedAccount {
  std::vector<CapSet> caps;  ///< the last one is valid; empty only until the cap is set
  std::vector<std::string> fingerprints;  ///< of the records seen, oldest first
  bool given = false;                     ///< whether records came with the account
  Tally counted;                          ///< the sum of everything reserved or committed
  /// The number of runs of each command that count. Cancelled and resolved runs do not.
  std::map<std::string, std::int64_t> commands;
  /// Reserved runs whose results leave the process while they go on.
  std::set<std::int64_t> interactive;
  std::vector<Look> looks;  ///< attested ones, oldest first

  [[nodiscard]] const Cap& cap() const { return caps.back().cap; }
};

/// The state of a ledger after one of its rows: everything that decides a booking. Its size does
/// not grow with the number of runs that have ended. Its text is stored in the ledger from time to
/// time, so that a booking reads only the few rows since.
struct Snapshot : Accounts<AccountSnapshot> {
  using Account = AccountSnapshot;

  std::string ledger;
  std::string key_digest;
  std::map<std::int64_t, std::string> open;  ///< reserved runs, each with the hash of its row
  std::set<std::int64_t> disclosed;          ///< open runs that can no longer be given back

  /// The first account under which records with one of these fingerprints were seen.
  [[nodiscard]] const Account* owner(std::span<const std::string> fingerprints) const;
};

/// Returns the reservation in a row that is in `Snapshot::open`.
using Bookings = std::function<Reserved(std::int64_t)>;

/// Adds row number `row` with its hash. DataError if it contradicts earlier rows.
void take(Snapshot& snapshot, std::int64_t row, const std::string& hash, const Entry& entry,
          const Bookings& bookings);

/// The canonical text of a snapshot, and its inverse. DataError for a text that to_text() did not
/// write.
[[nodiscard]] std::string to_text(const Snapshot& snapshot);
[[nodiscard]] Snapshot snapshot_from_text(std::string_view text);

}  // namespace tacet::ledger
