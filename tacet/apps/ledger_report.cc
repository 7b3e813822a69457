#include "tacet/apps/ledger_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/ledger/promise.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::apps {
namespace {

using ledger::Account;
using ledger::Amount;
using ledger::Currency;
using ledger::Run;
using ledger::RunState;
using nlohmann::ordered_json;

constexpr std::array<double, 8> deltas{1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};

constexpr std::string_view not_covered =
    "Not covered: runs made without this ledger, copies of the data elsewhere, a ledger put back "
    "from an old copy, time and memory use, and whoever can read the data themselves.";

struct Totals {
  Amount committed;
  Amount reserved;
  Amount counted;
  Amount remaining;
};

Totals totals_of(const Account& account) {
  return {account.counted(RunState::committed).total(), account.counted(RunState::reserved).total(),
          account.counted().total(), account.counted().remaining(account.cap())};
}

/// epsilon at delta for everything an amount allows; nothing where the currency says nothing.
std::optional<double> promise(const Account& account, const Amount& amount, double delta) {
  const double epsilon = ledger::epsilon_at(amount, account.cap(), privacy::Delta(delta));
  if (std::isinf(epsilon)) return std::nullopt;
  return epsilon;
}

/// The cap as it was given; a bound at an order was computed from that, and has six digits, too.
std::string cap_text(const ledger::Cap& cap) {
  return cap.currency == Currency::rdp ? left_in_words(ledger::amount_of(cap), cap) : in_words(cap);
}

/// What noise from the cipher adds to delta at the epsilon of what is spent; 1 where none is known.
double prg_share_of_spent(const Account& account, const Totals& totals, double delta) {
  const auto epsilon = promise(account, totals.counted, delta);
  return epsilon ? privacy::prg_share(*epsilon, ledger::prg_slack(account)) : 1;
}

std::optional<double> at_any_time(const Account& account, const Amount& spent, double delta) {
  const double epsilon = ledger::epsilon_at_any_time(account, spent, privacy::Delta(delta));
  return std::isinf(epsilon) ? std::nullopt : std::optional(epsilon);
}

bool is_running(const Run& run) {
  return run.state == RunState::reserved && ledger::running(run.booking.process);
}

std::string state_words(const Run& run) {
  if (run.state != RunState::reserved) return to_string(run.state);
  return is_running(run) ? "running" : "died";
}

std::vector<std::string> warnings_of(const Account& account) {
  std::vector<std::string> warnings;
  for (const auto& run : account.runs) {
    if (run.state == RunState::reserved && !is_running(run)) {
      warnings.push_back(fmt::format(
          "run {} died and counts as spent; if nothing of it left, no checkpoint, log or number, "
          "`tacet ledger resolve` gives it back",
          run.number));
    }
    if (!run.booking.override_reason.empty()) {
      warnings.push_back(fmt::format("run {} was made past the ledger: {}", run.number,
                                     run.booking.override_reason));
    }
    if (!run.booking.unprotected_reason.empty()) {
      warnings.push_back(
          fmt::format("run {} protects nobody: {}", run.number, run.booking.unprotected_reason));
    }
  }
  if (account.counted().infinite()) {
    warnings.emplace_back(
        "this account is infinite: it can promise nothing any more, for ever, and no run fits");
  }
  for (const auto& look : account.looks) {
    if (look.what.command.empty()) continue;  // not known; the condition says so
    warnings.push_back(fmt::format(
        "attested look on {} by user {} (`{}`, {}{}): {}", look.time, look.user, look.what.command,
        look.what.schema_sha256.empty() ? std::string("a schema without a file")
                                        : "schema SHA-256 " + look.what.schema_sha256,
        look.what.ledger.empty() ? "" : ", in another ledger of these records", look.what.reason));
  }
  if (const auto condition = ledger::condition_of(account.looks); !condition.empty()) {
    warnings.push_back(condition);
  }
  for (const auto& one : account.elsewhere) {
    warnings.push_back(fmt::format("the same records {} an account in the ledger '{}' ({}): {}",
                                   one.other.earlier ? "had" : "got", one.other.path, one.time,
                                   one.other.reason));
  }
  for (std::size_t i = 1; i < account.caps.size(); ++i) {
    if (!account.caps[i].set.reason.empty()) {
      warnings.push_back(fmt::format("the cap was set to {} on {}: {}",
                                     in_words(account.caps[i].set.cap), account.caps[i].time,
                                     account.caps[i].set.reason));
    }
  }
  if (const auto sets = account.record_sets(); sets > 1) {
    warnings.push_back(fmt::format("{} different sets of records were seen under this name", sets));
  }
  return warnings;
}

std::string promise_text(const Account& account, const Totals& totals) {
  if (account.cap().currency == Currency::pure || account.cap().currency == Currency::basic) {
    return {};
  }
  TextTable table({"delta", "epsilon of the cap", "epsilon of what is spent", "at any time",
                   "the cipher adds to delta"});
  const auto number = [](std::optional<double> value) {
    return value ? privacy::rounded_up(*value, 6) : std::string("-");
  };
  for (const double delta : deltas) {
    table.add({fmt::format("{}", delta),
               number(promise(account, ledger::amount_of(account.cap()), delta)),
               number(promise(account, totals.counted, delta)),
               number(at_any_time(account, totals.counted, delta)),
               privacy::rounded_up(prg_share_of_spent(account, totals, delta), 3)});
  }
  return "\n" + table.text() +
         "The cap's epsilon holds whatever is chosen from earlier results; that of what is spent "
         "is information.\n\"At any time\" holds for what is spent now, whoever chose to look now "
         "and why.\nThe last column is (1 + e^epsilon) times the PRG slack, at the epsilon of "
         "what is spent.\n";
}

std::string runs_text(const Account& account) {
  if (account.runs.empty()) return "\nno runs yet\n";
  TextTable table({"run", "begun", "command", "state", "cost", "epsilon", "delta", "output"});
  for (const auto& run : account.runs) {
    table.add({fmt::format("{}", run.number), run.time, run.booking.command, state_words(run),
               spent_in_words(run.counted(), account.cap()),
               privacy::rounded_up(run.booking.stated.epsilon, 6),
               privacy::rounded_up(run.booking.stated.delta, 3),
               run.outcome ? run.outcome->output : ""});
  }
  return "\n" + table.text();
}

/// What a person asks first.
std::string balance_text(const Account& account, const Totals& totals) {
  const auto& cap = account.cap();
  auto text = fmt::format("{}: spent {}; left {}, of {}\n", base::printable(account.name()),
                          spent_in_words(totals.counted, cap), left_in_words(totals.remaining, cap),
                          cap_text(cap));
  if (account.runs.empty() || account.counted().infinite()) return text;
  return text + paragraph(
                    "This is what really happened: one run after the other, each with settings "
                    "that may have been chosen from earlier results. All of them together keep "
                    "the promise of the cap.");
}

/// The bound that composes all runs at once, for which nothing may have been chosen on the way.
/// Left out where it is no better, unless somebody asks at a delta.
std::string fixed_beforehand_text(const Account& account, const Totals& totals,
                                  std::optional<double> delta) {
  const auto all = ledger::joint_guarantee(account, delta);
  if (!all) return {};
  const auto currency = account.cap().currency;
  const bool comparable = currency == Currency::pure || currency == Currency::basic;
  const bool smaller = comparable && all->epsilon < totals.counted.value;
  if (comparable && !smaller && !delta) return {};
  return "\n" +
         paragraph(fmt::format(
             "{}epsilon {} at delta {}, to which the cipher adds {}, bounds all runs together if "
             "their parameters were fixed before the first one. It does not hold where a setting "
             "was chosen after a result was seen.",
             smaller ? "A smaller number, " : "", privacy::rounded_up(all->epsilon, 6), all->delta,
             privacy::rounded_up(privacy::prg_share(all->epsilon, ledger::prg_slack(account)), 3)));
}

ordered_json amount_json(const Amount& amount) {
  return {{"value", json_number(amount.value)}, {"delta", amount.delta}};
}

ordered_json run_json(const Run& run) {
  const auto& booking = run.booking;
  ordered_json out{{"run", run.number},
                   {"state", to_string(run.state)},
                   {"running", is_running(run)},
                   {"begun", run.time},
                   {"ended", run.end_time},
                   {"user", run.user},
                   {"command", booking.command},
                   {"software_version", booking.software},
                   {"calibration", booking.calibration},
                   {"adjacency", to_string(booking.stated.adjacency)},
                   {"epsilon", json_number(booking.stated.epsilon)},
                   {"delta", booking.stated.delta},
                   {"reserved", amount_json(booking.cost)},
                   {"counted", amount_json(run.counted())},
                   {"event", ordered_json::parse(privacy::event_to_json(booking.event))}};
  if (run.outcome) {
    out["output"] = run.outcome->output;
    out["output_sha256"] = run.outcome->output_sha256;
    out["prg_slack"] = run.outcome->prg_slack;
  }
  if (!booking.override_reason.empty()) out["without_ledger"] = booking.override_reason;
  if (!booking.unprotected_reason.empty()) out["unprotected"] = booking.unprotected_reason;
  if (run.disclosed) out["disclosed"] = true;
  if (!run.attestation.empty()) out["attestation"] = run.attestation;
  return out;
}

ordered_json cap_json(const ledger::Cap& cap) {
  ordered_json out{{"currency", to_string(cap.currency)}, {"value", cap.value}};
  if (cap.currency == Currency::basic) out["delta"] = cap.delta;
  if (cap.currency == Currency::rdp) out["order"] = cap.order;
  return out;
}

}  // namespace

