#include "tacet/ledger/currency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/filter.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/refusal.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/decimal.h"

namespace tacet::ledger {
namespace {

using privacy::Adjacency;
using privacy::Event;

using numeric::infinity;
using privacy::rounded_down;
using privacy::rounded_up;

constexpr int word_digits = 6;

constexpr auto names = base::names<Currency>({{Currency::zcdp, "zcdp"},
                                              {Currency::gdp, "gdp"},
                                              {Currency::rdp, "rdp"},
                                              {Currency::pure, "pure"},
                                              {Currency::basic, "basic"}});

double rdp_cost(const Event& event, Adjacency adjacency, double order) {
  const auto curve = accounting::rdp::curve(event, adjacency);
  return curve ? (*curve)(order) : infinity;
}

double single_cost(const Event& event, Adjacency adjacency, const Cap& cap) {
  switch (cap.currency) {
    case Currency::zcdp:
      return accounting::zcdp_rho(event, adjacency);
    case Currency::gdp:
      return accounting::squared_gdp(event, adjacency);
    case Currency::rdp:
      return rdp_cost(event, adjacency, cap.order);
    case Currency::pure:
    case Currency::basic:
      return accounting::internal::pure_epsilon(event, adjacency);
  }
  throw base::InternalError("an unknown currency");
}

/// The largest finite double x with promise(x) <= epsilon, for an increasing promise.
template <typename Promise>
double largest_with(double epsilon, const Promise& promise) {
  double low = 0;
  double high = 1e9;  // far above any cap that protects
  if (promise(high) <= epsilon) return high;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (promise(middle) <= epsilon ? low : high) = middle;
  }
  return low;
}

bool in_epsilons(const Cap& cap) {
  return cap.currency == Currency::basic || cap.currency == Currency::pure;
}

privacy::ExactCost limits_of(const Cap& cap) {
  if (cap.currency == Currency::gdp) {
    numeric::ExactSum squared;
    squared.add_product(cap.value, cap.value);
    return {squared, {}};
  }
  return privacy::ExactCost({cap.value, cap.delta, in_epsilons(cap)});
}

/// The mu of an account in gdp. If nothing was spent it is the number that the owner gave, however
/// its square was rounded.
double mu_of(const Amount& amount, const Cap& cap) {
  const bool untouched = amount == Tally{}.remaining(cap);
  return untouched ? cap.value : std::sqrt(amount.value);
}

template <typename Digits>
std::string amount_in_words(const Amount& amount, const Cap& cap, const Digits& digits) {
  const auto value = digits(amount.value);
  switch (cap.currency) {
    case Currency::zcdp:
      return "rho " + value;
    case Currency::gdp:
      return fmt::format("mu {} (mu^2 {})", digits(mu_of(amount, cap)), value);
    case Currency::rdp:
      return fmt::format("bound {} at order {}", value, cap.order);
    case Currency::pure:
      return "epsilon " + value;
    case Currency::basic:
      return fmt::format("epsilon {}, delta {}", value, digits(amount.delta));
  }
  throw base::InternalError("an unknown currency");
}

}  // namespace

std::string to_string(Currency currency) { return names.of(currency); }

Currency parse_currency(std::string_view name) {
  if (const auto found = names.find(name)) return *found;
  throw base::UsageError("the currency must be zcdp, gdp, rdp, pure or basic, got '{}'", name);
}

Cap checked(const Cap& cap) {
  const auto refuse = [](std::string_view what, double given) {
    throw base::UsageError("{}, got {}", what, given);
  };
  if (!(cap.value >= 0 && std::isfinite(cap.value))) {
    refuse("a cap must be a finite number of at least 0", cap.value);
  }
  if (!(cap.delta >= 0 && cap.delta < 1)) {
    refuse("the delta of a cap must be at least 0 and below 1", cap.delta);
  }
  if (cap.currency != Currency::basic && cap.delta != 0) {
    refuse("only a basic account sums up deltas; elsewhere delta must be 0", cap.delta);
  }
  const bool has_order = cap.currency == Currency::rdp;
  if (has_order && !(cap.order > 1 && std::isfinite(cap.order))) {
    refuse("the order of a Renyi account must be above 1 and finite", cap.order);
  }
  if (!has_order && cap.order != 0) refuse("only a Renyi account has an order", cap.order);
  return cap;
}

