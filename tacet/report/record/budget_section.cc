#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/ledger/promise.h"
#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/account_state.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using ledger::Account;
using ledger::Currency;
using ledger::RunState;

// A line of more points looks the same.
constexpr std::size_t max_line_points = 1500;
constexpr std::array<double, 4> promised_deltas{1e-5, 1e-6, 1e-8, 1e-10};

/// The account after each of its runs.
struct Spending {
  std::vector<double> spent;  ///< behind run k, in the account's currency
  std::vector<double> cap;    ///< that held when it was booked
};

Spending spending_of(const Account& account) {
  Spending out;
  ledger::Tally tally;
  for (const auto& run : account.runs) {
    tally.add(run.counted());
    out.spent.push_back(amount_in_currency(tally.total(), account.cap()));
    double cap = account.caps.front().set.cap.value;
    for (const auto& change : account.caps) {
      if (change.time <= run.time) cap = change.set.cap.value;
    }
    out.cap.push_back(cap);
  }
  return out;
}

std::string currency_label(const Account& account) {
  switch (account.cap().currency) {
    case Currency::zcdp:
      return "rho";
    case Currency::gdp:
      return "mu";
    case Currency::rdp:
      return "Renyi bound";
    default:
      return "epsilon";
  }
}

std::string counting_in_words(Currency currency) {
  switch (currency) {
    case Currency::pure:
      return "The epsilons of all runs are added up; none has a delta.";
    case Currency::basic:
      return "The epsilons of all runs are added up, and so are their deltas.";
    case Currency::zcdp:
      return "What runs cost is added up as rho (zero-concentrated differential privacy).";
    case Currency::gdp:
      return "What runs cost is added up as mu squared (Gaussian differential privacy).";
    case Currency::rdp:
      return "What runs cost is added up as Renyi divergence at one order.";
  }
  throw base::InternalError("an unknown currency");
}

std::string remark_of(const ledger::Run& run) {
  if (!run.booking.unprotected_reason.empty()) {
    return "protects nobody: " + run.booking.unprotected_reason;
  }
  if (!run.booking.override_reason.empty())
    return "regardless of the cap: " + run.booking.override_reason;
  if (!run.attestation.empty()) return "given back: " + run.attestation;
  return {};
}

/// Where a line of many points is drawn: at a limited number of places, the first and the last
/// among them.
std::vector<std::size_t> drawn_places(std::size_t count) {
  std::vector<std::size_t> places;
  const std::size_t every = count / max_line_points + 1;
  for (std::size_t k = 0; k < count; k += every) places.push_back(k);
  if (count > 0 && places.back() != count - 1) places.push_back(count - 1);
  return places;
}

void add_marks(const Account& account, const Spending& spending, Plot& plot) {
  bool overridden = false;
  bool looked = false;
  for (std::size_t k = 0; k < account.runs.size(); ++k) {
    if (account.runs[k].booking.override_reason.empty()) continue;
    plot.marks.push_back(
        {.at = static_cast<double>(k + 1), .value = spending.spent[k], .tone = Tone::alarm});
    overridden = true;
  }
  for (const auto& look : account.looks) {
    const auto before = std::ranges::count_if(
        account.runs, [&](const ledger::Run& run) { return run.time <= look.time; });
    plot.marks.push_back({.at = static_cast<double>(before), .value = 0, .tone = Tone::second});
    looked = true;
  }
  if (overridden) plot.mark_labels.push_back({Tone::alarm, "booked regardless of the cap"});
  if (looked) plot.mark_labels.push_back({Tone::second, "a look at exact figures"});
}

Picture spending_picture(const Account& account) {
  const auto spending = spending_of(account);
  const auto unit = currency_label(account);
  Plot plot{.title = "Budget over time",
            .x = {.label = "runs, in the order they were booked", .with_zero = true, .whole = true},
            .y = {.label = unit, .with_zero = true}};
  Line spent{.points = {{0, 0}}, .path = Path::steps, .label = "spent and reserved"};
  Line cap{.points = {{0, account.caps.front().set.cap.value}},
           .tone = Tone::third,
           .path = Path::steps,
           .label = "cap"};
  for (const auto k : drawn_places(account.runs.size())) {
    const auto at = static_cast<double>(k + 1);
    spent.points.push_back({at, spending.spent[k]});
    cap.points.push_back({at, spending.cap[k]});
  }
  // What holds now, where the cap was changed behind the last run.
  const auto end = static_cast<double>(std::max<std::size_t>(account.runs.size(), 1));
  cap.points.push_back({end, account.cap().value});
  if (account.runs.empty()) spent.points.push_back({end, 0});
  plot.lines = {std::move(spent), std::move(cap)};
  add_marks(account, spending, plot);
  Picture picture{.name = "budget",
                  .title = "Budget over time",
                  .finding = {},
                  .plots = {std::move(plot)},
                  .numbers = {.caption = "What was spent behind each run, in " + unit,
                              .header = {"run", "booked", "spent and reserved", "cap"},
                              .rows = {}}};
  for (std::size_t k = 0; k < account.runs.size(); ++k) {
    picture.numbers.rows.push_back(
        {account.runs[k].number, account.runs[k].time, spending.spent[k], spending.cap[k]});
  }
  const auto tally = account.counted();
  picture.finding = fmt::format(
      "{} spent or reserved {} of {}; {} left.", counted(account.runs.size(), "run", "runs"),
      spent_words(tally.total(), account.cap()), in_words(account.cap()),
      tally.infinite() ? std::string("nothing is")
                       : left_words(tally.remaining(account.cap()), account.cap()) +
                             (account.cap().currency == Currency::basic ? " are" : " is"));
  return picture;
}

