#include "tacet/report/record/account_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/privacy/decimal.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using ledger::Amount;
using ledger::Cap;
using ledger::Currency;

// The delta to report at if no run has stated one.
constexpr double usual_delta = 1e-5;

template <typename Round>
std::string amount_in_words(const Amount& amount, const Cap& cap, const Round& rounded) {
  constexpr int digits = 6;
  const auto value = rounded(amount_in_currency(amount, cap), digits);
  switch (cap.currency) {
    case Currency::zcdp:
      return "rho " + value;
    case Currency::gdp:
      return "mu " + value;
    case Currency::rdp:
      return fmt::format("bound {} at order {}", value, cap.order);
    case Currency::pure:
      return "epsilon " + value;
    case Currency::basic:
      return fmt::format("epsilon {}, delta {}", value, rounded(amount.delta, digits));
  }
  throw base::InternalError("an unknown currency");
}

bool counts_epsilon(const Cap& cap) {
  return cap.currency == Currency::pure || cap.currency == Currency::basic;
}

}  // namespace

double amount_in_currency(const Amount& amount, const Cap& cap) {
  return cap.currency == Currency::gdp ? std::sqrt(amount.value) : amount.value;
}

std::string spent_words(const Amount& amount, const Cap& cap) {
  return amount_in_words(amount, cap, privacy::rounded_up);
}

std::string left_words(const Amount& amount, const Cap& cap) {
  return amount_in_words(amount, cap, privacy::rounded_down);
}

double delta_of(const ledger::Account& account) {
  double delta = 0;
  for (const auto& run : account.runs) {
    if (run.booking.stated.delta < 1) delta = std::max(delta, run.booking.stated.delta);
  }
  return delta > 0 ? delta : usual_delta;
}

std::string next_run_answer(const ledger::Account& account) {
  const auto& cap = account.cap();
  if (account.counted().infinite()) {
    return "No. Something was released without protection; this account can promise nothing any "
           "more.";
  }
  const auto left = account.counted().remaining(cap);
  const auto words = left_words(left, cap);
  if (counts_epsilon(cap)) {
    const bool fits = left.value >= 1 && (cap.currency == Currency::pure || left.delta > 0);
    const bool pure = cap.currency == Currency::pure;
    const auto answer = !fits  ? std::string("No")
                        : pure ? std::string("Yes, one without a delta")
                               : fmt::format("Yes, with a delta of at most {}",
                                             privacy::rounded_down(left.delta, 6));
    return fmt::format("{}. Of the cap ({}), {} {} left.", answer, in_words(cap), words,
                       pure ? "is" : "are");
  }
  const double delta = delta_of(account);
  const double epsilon = ledger::epsilon_at(left, cap, privacy::Delta(delta));
  if (left.value <= 0 || epsilon < 1) {
    return fmt::format(
        "No, not at delta {0}. Of the cap ({1}), {2} is left, which is epsilon {3} "
        "at delta {0}.",
        privacy::rounded_up(delta, 3), in_words(cap), words, privacy::rounded_down(epsilon, 4));
  }
  return fmt::format(
      "Probably. Of the cap ({}), {} is left, which is epsilon {} at delta {}. The plan of a "
      "run says how much of that it takes.",
      in_words(cap), words, privacy::rounded_down(epsilon, 4), privacy::rounded_up(delta, 3));
}

std::string account_promise(const ledger::Account& account) {
  const auto& cap = account.cap();
  const auto& enrolled = account.enrolled;
  if (account.counted().infinite()) {
    return "Nothing is promised: something was released without protection.";
  }
  const auto amount = ledger::amount_of(cap);
  const auto spent = account.counted().total();
  const bool over = !account.counted().within(cap);
  std::string text = fmt::format(
      "{}, against anyone who sees everything that the runs of this account released, even if they "
      "know all other records. What they can learn about {} is limited ({} neighbours). ",
      protected_in_words(enrolled.privacy_unit),
      difference_in_words(enrolled.adjacency, enrolled.privacy_unit),
      to_string(enrolled.adjacency));
  const auto epsilon_text = [&](const Amount& of) {
    if (counts_epsilon(cap)) return std::string();
    const double delta = delta_of(account);
    return fmt::format(" (epsilon {} at delta {})",
                       privacy::rounded_up(ledger::epsilon_at(of, cap, privacy::Delta(delta)), 4),
                       privacy::rounded_up(delta, 3));
  };
  if (over) {
    return text + fmt::format("The cap is {}, but runs went past it: {}{} was spent.",
                              in_words(cap), spent_words(spent, cap), epsilon_text(spent));
  }
  return text +
         fmt::format("All runs together, past and future, stay within {}{}. So far {}{} was spent.",
                     in_words(cap), epsilon_text(amount), spent_words(spent, cap),
                     epsilon_text(spent));
}

LedgerAccount account_in(const std::string& file, const std::string& data_set,
                         const base::CancelToken* cancel) {
  ledger::Ledger ledger(file, {.access = ledger::Access::read, .cancel = cancel});
  const auto books = ledger.books();
  if (data_set.empty() && books.accounts.size() != 1) {
    throw base::UsageError("the ledger has several accounts or none; name one with `data_set`");
  }
  const auto position = ledger.position();
  LedgerAccount found{
      .file = file,
      .account = data_set.empty() ? books.accounts.front() : books.account(data_set),
      .rows = position.rows,
      .head = position.head};
  for (const auto& other : books.accounts) {
    if (other.name() == found.account.name()) continue;
    found.other_accounts.push_back(other.name());
    for (const auto& alias : other.aliases) found.other_accounts.push_back(alias);
  }
  return found;
}

}  // namespace tacet::report
