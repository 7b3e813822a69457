#include "tacet/ledger/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

using nlohmann::json;

template <typename... Values>
[[noreturn]] void contradiction(std::int64_t row, fmt::format_string<Values...> what,
                                Values&&... values) {
  throw base::DataError("row {} of the ledger contradicts earlier ones: {}", row,
                        fmt::format(what, std::forward<Values>(values)...));
}

/// Adds one row to a snapshot.
struct Taker {
  Snapshot& snapshot;
  std::int64_t row;
  const std::string& hash;
  const Bookings& bookings;
  const Entry& entry;

  void operator()(const Created& created) {
    snapshot.ledger = created.ledger;
    snapshot.key_digest = created.key_digest;
  }
  void operator()(const Enrolled& enrolled) {
    if (snapshot.find(enrolled.data_set) != nullptr) contradiction(row, "the name is taken");
    snapshot.accounts.emplace_back().enrolled = enrolled;
  }
  void operator()(const Aliased& aliased) {
    if (snapshot.find(aliased.alias) != nullptr) contradiction(row, "the name is taken");
    account(aliased.data_set).aliases.push_back(aliased.alias);
  }
  void operator()(const RecordsSeen& records) {
    account(records.data_set).given |= records.given;
    auto& seen = account(records.data_set).fingerprints;
    for (const auto& fingerprint : records.fingerprints) {
      if (std::ranges::find(seen, fingerprint) == seen.end()) seen.push_back(fingerprint);
    }
  }
  void operator()(const CapSet& set) {
    auto& caps = account(set.data_set).caps;
    if (!caps.empty() &&
        (caps.back().cap.currency != set.cap.currency || caps.back().cap.order != set.cap.order)) {
      contradiction(row, "an account counts in one currency");
    }
    caps = {set};
  }
  void operator()(const Reserved& reserved) {
    auto& target = account(reserved.data_set);
    if (target.caps.empty()) contradiction(row, "the account has no cap");
    target.counted.add(reserved.cost);
    ++target.commands[reserved.command];
    if (reserved.interactive) target.interactive.insert(row);
    snapshot.open.emplace(row, hash);
  }
  void operator()(const Committed& committed) {
    const auto booking = ended(committed.run);
    if (committed.cost.value > booking.cost.value || committed.cost.delta > booking.cost.delta) {
      contradiction(row, "a run spent more than was reserved");
    }
    auto& target = account(booking.data_set);
    target.counted.subtract(booking.cost);
    target.counted.add(committed.cost);
  }
  void operator()(const Disclosed& disclosed) {
    if (!snapshot.open.contains(disclosed.run) ||
        !snapshot.disclosed.insert(disclosed.run).second) {
      contradiction(row, "run {} had ended or disclosed before, or there is none", disclosed.run);
    }
  }
  void operator()(const Cancelled& cancelled) { give_back(cancelled.run); }
  void operator()(const Resolved& resolved) { give_back(resolved.run); }
  void operator()(const Looked& look) {
    account(look.data_set).looks.push_back({entry.time, entry.user, look});
  }
  void operator()(const OtherLedger& other) { static_cast<void>(account(other.data_set)); }

  Snapshot::Account& account(const std::string& name) {
    for (auto& account : snapshot.accounts) {
      if (account.name() == name) return account;
    }
    contradiction(row, "there is no account '{}'", name);
  }

  Reserved ended(std::int64_t run) {
    if (!snapshot.open.contains(run)) {
      contradiction(row, "run {} had ended, or there is none", run);
    }
    auto booking = bookings(run);
    snapshot.open.erase(run);
    snapshot.disclosed.erase(run);
    account(booking.data_set).interactive.erase(run);
    return booking;
  }

  void give_back(std::int64_t run) {
    if (snapshot.disclosed.contains(run)) {
      contradiction(row, "run {} is given back after something was released", run);
    }
    const auto booking = ended(run);
    auto& target = account(booking.data_set);
    target.counted.subtract(booking.cost);
    const auto found = target.commands.find(booking.command);
    if (--found->second == 0) target.commands.erase(found);
  }
};

