#include "tacet/mechanism/select/partition_selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/numeric/special.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {
namespace {

constexpr std::int64_t max_things = std::int64_t{1} << 20;

/// The largest value, over t, of norm / sqrt(t) + sigma z_t, where all of t normals stay below z_t
/// with a probability of at least 1 - delta. Rounded up by more than all of its roundings.
double safe_threshold(const PartitionRule& rule, double norm, double sigma) {
  if (!(rule.delta > 0 && rule.delta < 0.5)) {
    throw base::UsageError("the delta of partition selection must be above 0 and below 1/2, got {}",
                           rule.delta);
  }
  if (rule.max_per_unit < 1 || rule.max_per_unit > max_things) {
    throw base::UsageError("things a unit must be 1 to 2^20, got {}", rule.max_per_unit);
  }
  double highest = 0;
  for (std::int64_t t = 1; t <= rule.max_per_unit; ++t) {
    const auto things = static_cast<double>(t);
    // 1 - (1 - delta)^(1/t): the probability that each of t tails may have.
    const double tail = -std::expm1(std::log1p(-rule.delta) / things) * (1 - 1e-12);
    const double stddevs = -numeric::normal_quantile(tail) * (1 + 1e-12);
    highest = std::max(highest, norm / std::sqrt(things) + sigma * stddevs);
  }
  return highest * (1 + 1e-12);
}

}  // namespace

privacy::Event partition_selection_event(const PartitionRule& rule, privacy::Adjacency adjacency) {
  return privacy::Composed{
      {privacy::Gaussian{rule.noise.value()}, privacy::ApproximateDp{0, rule.delta, adjacency}}};
}

double partition_threshold(const PartitionRule& rule) {
  return safe_threshold(rule, 1, rule.noise.value());
}

privacy::Released<std::vector<NoisyThing>> select_partitions(const privacy::PartitionCounts& counts,
                                                             const PartitionRule& rule,
                                                             privacy::Adjacency adjacency,
                                                             const ReleaseContext& context) {
  if (counts.max_per_unit() > rule.max_per_unit) {
    throw base::UsageError("units count in {} things, the threshold is made for {}",
                           counts.max_per_unit(), rule.max_per_unit);
  }
  const auto norm = static_cast<double>(counts.norm());
  const double sigma = internal::noise_scale(rule.noise.value(), norm);
  random::internal::check_gaussian_sigma(sigma);
  // A count plus noise that is rounded to the nearest integer reaches an integer threshold T
  // exactly if the real noise reaches T - 1/2.
  const auto threshold =
      static_cast<std::int64_t>(std::ceil(safe_threshold(rule, norm, sigma) + 0.5));
  auto event = partition_selection_event(rule, adjacency);
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  const auto exact = counts.open(access);
  std::vector<std::int64_t> noisy(exact.begin(), exact.end());
  random::add_rounded_gaussian(context.claim(random::Purpose::selection), sigma, noisy);
  std::vector<NoisyThing> found;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    // A name that nobody counts in may be in the list because of one unit's file alone, and there
    // may be any number of such names. But the threshold is made for at most t things of a unit. So
    // noise without a count releases nothing.
    if (exact[i] == 0 || noisy[i] < threshold) continue;
    found.push_back({counts.names(access)[i], static_cast<double>(noisy[i]) / norm});
  }
  std::ranges::sort(found, [](const NoisyThing& a, const NoisyThing& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return {access, std::move(found), std::move(event)};
}

}  // namespace tacet::mechanism