std::string account_text(const Account& account, std::optional<double> delta) {
  const auto totals = totals_of(account);
  const auto& cap = account.cap();
  TextTable table({"neighbours", to_string(account.enrolled.adjacency)});
  for (const auto& alias : account.aliases) table.add({"also called", alias});
  table.add({"protects each", account.enrolled.privacy_unit});
  table.add({"counts in", to_string(cap.currency)});
  table.add({"committed", spent_in_words(totals.committed, cap)});
  table.add({"reserved", spent_in_words(totals.reserved, cap)});
  if (const double cipher = ledger::prg_slack(account); cipher > 0) {
    table.add({"PRG slack",
               fmt::format("{}, {}", privacy::rounded_up(cipher, 3),
                           cap.currency == Currency::basic
                               ? "part of the deltas counted here, except for pure runs"
                               : "of which delta gets (1 + e^epsilon) times as much on top")});
  }
  std::string text = balance_text(account, totals) + fixed_beforehand_text(account, totals, delta) +
                     "\n" + table.text() + promise_text(account, totals) + runs_text(account);
  for (const auto& warning : warnings_of(account)) text += paragraph("note: " + warning);
  return text + "\n" + paragraph(std::string(not_covered));
}

std::string left_text(const Balance& balance) {
  return fmt::format("{} of {}", left_in_words(balance.left, balance.cap), cap_text(balance.cap));
}