json to_json(const Snapshot::Account& account) {
  auto caps = json::array();
  for (const auto& set : account.caps) {
    // A cap is written as the text of its row, so that there is only one way to write it.
    caps.push_back(to_text(Entry{"", 0, set}));
  }
  auto looks = json::array();
  for (const auto& look : account.looks) {
    looks.push_back(to_text(Entry{look.time, look.user, look.what}));
  }
  return {{"enrolled", to_text(Entry{"", 0, account.enrolled})},
          {"aliases", account.aliases},
          {"caps", caps},
          {"fingerprints", account.fingerprints},
          {"given", account.given},
          {"counted", account.counted.text()},
          {"commands", account.commands},
          {"interactive", account.interactive},
          {"looks", looks}};
}

Snapshot::Account account_from_json(const json& in) {
  Snapshot::Account account;
  const auto content = [](const json& text) {
    return entry_from_text(text.get<std::string>()).content;
  };
  account.enrolled = std::get<Enrolled>(content(in.at("enrolled")));
  in.at("aliases").get_to(account.aliases);
  for (const auto& text : in.at("caps")) account.caps.push_back(std::get<CapSet>(content(text)));
  in.at("fingerprints").get_to(account.fingerprints);
  in.at("given").get_to(account.given);
  account.counted = Tally::from_text(in.at("counted").get<std::string>());
  in.at("commands").get_to(account.commands);
  in.at("interactive").get_to(account.interactive);
  for (const auto& text : in.at("looks")) {
    auto entry = entry_from_text(text.get<std::string>());
    account.looks.push_back({entry.time, entry.user, std::get<Looked>(std::move(entry.content))});
  }
  return account;
}

/// Reads "5 hash 9 hash ...", which may be long.
std::map<std::int64_t, std::string> open_from_text(std::string_view text) {
  constexpr std::size_t digest_digits = 64;
  std::map<std::int64_t, std::string> open;
  const auto damaged = [] { throw base::DataError("the open runs of the ledger are damaged"); };
  while (!text.empty()) {
    std::int64_t run = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), run);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (read.ec != std::errc() || text.size() < digest_digits + 2 || text.front() != ' ') damaged();
    open.emplace_hint(open.end(), run, text.substr(1, digest_digits));
    if (text[digest_digits + 1] != '\n') damaged();
    text.remove_prefix(digest_digits + 2);
  }
  return open;
}

}  // namespace

const Snapshot::Account* Snapshot::owner(std::span<const std::string> fingerprints) const {
  const auto found = std::ranges::find_if(accounts, [&](const Account& account) {
    return std::ranges::find_first_of(account.fingerprints, fingerprints) !=
           account.fingerprints.end();
  });
  return found == accounts.end() ? nullptr : &*found;
}

void take(Snapshot& snapshot, std::int64_t row, const std::string& hash, const Entry& entry,
          const Bookings& bookings) {
  if ((row == 1) != std::holds_alternative<Created>(entry.content)) {
    contradiction(row, "a ledger begins once");
  }
  std::visit(Taker{snapshot, row, hash, bookings, entry}, entry.content);
}

std::string to_text(const Snapshot& snapshot) {
  std::string open;
  for (const auto& [run, hash] : snapshot.open) open += fmt::format("{} {}\n", run, hash);
  auto accounts = json::array();
  for (const auto& account : snapshot.accounts) accounts.push_back(to_json(account));
  return json{{"ledger", snapshot.ledger},
              {"key_digest", snapshot.key_digest},
              {"accounts", accounts},
              {"open", open},
              {"disclosed", snapshot.disclosed}}
      .dump();
}

Snapshot snapshot_from_text(std::string_view text) {
  try {
    const auto in = json::parse(text);
    Snapshot snapshot;
    in.at("ledger").get_to(snapshot.ledger);
    in.at("key_digest").get_to(snapshot.key_digest);
    for (const auto& account : in.at("accounts")) {
      snapshot.accounts.push_back(account_from_json(account));
    }
    in.at("disclosed").get_to(snapshot.disclosed);
    snapshot.open = open_from_text(in.at("open").get_ref<const std::string&>());
    return snapshot;
  } catch (const json::exception&) {
    throw base::DataError("the snapshot in the ledger is damaged");
  } catch (const std::bad_variant_access&) {
    throw base::DataError("the snapshot in the ledger is damaged");
  }
}

}  // namespace tacet::ledger
