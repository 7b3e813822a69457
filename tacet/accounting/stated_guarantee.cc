#include "tacet/accounting/stated_guarantee.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/refusal.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/decimal.h"

namespace tacet::accounting {
namespace {

/// The larger of `proved` (at the delta that the cipher leaves) and the epsilon that is proved
/// where the events are booked (at the whole delta). Returns `proved` if the larger one is above
/// what was asked for: the last digits of an accountant are no reason to exceed that.
double proved_where_booked(const Event& events, const Guarantee& asked, double proved, Delta left) {
  const Delta booked(privacy::decimal_down(asked.delta));
  if (booked.value() <= left.value()) return proved;
  const double again = epsilon(events, asked.adjacency, booked);
  return again <= asked.epsilon ? std::max(proved, again) : proved;
}

using privacy::Amount;

/// The sums of epsilons and deltas for a composition of approximate and pure parts. For these no
/// accountant knows more.
struct Basic {
  Adjacency adjacency;

  [[nodiscard]] Amount of(const Event& event) const {
    if (const auto* leaf = event.as<privacy::ApproximateDp>()) {
      if (leaf->adjacency == adjacency) return {leaf->epsilon, leaf->delta};
    }
    if (const auto* composed = event.as<privacy::Composed>()) {
      privacy::ExactCost sum;
      for (const auto& part : composed->parts) sum.add(of(part));
      return sum.rounded_up();
    }
    if (const auto* repeated = event.as<privacy::Repeated>()) {
      const auto once = of(*repeated->base);
      const double count = numeric::count_up(repeated->count);
      return {numeric::multiply_up(once.value, count), numeric::multiply_up(once.delta, count)};
    }
    return {internal::pure_epsilon(event, adjacency), 0};
  }
};

/// The amount that is proved, or the one that the run states if that is larger. The statement
/// counts as the decimals in which it is written if the proof reaches them.
Amount stated_or_more(const Amount& proved, const Guarantee& stated) {
  const Amount amount{std::max(proved.value, stated.epsilon), std::max(proved.delta, stated.delta)};
  const bool reaches = std::isfinite(stated.epsilon) &&
                       proved.value <= privacy::decimal_down(stated.epsilon) &&
                       proved.delta <= privacy::decimal_down(stated.delta);
  return reaches ? Amount{stated.epsilon, stated.delta, true} : amount;
}

}  // namespace

Guarantee stated_guarantee(const Event& events, const Guarantee& asked, double prg_slack_of) {
  const Delta left = delta_left(asked, prg_slack_of);
  Guarantee proved = asked;
  proved.epsilon = epsilon(events, asked.adjacency, left);
  if (!(proved.epsilon < asked.epsilon)) return proved;
  proved.epsilon = proved_where_booked(events, asked, proved.epsilon, left);
  // The noise was calibrated for the decimal that was asked for, so state that decimal.
  if (proved.epsilon == privacy::decimal_down(asked.epsilon)) return asked;
  // The written decimal must not be below the proved epsilon, since ledgers add decimals.
  proved.epsilon = privacy::decimal_up(proved.epsilon);
  if (!(proved.epsilon < privacy::decimal_down(asked.epsilon))) return asked;
  if (asked.delta == 0) return proved;
  // A smaller epsilon leaves more of delta, at which at least as much is proved, except for the
  // last digits of an accountant. So ask it again.
  const Delta more = delta_left(proved, prg_slack_of);
  const bool holds = more == left || epsilon(events, asked.adjacency, more) <= proved.epsilon;
  return holds ? proved : asked;
}

Amount stated_cost(const Event& event, Adjacency adjacency, const Guarantee& stated) {
  if (const auto reason = internal::refusal(event, adjacency); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  const auto summed = Basic{adjacency}.of(event);
  if (summed.delta <= stated.delta && summed.value <= stated.epsilon) {
    return stated_or_more(summed, stated);
  }
  const auto at = [&](double delta) {
    return Amount{account(event, adjacency, Delta(delta)).epsilon, delta};
  };
  // A run that states its cost for other neighbours says nothing about these.
  if (stated.adjacency != adjacency) return at(stated.delta);
  const auto cost = stated_or_more(at(privacy::decimal_down(stated.delta)), stated);
  return cost.value <= stated.epsilon ? cost : stated_or_more(at(stated.delta), stated);
}

}  // namespace tacet::accounting