ordered_json account_json(const Account& account, std::optional<double> delta) {
  const auto totals = totals_of(account);
  ordered_json out;
  out["data_set"] = account.name();
  if (!account.aliases.empty()) out["aliases"] = account.aliases;
  out["adjacency"] = to_string(account.enrolled.adjacency);
  out["privacy_unit"] = account.enrolled.privacy_unit;
  out["cap"] = cap_json(account.cap());
  out["committed"] = amount_json(totals.committed);
  out["reserved"] = amount_json(totals.reserved);
  out["spent"] = amount_json(totals.counted);
  out["remaining"] = amount_json(totals.remaining);
  out["prg_slack"] = ledger::prg_slack(account);
  out["promises"] = ordered_json::array();
  const auto number = [](std::optional<double> value) {
    return value ? ordered_json(*value) : ordered_json("inf");
  };
  for (const double one : deltas) {
    out["promises"].push_back(
        {{"delta", one},
         {"epsilon_of_cap", number(promise(account, ledger::amount_of(account.cap()), one))},
         {"epsilon_of_spent", number(promise(account, totals.counted, one))},
         {"epsilon_at_any_time", number(at_any_time(account, totals.counted, one))},
         {"prg_share_of_spent", prg_share_of_spent(account, totals, one)}});
  }
  if (const auto all = ledger::joint_guarantee(account, delta)) {
    out["if_all_was_fixed_beforehand"] = {
        {"epsilon", json_number(all->epsilon)},
        {"delta", all->delta},
        {"prg_share", privacy::prg_share(all->epsilon, ledger::prg_slack(account))}};
  }
  out["runs"] = ordered_json::array();
  for (const auto& run : account.runs) out["runs"].push_back(run_json(run));
  out["caps"] = ordered_json::array();
  for (const auto& change : account.caps) {
    auto one = cap_json(change.set.cap);
    one["time"] = change.time;
    one["user"] = change.user;
    one["reason"] = change.set.reason;
    out["caps"].push_back(one);
  }
  out["looks"] = ordered_json::array();
  for (const auto& look : account.looks) {
    out["looks"].push_back({{"time", look.time},
                            {"user", look.user},
                            {"command", look.what.command},
                            {"reason", look.what.reason},
                            {"schema_sha256", look.what.schema_sha256},
                            {"ledger", look.what.ledger}});
  }
  out["elsewhere"] = ordered_json::array();
  for (const auto& one : account.elsewhere) {
    out["elsewhere"].push_back({{"time", one.time},
                                {"user", one.user},
                                {"ledger", one.other.ledger},
                                {"path", one.other.path},
                                {"earlier", one.other.earlier},
                                {"reason", one.other.reason}});
  }
  out["warnings"] = warnings_of(account);
  out["not_covered"] = not_covered;
  return out;
}

}  // namespace tacet::apps
