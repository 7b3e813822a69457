#include "tacet/ledger/books.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "tacet/base/error.h"
#include "tacet/base/names.h"

namespace tacet::ledger {
namespace {

/// Collects the contents of rows. A Snapshot has taken the rows before, so they do not contradict
/// each other.
class Bookkeeper {
 public:
  explicit Bookkeeper(Books& books) : books_(books) {}

  void add(std::int64_t row, const Entry& entry) {
    row_ = row;
    entry_ = &entry;
    std::visit([this](const auto& content) { apply(content); }, entry.content);
  }

 private:
  struct Place {
    std::size_t account;
    std::size_t run;
  };

  std::size_t index(const std::string& name) const {
    std::size_t i = 0;
    while (books_.accounts[i].name() != name) ++i;
    return i;
  }
  Account& account(const std::string& name) { return books_.accounts[index(name)]; }

  void apply(const Created& created) { books_.ledger = created.ledger; }
  void apply(const Enrolled& enrolled) { books_.accounts.emplace_back().enrolled = enrolled; }
  void apply(const Aliased& aliased) { account(aliased.data_set).aliases.push_back(aliased.alias); }
  void apply(const RecordsSeen& records) { account(records.data_set).records.push_back(records); }
  void apply(const CapSet& set) {
    account(set.data_set).caps.push_back({entry_->time, entry_->user, set});
  }
  void apply(const Reserved& reserved) {
    const auto at = index(reserved.data_set);
    auto& runs = books_.accounts[at].runs;
    places_[row_] = {at, runs.size()};
    runs.push_back({.number = row_,
                    .time = entry_->time,
                    .user = entry_->user,
                    .booking = reserved,
                    .end_time = {},
                    .outcome = {},
                    .attestation = {}});
  }
  void apply(const Committed& committed) {
    end(committed.run, RunState::committed).outcome = committed;
  }
  void apply(const Disclosed& disclosed) {
    const auto place = places_.at(disclosed.run);
    books_.accounts[place.account].runs[place.run].disclosed = true;
  }
  void apply(const Cancelled& cancelled) { end(cancelled.run, RunState::cancelled); }
  void apply(const Resolved& resolved) {
    end(resolved.run, RunState::resolved).attestation = resolved.attestation;
  }
  void apply(const Looked& look) {
    account(look.data_set).looks.push_back({entry_->time, entry_->user, look});
  }
  void apply(const OtherLedger& other) {
    account(other.data_set).elsewhere.push_back({entry_->time, entry_->user, other});
  }
  Run& end(std::int64_t number, RunState state) {
    const auto place = places_.at(number);
    auto& run = books_.accounts[place.account].runs[place.run];
    run.state = state;
    run.end_time = entry_->time;
    return run;
  }

  Books& books_;
  std::unordered_map<std::int64_t, Place> places_;
  std::int64_t row_ = 0;
  const Entry* entry_ = nullptr;
};

}  // namespace

std::string to_string(RunState state) {
  using enum RunState;
  static constexpr auto names = base::names<RunState>({{reserved, "reserved"},
                                                       {committed, "committed"},
                                                       {cancelled, "cancelled"},
                                                       {resolved, "resolved"}});
  return names.of(state);
}

Amount Run::counted() const {
  if (state == RunState::reserved) return booking.cost;
  if (state == RunState::committed) return outcome->cost;
  return {};
}

Tally Account::counted() const {
  Tally tally;
  for (const auto& run : runs) tally.add(run.counted());
  return tally;
}

Tally Account::counted(RunState state) const {
  Tally tally;
  for (const auto& run : runs) {
    if (run.state == state) tally.add(run.counted());
  }
  return tally;
}

std::int64_t Account::record_sets() const {
  std::set<std::string> seen;
  std::int64_t sets = 0;
  for (const auto& one : records) {
    const auto is_known = [&](const auto& fingerprint) { return seen.contains(fingerprint); };
    if (std::ranges::none_of(one.fingerprints, is_known)) ++sets;
    seen.insert(one.fingerprints.begin(), one.fingerprints.end());
  }
  return sets;
}

const Run& Books::run(std::int64_t number) const {
  for (const auto& account : accounts) {
    for (const auto& run : account.runs) {
      if (run.number == number) return run;
    }
  }
  throw base::UsageError("the ledger has no run {}; `ledger.show` lists them", number);
}

Books books_of(std::span<const Entry> entries) {
  Books books;
  Bookkeeper bookkeeper(books);
  Snapshot snapshot;
  const Bookings bookings = [&](std::int64_t run) {
    return std::get<Reserved>(entries[static_cast<std::size_t>(run - 1)].content);
  };
  std::int64_t row = 0;
  for (const auto& entry : entries) {
    take(snapshot, ++row, "", entry, bookings);
    bookkeeper.add(row, entry);
  }
  for (const auto& account : books.accounts) {
    if (!account.caps.empty()) continue;
    throw base::DataError("the account of '{}' has no cap", account.name());
  }
  return books;
}

}  // namespace tacet::ledger