Table promise_table(const Account& account) {
  const auto& cap = account.cap();
  Table table{.caption = "What that is in epsilon, noise from the cipher left aside",
              .header = {"delta", "epsilon of the cap", "epsilon of what is spent",
                         "epsilon of what is left", "of what is spent, whenever one looks"},
              .rows = {}};
  const auto tally = account.counted();
  for (const double value : promised_deltas) {
    const privacy::Delta delta(value);
    const auto up = [&](const ledger::Amount& amount) {
      return privacy::rounded_up(ledger::epsilon_at(amount, cap, delta), 6);
    };
    table.rows.push_back(
        {value, up(ledger::amount_of(cap)), up(tally.total()),
         tally.infinite()
             ? std::string("0")
             : privacy::rounded_down(ledger::epsilon_at(tally.remaining(cap), cap, delta), 6),
         privacy::rounded_up(ledger::epsilon_at_any_time(account, tally.total(), delta), 6)});
  }
  return table;
}

Table runs_table(const Account& account, bool with_epsilon) {
  Table table{
      .caption = "All runs", .header = {"run", "booked", "command", "state", "cost"}, .rows = {}};
  if (with_epsilon) table.header.insert(table.header.end(), {"epsilon", "delta"});
  table.header.insert(table.header.end(), {"output", "remark"});
  for (const auto& run : account.runs) {
    std::vector<Cell> row{run.number, run.time, run.booking.command, to_string(run.state),
                          spent_words(run.counted(), account.cap())};
    if (with_epsilon) {
      row.emplace_back(privacy::rounded_up(run.booking.stated.epsilon, 6));
      row.emplace_back(privacy::rounded_up(run.booking.stated.delta, 3));
    }
    row.emplace_back(run.outcome ? run.outcome->output : std::string());
    row.emplace_back(remark_of(run));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_notes(const Account& account, Section& section) {
  Points notes;
  for (std::size_t k = 1; k < account.caps.size(); ++k) {
    const auto& change = account.caps[k];
    notes.items.push_back(fmt::format("The cap was set to {} on {}{}.", in_words(change.set.cap),
                                      change.time,
                                      change.set.reason.empty() ? "" : ": " + change.set.reason));
  }
  for (const auto& look : account.looks) {
    if (look.what.command.empty()) continue;
    notes.items.push_back(fmt::format("Exact figures were looked at on {} ({}): {}.", look.time,
                                      look.what.command, look.what.reason));
  }
  if (const auto condition = ledger::condition_of(account.looks); !condition.empty()) {
    notes.items.push_back(condition);
  }
  for (const auto& one : account.elsewhere) {
    notes.items.push_back(fmt::format("The same records {} an account in another ledger ({}): {}.",
                                      one.other.earlier ? "had" : "got", one.time,
                                      one.other.reason));
  }
  if (const auto sets = account.record_sets(); sets > 1) {
    notes.items.push_back(
        fmt::format("{} different sets of records were seen under this name.", sets));
  }
  if (!notes.items.empty()) section.blocks.push_back({std::move(notes)});
}

/// Which of the results the account knows by the hash of its output.
void add_belonging(const Material& material, const Account& account, Section& section) {
  for (const auto& result : material.results.all) {
    const auto found = std::ranges::find_if(account.runs, [&](const ledger::Run& run) {
      return run.outcome && run.outcome->output_sha256 == result.sha256;
    });
    section.blocks.push_back(
        {Paragraph{found == account.runs.end()
                       ? fmt::format("{} is not the output of any run of this account.",
                                     in_quotes(result.name))
                       : fmt::format("{} is the output of run {}, by its SHA-256.",
                                     in_quotes(result.name), found->number)}});
  }
}

}  // namespace

Section budget_section(const Material& material) {
  Section section{"budget", "Budget over time", {}};
  if (!material.request.account) {
    if (!material.results.all.empty()) {
      section.blocks.push_back({Paragraph{
          "No account was given: what else was released about the same records, this report does "
          "not know. Every release adds to what the others cost."}});
    }
    return section;
  }
  const auto& account = material.request.account->account;
  const bool promising = material.results.all_protected() && material.results.all_follow();
  section.blocks.push_back({Paragraph{
      fmt::format("Data set {}: {} neighbours, unit {}. {}", in_quotes(account.name()),
                  to_string(account.enrolled.adjacency), in_quotes(account.enrolled.privacy_unit),
                  counting_in_words(account.cap().currency))}});
  section.blocks.push_back({spending_picture(account)});
  const bool has_deltas =
      account.cap().currency != Currency::pure && account.cap().currency != Currency::basic;
  if (promising && has_deltas) section.blocks.push_back({promise_table(account)});
  if (const auto all = promising ? ledger::joint_guarantee(account, {}) : std::nullopt) {
    section.blocks.push_back({Paragraph{
        fmt::format("As one composition, if all settings were fixed before the first run: {}.",
                    guarantee_in_words(*all))}});
  }
  add_notes(account, section);
  add_belonging(material, account, section);
  if (account.runs.empty()) {
    section.blocks.push_back({Paragraph{"There are no runs yet."}});
  } else {
    section.blocks.push_back(
        {Folded{counted(account.runs.size(), "run", "runs"), {{runs_table(account, promising)}}}});
  }
  section.blocks.push_back({Paragraph{
      "Not covered: runs made without this ledger, copies of the data elsewhere, a ledger put back "
      "from an old copy, and whoever can read the data themselves."}});
  return section;
}

}  // namespace tacet::report
