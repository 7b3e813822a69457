#include "tacet/mechanism/point/column_facts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/noise/discrete.h"

namespace tacet::mechanism {
namespace {

using privacy::Adjacency;
using privacy::Epsilon;

/// A permit for the steps inside of an answer whose whole cost has been debited.
privacy::Reservation inner_permit(privacy::TrustingBudget& budget, const privacy::Event& steps,
                                  const AnswerCost& cost) {
  return budget.reserve(steps, {cost.epsilon.value(), 0, cost.adjacency});
}

/// Scale N/epsilon. epsilon/N is rounded down, so there is never less noise.
random::Ratio count_scale(const AnswerCost& cost) {
  return internal::laplace_scale(1, 1, round_down(cost.epsilon_per_value()));
}

/// The number of values that must lie beyond a bound. A point with t values between it and the
/// quantile has a weight of exp(-epsilon/4 t) against 1 there; 13.1 exceeds the logarithm of the
/// number of points by 4.67, so that all of these points together have a share below 0.01.
double min_tail(Epsilon epsilon) {
  constexpr double exponent = 13.1;
  return 4 * exponent / epsilon.value();
}

}  // namespace

privacy::Event AnswerCost::event() const {
  if (adjacency == Adjacency::replace_one) {
    throw base::UsageError(
        "bounds and categories are taken under add_remove or zero_out: how many values are missing "
        "is private, and replace_one takes the number of values for public; a schema fitted under "
        "add_remove serves replace_one at twice its epsilon");
  }
  static_cast<void>(round_down(epsilon_per_value()));
  if (delta.value() == 0) return privacy::PureDp{epsilon.value(), adjacency};
  return privacy::ApproximateDp{epsilon.value(), delta.value(), adjacency};
}

privacy::Epsilon AnswerCost::epsilon_per_value() const {
  if (max_values_per_unit < 1) {
    throw base::UsageError("a unit must be allowed 1 value or more, got {}", max_values_per_unit);
  }
  return Epsilon(numeric::divide_down(epsilon.value(), static_cast<double>(max_values_per_unit)));
}

privacy::Released<KindCounts> release_kinds(const privacy::Private<KindCounts>& counts,
                                            const AnswerCost& cost, const ReleaseContext& context) {
  const auto event = cost.event();
  const random::DiscreteLaplace noise(count_scale(cost));
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  const auto& found = counts.open(access);
  random::Stream stream(context.claim(random::Purpose::selection));
  KindCounts noisy;
  noisy.numbers = found.numbers + noise.draw(stream);
  noisy.codes = found.codes + noise.draw(stream);
  noisy.prose = found.prose + noise.draw(stream);
  return {access, noisy, event};
}

double kind_margin(const AnswerCost& cost) {
  // P(K - K' >= m) < (1 + m/(2 s)) exp(-m/s) for noises of scale s, 0.0007 at m = 9 s.
  return 9 / round_down(cost.epsilon_per_value()).value();
}

double min_values_for_bounds(Epsilon epsilon) {
  return 4 * min_tail(epsilon);  // a quarter of the values lies beyond each bound
}

double attainable_coverage(double coverage, std::int64_t count, Epsilon epsilon) {
  constexpr double min = 0.5;
  const double values = static_cast<double>(std::max<std::int64_t>(count, 1));
  const double tail = min_tail(epsilon) / values;
  return std::clamp(1 - 2 * tail, std::min(min, coverage), coverage);
}

privacy::Released<Bounds> release_bounds(const privacy::Private<std::vector<double>>& values,
                                         double coverage, const AnswerCost& cost,
                                         const ReleaseContext& context) {
  const auto event = cost.event();
  if (!(coverage > 0 && coverage < 1)) {
    throw base::UsageError("the share of values between bounds must lie in (0, 1), got {}",
                           coverage);
  }
  const auto ranks = values.map([](const std::vector<double>& numbers) {
    std::vector<double> result;
    result.reserve(numbers.size());
    for (const double number : numbers) {
      result.push_back(static_cast<double>(magnitude_rank(number)));
    }
    return result;
  });
  // N values together change a score N times as much as one value: N times half of epsilon / N.
  const Epsilon half(cost.epsilon_per_value().value() / 2);
  const Grid grid(0, static_cast<double>(magnitude_ranks - 1), 1.0);
  const QuantileQuery low{.level = (1 - coverage) / 2, .grid = grid, .adjacency = cost.adjacency};
  const QuantileQuery high{
      .level = 1 - (1 - coverage) / 2, .grid = grid, .adjacency = cost.adjacency};
  context.reservation.debit(event);
  privacy::TrustingBudget budget(cost.adjacency);
  auto permit = inner_permit(budget, privacy::Repeated{2, quantile_event(low, half)}, cost);
  const auto at = [&](const QuantileQuery& query, std::uint64_t place) {
    const NoiseAddress where{.step = context.address.step,
                             .tensor = context.address.tensor + place};
    return std::llround(
        release_quantile(ranks, query, half, {where, context.source, permit}).value());
  };
  const std::int64_t a = at(low, 0);
  const std::int64_t b = at(high, 1);
  const std::int64_t first = std::min({a, b, magnitude_ranks - 2});
  const std::int64_t last = std::max({a, b, first + 1});
  return {AccessKeys::key(), Bounds{magnitude_point(first), magnitude_point(last)}, event};
}

std::int64_t frequency_threshold(const AnswerCost& cost) {
  if (!(cost.delta.value() > 0)) {
    throw base::UsageError(
        "frequent texts can be released without a list of possible ones only at a delta above 0: a "
        "text that occurs once must stay secret with a probability below 1");
  }
  const random::Ratio ratio = count_scale(cost);
  const double scale =
      static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
  const auto values = static_cast<double>(cost.max_values_per_unit);
  // Texts that only one unit has, have counts t_i with a sum of at most N. With q = exp(-1/scale),
  // the probability that one of them is released is at most sum q^(T - t_i) / (1 + q). It is
  // largest for one text N times, or for N texts once (docs/proofs/schema_fit.md): q^-N or N q^-1.
  // relative to that of q^-1
  const double log_most = std::max((values - 1) / scale, std::log(values));
  // Below delta from T - 1 = scale (log_most + ln(1/delta)) on; one more for all roundings.
  return static_cast<std::int64_t>(
             std::ceil(scale * (log_most - std::log(cost.delta.value())) * (1 + 1e-12))) +
         2;
}

privacy::Released<std::vector<FrequentText>> release_frequent(
    const privacy::Private<std::map<std::string, std::int64_t>>& counts, const AnswerCost& cost,
    const ReleaseContext& context) {
  const auto event = cost.event();
  const std::int64_t threshold = frequency_threshold(cost);
  const random::DiscreteLaplace noise(count_scale(cost));
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  random::Stream stream(context.claim(random::Purpose::selection));
  std::vector<FrequentText> found;
  for (const auto& [text, count] : counts.open(access)) {
    const std::int64_t noisy = count + noise.draw(stream);
    if (noisy >= threshold) found.push_back({text, noisy});
  }
  std::stable_sort(found.begin(), found.end(), [](const FrequentText& a, const FrequentText& b) {
    return a.noisy_count > b.noisy_count;
  });
  return {access, std::move(found), event};
}

}  // namespace tacet::mechanism
