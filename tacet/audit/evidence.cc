#include "tacet/audit/evidence.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"

namespace tacet::audit {
namespace {

void check(std::int64_t successes, std::int64_t trials, double level) {
  if (trials < 1 || successes < 0 || successes > trials) {
    throw base::UsageError("{} of {} runs cannot be", successes, trials);
  }
  if (!(level > 0 && level < 1)) {
    throw base::UsageError("a level is between 0 and 1, got {}", level);
  }
}

/// A quantile whose search does not end, as at levels far below any that is asked for, is replaced
/// by `trivial`, which every proportion keeps.
template <typename Quantile>
double or_trivial(double trivial, const Quantile& quantile) {
  try {
    return quantile();
  } catch (const boost::math::evaluation_error&) {
    return trivial;
  }
}

double quantile_of_upper(double share) {
  // Beyond this share the quantile overflows; its mu is then refuted by nothing.
  if (share >= 1) return std::numeric_limits<double>::infinity();
  if (share <= 0) return -std::numeric_limits<double>::infinity();
  return boost::math::quantile(boost::math::normal(), share);
}

}  // namespace

double binomial_lower_bound(std::int64_t successes, std::int64_t trials, double level) {
  check(successes, trials, level);
  if (successes == 0) return 0;
  const boost::math::beta_distribution<> law(static_cast<double>(successes),
                                             static_cast<double>(trials - successes + 1));
  return or_trivial(0, [&] { return boost::math::quantile(law, level); });
}

double binomial_upper_bound(std::int64_t successes, std::int64_t trials, double level) {
  check(successes, trials, level);
  if (successes == trials) return 1;
  const boost::math::beta_distribution<> law(static_cast<double>(successes + 1),
                                             static_cast<double>(trials - successes));
  return or_trivial(1, [&] { return boost::math::quantile(boost::math::complement(law, level)); });
}

double epsilon_refuted(const Seen& often, const Seen& seldom, double delta, double level) {
  const double min = binomial_lower_bound(often.times, often.runs, level) - delta;
  const double max = binomial_upper_bound(seldom.times, seldom.runs, level);
  return min > max ? std::log(min / max) : 0;
}

double epsilon_refuted(const TwoWays& seen, double delta, double level) {
  return std::max(epsilon_refuted(seen.one_up, seen.other_up, delta, level / 4),
                  epsilon_refuted(seen.other_down, seen.one_down, delta, level / 4));
}

double epsilon_refuted_together(const TwoWays& seen, double delta, double level) {
  const auto sum = [](const Seen& a, const Seen& b) -> Seen {
    return {a.times + b.times, a.runs + b.runs};
  };
  const auto often = sum(seen.one_up, seen.other_down);
  const auto seldom = sum(seen.other_up, seen.one_down);
  // The theorem is about counts that are further than one from the expected number. Nearer ones
  // have a tail of more than a quarter (Greenberg, Mohri 2014), which no level below reaches,
  // except where the expected number is itself within one of an end.
  if (often.times <= 1 || seldom.times >= seldom.runs - 1) return 0;
  return epsilon_refuted(often, seldom, delta, std::min(level, 0.5) / 2);
}

double mu_refuted(const Errors& errors, double level) {
  const double alarms = binomial_upper_bound(errors.alarms.times, errors.alarms.runs, level / 2);
  const double misses = binomial_upper_bound(errors.misses.times, errors.misses.runs, level / 2);
  return std::max(0.0, quantile_of_upper(1 - alarms) - quantile_of_upper(misses));
}

TradeOff::TradeOff(const privacy::Event& event, privacy::Adjacency adjacency, double scale) {
  // Samples cost the accountant a second per line; more of them hardly raise the curve.
  constexpr int lines = 24;
  for (int i = 0; i <= lines; ++i) {
    const double epsilon = scale * i / 16;
    const auto delta =
        accounting::delta_interval(event, adjacency, privacy::Epsilon(epsilon), {.tolerance = 1e-2})
            .upper;
    lines_.push_back({epsilon, std::min(1.0, delta)});
    if (delta == 0) break;  // larger epsilons promise less
  }
}

TradeOff::TradeOff(const privacy::Guarantee& claim) : lines_{{claim.epsilon, claim.delta}} {}

double TradeOff::misses(double alarms) const {
  if (!(alarms >= 0 && alarms <= 1)) {
    throw base::UsageError("a share is between 0 and 1, got {}", alarms);
  }
  double max = 0;
  for (const auto& [epsilon, delta] : lines_) {
    max = std::max(
        {max, 1 - delta - std::exp(epsilon) * alarms, std::exp(-epsilon) * (1 - delta - alarms)});
  }
  return max;
}

bool TradeOff::violated(const Errors& errors, double level) const {
  const double alarms = binomial_upper_bound(errors.alarms.times, errors.alarms.runs, level / 2);
  const double missed = binomial_upper_bound(errors.misses.times, errors.misses.runs, level / 2);
  return missed < misses(alarms);
}

double level_of(double exponent) { return std::pow(10.0, exponent); }

}  // namespace tacet::audit
