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

/// What an account is called: by its name, or by a further one.
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

  /// The account of that name or alias; null: there is none.
  [[nodiscard]] const Account* find(std::string_view name) const {
    for (const auto& account : accounts) {
      if (account.is_called(name)) return &account;
    }
    return nullptr;
  }
  /// UsageError that lists the names when there is no such account.
  [[nodiscard]] const Account& account(std::string_view name) const {
    if (const auto* found = find(name)) return *found;
    std::string names;
    for (const auto& account : accounts) names += (names.empty() ? "" : ", ") + account.name();
    throw base::UsageError("the ledger has no data set '{}'; it has {}", name,
                           names.empty() ? "none yet" : names);
  }
};

/// What a booking has to know of an account.
struct AccountSnapshot : NamedAccount {
  std::vector<CapSet> caps;               ///< the last one holds; none only until it is set
  std::vector<std::string> fingerprints;  ///< of the records seen, oldest first
  bool given = false;                     ///< whether records came with the account
  Tally counted;                          ///< everything reserved or committed
  /// How many runs of each command count. Cancelled and resolved ones do not.
  std::map<std::string, std::int64_t> commands;
  /// Reserved runs whose results leave while they go on.
  std::set<std::int64_t> interactive;
  std::vector<Look> looks;  ///< attested ones, oldest first

  [[nodiscard]] const Cap& cap() const { return caps.back().cap; }
};

/// What a ledger comes to after one of its rows: all that a booking is decided by, in a size that
/// does not grow with the number of runs that have ended. Its text is kept in the ledger from time
/// to time, so that a booking reads the few rows since and not all of them.
struct Snapshot : Accounts<AccountSnapshot> {
  using Account = AccountSnapshot;

  std::string ledger;
  std::string key_digest;
  std::map<std::int64_t, std::string> open;  ///< reserved runs, each with the hash of its row
  std::set<std::int64_t> disclosed;          ///< those of them that can no longer be given back

  /// The first account under which records with one of these fingerprints were seen.
  [[nodiscard]] const Account* owner(std::span<const std::string> fingerprints) const;
};

/// The reservation in a row that is in `Snapshot::open`.
using Bookings = std::function<Reserved(std::int64_t)>;

/// Takes in row number `row` with its hash. DataError when it contradicts the rows before.
void take(Snapshot& snapshot, std::int64_t row, const std::string& hash, const Entry& entry,
          const Bookings& bookings);

/// One text for one snapshot, and back; a text that was not written by to_text is a DataError.
[[nodiscard]] std::string to_text(const Snapshot& snapshot);
[[nodiscard]] Snapshot snapshot_from_text(std::string_view text);

}  // namespace tacet::ledger
