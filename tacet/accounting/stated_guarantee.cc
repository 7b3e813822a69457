#include "tacet/accounting/stated_guarantee.h"

#include <algorithm>

#include "tacet/accounting/composition.h"
#include "tacet/privacy/decimal.h"

namespace tacet::accounting {

namespace {

/// The larger of `proved`, at what is left of delta, and of what is proved where the events are
/// booked; `proved` alone where that is more than was asked for, which the last digits of an
/// accountant are no reason for.
double proved_where_booked(const Event& events, const Guarantee& asked, double proved, Delta left) {
  const Delta booked(privacy::decimal_down(asked.delta));
  if (booked.value() <= left.value()) return proved;
  const double again = epsilon(events, asked.adjacency, booked);
  return again <= asked.epsilon ? std::max(proved, again) : proved;
}

}  // namespace

Guarantee stated_guarantee(const Event& events, const Guarantee& asked, double prg_slack_of) {
  const Delta left = delta_left(asked, prg_slack_of);
  Guarantee proved = asked;
  proved.epsilon = epsilon(events, asked.adjacency, left);
  if (!(proved.epsilon < asked.epsilon)) return proved;
  proved.epsilon = proved_where_booked(events, asked, proved.epsilon, left);
  // Made for what the decimal that was asked for allows.
  if (proved.epsilon == privacy::decimal_down(asked.epsilon)) return asked;
  if (asked.delta == 0) {
    // Pure epsilons are sums of what is spent, without an accountant's slack: the decimal that is
    // written must not lie below.
    proved.epsilon = privacy::decimal_up(proved.epsilon);
    return proved.epsilon < privacy::decimal_down(asked.epsilon) ? proved : asked;
  }
  // A smaller epsilon leaves more of delta, at which as much is proved: but for the last digits of
  // an accountant, so that it is asked.
  const Delta more = delta_left(proved, prg_slack_of);
  const bool holds = more == left || epsilon(events, asked.adjacency, more) <= proved.epsilon;
  return holds ? proved : asked;
}

}  // namespace tacet::accounting
