#include "tacet/ledger/promise.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"
#include "tacet/numeric/rounding.h"

namespace tacet::ledger {
namespace {

constexpr std::size_t max_runs_composed = 50;
constexpr int halvings = 20;  // the odometer's first cap is a millionth (2^-20) of the account's

std::vector<double> deltas_to_try(const Account& account, std::optional<double> asked) {
  if (asked) return {*asked};
  double largest = 0;
  double sum = 0;
  for (const auto& run : account.runs) {
    largest = std::max(largest, run.booking.stated.delta);
    sum += run.booking.stated.delta * numeric::amply_up;
  }
  const bool counted = account.cap().currency == Currency::basic && account.cap().delta > 0;
  return {counted ? account.cap().delta : largest, std::min(sum, 0.5)};
}

}  // namespace

double prg_slack(const Account& account) {
  double sum = 0;
  for (const auto& run : account.runs) {
    if (run.outcome) sum += run.outcome->prg_slack * numeric::amply_up;
  }
  return sum;
}

double epsilon_at_any_time(const Account& account, const Amount& spent, privacy::Delta delta) {
  auto cap = account.caps.front().set.cap;
  cap.value = std::ldexp(cap.value, -halvings);
  const auto first = amount_of(cap);
  // A cap of 0 admits only free runs, and doubling it admits no more.
  if (spent.value == 0 && spent.delta == 0) return 0;
  // The shares of delta are shares of the first cap's delta. For a larger delta there are none.
  if (first.value == 0 || spent.delta > first.delta) return numeric::infinity;
  return accounting::epsilon_at_any_time(
      spent.value,
      {.first = first.value,
       .factor = cap.currency == Currency::gdp ? 4.0 : 2.0,  // mu doubles, but mu^2 is what adds up
       .epsilon =
           [&](double value, privacy::Delta share) {
             return epsilon_at({value, first.delta}, cap, share);
           }},
      delta);
}

std::optional<privacy::Guarantee> joint_guarantee(const Account& account,
                                                  std::optional<double> delta) {
  std::vector<privacy::Event> events;
  for (const auto& run : account.runs) {
    if (std::isinf(run.counted().value)) return std::nullopt;
    if (run.state == RunState::reserved) events.push_back(run.booking.event);
    if (run.state == RunState::committed) events.push_back(run.outcome->event);
  }
  if (events.empty() || events.size() > max_runs_composed) return std::nullopt;
  return accounting::joint_guarantee(std::move(events), account.enrolled.adjacency,
                                     deltas_to_try(account, delta));
}

}  // namespace tacet::ledger