Cap cap_for(Currency currency, privacy::Epsilon epsilon, privacy::Delta delta, double order) {
  const double eps = epsilon.value();
  Cap cap{.currency = currency, .value = eps};
  if (currency == Currency::rdp) cap.order = order;
  if (currency == Currency::basic) cap.delta = delta.value();
  if (currency == Currency::pure && delta.value() > 0) {
    throw base::UsageError(
        "an account of pure epsilon has no delta; leave it out, or choose basic");
  }
  static_cast<void>(checked(cap));
  if (currency == Currency::pure || currency == Currency::basic) return cap;
  if (delta.value() == 0) {
    throw base::UsageError("a cap in {} promises no epsilon at delta 0; give a delta",
                           to_string(currency));
  }
  cap.value = largest_with(eps, [&](double value) {
    cap.value = value;
    return epsilon_at(amount_of(cap), cap, delta);
  });
  if (cap.value == 0) {
    throw base::UsageError(
        "no cap in {} promises epsilon {} at delta {}; allow more, or choose another {}",
        to_string(currency), eps, delta.value(), currency == Currency::rdp ? "order" : "currency");
  }
  return cap;
}

std::string in_words(const Cap& cap) {
  switch (cap.currency) {
    case Currency::zcdp:
      return fmt::format("rho {}", cap.value);
    case Currency::gdp:
      return fmt::format("mu {}", cap.value);
    case Currency::rdp:
      return fmt::format("bound {} at order {}", cap.value, cap.order);
    case Currency::pure:
      return fmt::format("epsilon {}", cap.value);
    case Currency::basic:
      return fmt::format("epsilon {}, delta {}", cap.value, cap.delta);
  }
  throw base::InternalError("an unknown currency");
}

Amount cost_of(const Event& event, Adjacency adjacency, const Cap& cap,
               const privacy::Guarantee& stated) {
  if (const auto reason = accounting::internal::refusal(event, adjacency); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  if (cap.currency == Currency::basic) {
    return accounting::stated_cost(event, adjacency, stated);
  }
  const double value = single_cost(event, adjacency, cap);
  if (std::isinf(value) || std::isnan(value)) {
    throw base::GuaranteeError(
        "'{}' has no proved cost in {} under {}, which this account counts in; use an account in "
        "another currency (basic takes every proved guarantee)",
        privacy::kind_name(event), to_string(cap.currency), to_string(adjacency));
  }
  return {value, 0};
}

double epsilon_at(const Amount& amount, const Cap& cap, privacy::Delta delta) {
  if (amount.value == 0 && amount.delta <= delta.value()) return 0;
  switch (cap.currency) {
    case Currency::zcdp:
      return accounting::zcdp_epsilon(amount.value, delta);
    case Currency::gdp:
      return accounting::gaussian::epsilon(numeric::round_up(std::sqrt(amount.value)), delta);
    case Currency::rdp:
      return delta.value() == 0
                 ? infinity
                 : accounting::rdp::to_epsilon(cap.order, amount.value, delta.value());
    case Currency::pure:
      return amount.value;
    case Currency::basic:
      return amount.delta <= delta.value() ? amount.value : infinity;
  }
  throw base::InternalError("an unknown currency");
}

std::string spent_in_words(const Amount& amount, const Cap& cap) {
  return amount_in_words(amount, cap, [](double value) { return rounded_up(value, word_digits); });
}

std::string left_in_words(const Amount& amount, const Cap& cap) {
  constexpr double nothing = 1e-12;
  return amount_in_words(amount, cap, [](double value) {
    return value < nothing ? std::string("0") : rounded_down(value, word_digits);
  });
}

bool Tally::within(const Cap& cap) const {
  if (in_epsilons(cap)) return cost_.within_written({cap.value, cap.delta});
  return cost_.within(limits_of(cap));
}

Amount Tally::remaining(const Cap& cap) const { return cost_.left_of(limits_of(cap)); }

Amount amount_of(const Cap& cap) { return limits_of(cap).rounded_up(); }

}  // namespace tacet::ledger
