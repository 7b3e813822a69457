#include "tacet/learn/theory/reductions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::learn {

GrowthReduction growth_reduction(double kappa, double lipschitz, double diameter,
                                 const std::function<double(std::int64_t)>& error) {
  if (!(kappa > 1) || !(lipschitz > 0) || !(diameter > 0)) {
    throw base::UsageError("the reduction needs a growth exponent above 1 and positive constants");
  }
  constexpr std::int64_t most_stages = 60;
  for (std::int64_t k = 1; k <= most_stages; ++k) {
    const double delta = error(k);
    if (!(delta > 0)) throw base::UsageError("the method's error must be above 0");
    const double needed = std::max(1.0, std::ceil((kappa - 1) * std::log2(lipschitz / delta)));
    if (static_cast<double>(k) < needed) continue;
    GrowthReduction reduction{kappa, {}, 0};
    double lambda = delta * std::pow(diameter, 1 - kappa);
    for (std::int64_t i = 0; i < k; ++i) {
      reduction.weights.push_back(lambda * std::exp2(kappa - 2) / kappa);
      lambda *= 2;
    }
    reduction.added_lipschitz = reduction.weights.back() * kappa * std::pow(diameter, kappa - 1);
    return reduction;
  }
  throw base::UsageError("the method's error is too small for 60 stages");
}

std::vector<double> growth_to_convex(const GrowthReduction& reduction, std::vector<double> start,
                                     const GrowingMethod& method) {
  for (const double weight : reduction.weights) start = method(start, weight);
  return start;
}

std::int64_t most_copies(std::int64_t rows, double failure) {
  if (rows < 1 || !(failure > 0 && failure < 1)) {
    throw base::UsageError("resampling needs records and a failure probability in (0, 1)");
  }
  // n C(n, k+1) n^{-(k+1)} <= n / (k+1)!.
  const auto n = static_cast<double>(rows);
  double log_bound = std::log(n);
  for (std::int64_t k = 1;; ++k) {
    log_bound = std::log(n) + std::lgamma(n + 1) - std::lgamma(n - static_cast<double>(k)) -
                std::lgamma(static_cast<double>(k) + 2) -
                (static_cast<double>(k) + 1) * std::log(n);
    if (k >= rows || log_bound <= std::log(failure)) return k;
  }
}

std::optional<std::vector<std::int64_t>> resample(random::Lease lease, std::int64_t rows,
                                                  std::int64_t copies) {
  if (rows < 1 || copies < 1) throw base::UsageError("resampling needs records and copies");
  random::Stream stream(std::move(lease));
  std::vector<std::int64_t> drawn;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows), 0);
  drawn.reserve(counts.size());
  bool within = true;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = random::uniform_below(stream, static_cast<std::uint64_t>(rows));
    drawn.push_back(static_cast<std::int64_t>(row));
    within = ++counts[row] <= copies && within;
  }
  if (!within) return std::nullopt;
  return drawn;
}

privacy::Guarantee group_guarantee(const privacy::Guarantee& inner, std::int64_t copies) {
  if (copies < 1) throw base::UsageError("a group has at least one record");
  const auto up = [](double value) {
    return std::nextafter(value, std::numeric_limits<double>::infinity());
  };
  const auto k = static_cast<double>(copies);
  privacy::Guarantee group = inner;
  if (copies == 1) return group;
  group.epsilon = up(k * inner.epsilon);
  if (inner.delta > 0) {
    const double factor =
        inner.epsilon > 0 ? std::expm1(group.epsilon) / std::expm1(inner.epsilon) : k;
    group.delta = inner.delta * factor * (1 + 0x1p-40);
  }
  if (!(group.delta < 1)) {
    throw base::GuaranteeError(fmt::format(
        "delta {:g} for one record is {:g} for {} of them, which promises nothing; ask for a "
        "smaller one",
        inner.delta, group.delta, copies));
  }
  return group;
}

privacy::Event population_event(const privacy::Guarantee& inner, std::int64_t copies) {
  const auto group = group_guarantee(inner, copies);
  if (group.delta == 0) return privacy::PureDp{group.epsilon, group.adjacency};
  return privacy::ApproximateDp{group.epsilon, group.delta, group.adjacency};
}

std::vector<double> population_to_empirical(std::int64_t rows, std::int64_t copies,
                                            const privacy::Guarantee& inner,
                                            const privacy::Event& planned,
                                            const PopulationMethod& method,
                                            std::vector<double> otherwise, random::Lease lease,
                                            privacy::Reservation& reservation) {
  if (inner.adjacency == privacy::Adjacency::add_remove) {
    throw base::GuaranteeError(
        "resampling draws as many records as there are, so that their number must be public: use "
        "replace_one or zero_out");
  }
  const auto cost = accounting::account(planned, inner.adjacency, privacy::Delta(inner.delta));
  if (cost.epsilon > inner.epsilon) {
    throw base::UsageError("the method would cost more than was stated for one record");
  }
  reservation.debit(population_event(inner, copies));
  const auto drawn = resample(std::move(lease), rows, copies);
  if (!drawn) return otherwise;
  privacy::MemoryBudget budget(inner);
  auto share = budget.reserve(planned, cost);
  return method(*drawn, share);
}

}  // namespace tacet::learn
