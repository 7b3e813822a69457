#include "tacet/mechanism/point/column_summary.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/noise/discrete.h"

namespace tacet::mechanism {
namespace {

using privacy::Adjacency;

constexpr std::array levels{0.25, 0.5, 0.75};
// the probability that a margin does not hold
constexpr double missed = 0.05;

QuantileQuery query_at(double level, const Grid& grid) {
  return {.level = level, .grid = grid, .adjacency = Adjacency::add_remove};
}

}  // namespace

std::int64_t SummaryCost::changes() const {
  if (max_records_per_unit < 1 || max_records_per_unit > privacy::records_per_unit_limit) {
    throw base::UsageError("records per unit must be 1 to {}, got {}",
                           privacy::records_per_unit_limit, max_records_per_unit);
  }
  return adjacency == Adjacency::add_remove ? max_records_per_unit : 2 * max_records_per_unit;
}

privacy::Epsilon SummaryCost::epsilon_per_change() const {
  return privacy::Epsilon(numeric::divide_down(epsilon.value(), static_cast<double>(changes())));
}

void SummaryCost::check() const { static_cast<void>(round_down(epsilon_per_change())); }

privacy::Event SummaryCost::counts_event() const {
  return privacy::PureDp{epsilon.value(), adjacency};
}

privacy::Event SummaryCost::quartile_event() const {
  return privacy::BoundedRange{epsilon.value(), adjacency};
}

privacy::Released<std::vector<std::int64_t>> release_counts(
    const privacy::Private<std::vector<std::int64_t>>& counts, const SummaryCost& cost,
    const ReleaseContext& context) {
  // Counts are moved by `changes` in L1 (docs/proofs/describe.md, counts).
  const random::DiscreteLaplace noise(
      internal::laplace_scale(1, 1, round_down(cost.epsilon_per_change())));
  const auto event = cost.counts_event();
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  random::Stream stream(context.claim(random::Purpose::selection));
  auto noisy = counts.open(access);
  for (auto& count : noisy) count += noise.draw(stream);
  return {access, std::move(noisy), event};
}

std::int64_t public_count(const privacy::Private<std::vector<std::int64_t>>& records,
                          Adjacency adjacency) {
  if (adjacency == Adjacency::add_remove) {
    throw base::UsageError("under add_remove the number of records is private");
  }
  return records.open(AccessKeys::key()).front();
}

privacy::Released<Quartiles> release_quartiles(const privacy::Private<std::vector<double>>& values,
                                               const Grid& grid, const SummaryCost& cost,
                                               const ReleaseContext& context) {
  // Neighbours are linked by `changes` steps, each of one value and of range epsilon_per_change;
  // ranges add up (docs/proofs/describe.md, quartiles).
  const auto each = cost.epsilon_per_change();
  static_cast<void>(round_down(each));
  const privacy::Event event = privacy::Repeated{levels.size(), cost.quartile_event()};
  context.reservation.debit(event);
  privacy::TrustingBudget inner(Adjacency::add_remove);
  const auto step = quantile_event(query_at(levels[0], grid), each);
  auto permit = inner.reserve(privacy::Repeated{levels.size(), step},
                              {cost.epsilon.value(), 0, Adjacency::add_remove});
  Quartiles found{};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    found[k] =
        release_quantile(values, query_at(levels[k], grid), each,
                         {{.step = context.address.step, .tensor = context.address.tensor + k},
                          context.source,
                          permit})
            .value();
  }
  permit.commit();
  std::ranges::sort(found);
  return {AccessKeys::key(), found, event};
}

double count_margin(const SummaryCost& cost) {
  // P(|K| > m) <= exp(-m epsilon) for discrete Laplace noise of scale 1/epsilon.
  return std::ceil(-std::log(missed) / round_down(cost.epsilon_per_change()).value());
}

double share_margin(const SummaryCost& cost) {
  // The error is (K - p R) over the noisy number for a true share p: It is worst at p = 1, where
  // P(|K - R| > m s) <= (1 + m/2) exp(-m) for noises of scale s, 0.047 at m = 4.2.
  return std::ceil(4.2 / round_down(cost.epsilon_per_change()).value());
}

double quartile_margin(const SummaryCost& cost, const Grid& grid) {
  // A point with r values between it and a right one has a score of at least 4r/3 (2r for the
  // median), so its weight is exp(-2/3 epsilon r) relative to 1. The sum over all points must be at
  // most a third of `missed`, the share of each quartile.
  const auto points = static_cast<double>(grid.last() + 1);
  const double epsilon = round_down(cost.epsilon_per_change()).value();
  return std::ceil(1.5 * std::log(points * levels.size() / missed) / epsilon);
}

}  // namespace tacet::mechanism
