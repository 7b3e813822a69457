#include "tacet/ledger/books.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

[[noreturn]] void contradiction(std::int64_t row, const std::string& what) {
  throw base::DataError(
      fmt::format("row {} of the ledger contradicts earlier ones: {}", row, what));
}

class Bookkeeper {
 public:
  explicit Bookkeeper(Books& books) : books_(books) {}

  void add(std::int64_t row, const Entry& entry) {
    row_ = row;
    entry_ = &entry;
    if ((row == 1) != std::holds_alternative<Created>(entry.content)) {
      contradiction(row, "a ledger begins once");
    }
    std::visit([this](const auto& content) { apply(content); }, entry.content);
  }

 private:
  Account& account(const std::string& name) {
    for (auto& account : books_.accounts) {
      if (account.name() == name) return account;
    }
    contradiction(row_, fmt::format("there is no account '{}'", name));
  }

  Run& open_run(std::int64_t number) {
    for (auto& account : books_.accounts) {
      for (auto& run : account.runs) {
        if (run.number != number) continue;
        if (run.state == RunState::reserved) return run;
        contradiction(row_, fmt::format("run {} had ended", number));
      }
    }
    contradiction(row_, fmt::format("there is no run {}", number));
  }

  void apply(const Created& created) { books_.ledger = created.ledger; }
  void apply(const Enrolled& enrolled) {
    if (books_.find(enrolled.data_set) != nullptr) contradiction(row_, "the name is taken");
    books_.accounts.push_back(
        {.enrolled = enrolled, .aliases = {}, .caps = {}, .records = {}, .runs = {}});
  }
  void apply(const Aliased& aliased) {
    if (books_.find(aliased.alias) != nullptr) contradiction(row_, "the name is taken");
    account(aliased.data_set).aliases.push_back(aliased.alias);
  }
  void apply(const RecordsSeen& records) { account(records.data_set).records.push_back(records); }
  void apply(const CapSet& set) {
    auto& caps = account(set.data_set).caps;
    if (!caps.empty() && (caps.back().set.cap.currency != set.cap.currency ||
                          caps.back().set.cap.order != set.cap.order)) {
      contradiction(row_, "an account counts in one currency");
    }
    caps.push_back({entry_->time, entry_->user, set});
  }
  void apply(const Reserved& reserved) {
    auto& target = account(reserved.data_set);
    if (target.caps.empty()) contradiction(row_, "the account has no cap");
    target.runs.push_back({.number = row_,
                           .time = entry_->time,
                           .user = entry_->user,
                           .booking = reserved,
                           .end_time = {},
                           .outcome = {},
                           .attestation = {}});
  }
  void apply(const Committed& committed) {
    auto& run = end(committed.run, RunState::committed);
    if (committed.cost.value > run.booking.cost.value ||
        committed.cost.delta > run.booking.cost.delta) {
      contradiction(row_, "a run spent more than was reserved");
    }
    run.outcome = committed;
  }
  void apply(const Cancelled& cancelled) { end(cancelled.run, RunState::cancelled); }
  void apply(const Resolved& resolved) {
    end(resolved.run, RunState::resolved).attestation = resolved.attestation;
  }
  Run& end(std::int64_t number, RunState state) {
    auto& run = open_run(number);
    run.state = state;
    run.end_time = entry_->time;
    return run;
  }

  Books& books_;
  std::int64_t row_ = 0;
  const Entry* entry_ = nullptr;
};

}  // namespace

std::string to_string(RunState state) {
  switch (state) {
    case RunState::reserved:
      return "reserved";
    case RunState::committed:
      return "committed";
    case RunState::cancelled:
      return "cancelled";
    case RunState::resolved:
      return "resolved";
  }
  throw base::InternalError("an unknown state of a run");
}

bool Account::is_called(std::string_view word) const {
  return name() == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
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

const Account* Books::find(std::string_view name) const {
  const auto found = std::find_if(accounts.begin(), accounts.end(),
                                  [&](const Account& account) { return account.is_called(name); });
  return found == accounts.end() ? nullptr : &*found;
}

const Account& Books::account(std::string_view name) const {
  if (const auto* found = find(name)) return *found;
  std::string names;
  for (const auto& account : accounts) names += (names.empty() ? "" : ", ") + account.name();
  throw base::UsageError(fmt::format("the ledger has no data set '{}'; it has {}", name,
                                     names.empty() ? "none yet" : names));
}

const Account* Books::owner(std::string_view fingerprint) const {
  for (const auto& account : accounts) {
    for (const auto& records : account.records) {
      if (records.fingerprint == fingerprint) return &account;
    }
  }
  return nullptr;
}

const Run& Books::run(std::int64_t number) const {
  for (const auto& account : accounts) {
    for (const auto& run : account.runs) {
      if (run.number == number) return run;
    }
  }
  throw base::UsageError(
      fmt::format("the ledger has no run {}; `tacet ledger show` lists them", number));
}

Books books_of(std::span<const Entry> entries) {
  Books books;
  Bookkeeper bookkeeper(books);
  std::int64_t row = 0;
  for (const auto& entry : entries) bookkeeper.add(++row, entry);
  for (const auto& account : books.accounts) {
    if (account.caps.empty()) contradiction(row, fmt::format("'{}' has no cap", account.name()));
  }
  return books;
}

}  // namespace tacet::ledger
