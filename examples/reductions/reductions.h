#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/source/source.h"

/// Two reductions of Asi, Levy, Duchi 2021 as algorithms around any private method: what the
/// library's budgets, claims and accountants are enough for.
namespace reductions {

using namespace tacet;  // NOLINT: an example

/// A loss that need not grow, minimised by a method whose error is known for losses that grow
/// (proposition 3): stage i adds weight_i |w - w_{i-1}|^kappa, which grows by itself, and halves
/// what is left.
struct GrowthReduction {
  double kappa = 2;             ///< growth exponent that the method is made for, above 1
  std::vector<double> weights;  ///< of |w - centre|^kappa, doubling from stage to stage
  double added_lipschitz = 0;   ///< of the last stage's regulariser, to be added to the loss's
};

/// `error(k)` is the method's Delta with a k-th of the budget: its excess risk on losses with
/// (lambda, kappa)-growth is lambda^{-1/(kappa-1)} Delta^{kappa/(kappa-1)} up to a constant. The
/// number of stages is the smallest k with k >= (kappa - 1) log2(lipschitz / error(k)). UsageError
/// for numbers out of range, or when no k up to 60 is enough.
[[nodiscard]] GrowthReduction growth_reduction(double kappa, double lipschitz, double diameter,
                                               const std::function<double(std::int64_t)>& error);

/// Minimises the loss plus weight |w - centre|^kappa, privately, with its share of the budget.
using GrowingMethod =
    std::function<std::vector<double>(std::span<const double> centre, double weight)>;
/// Runs the stages from a public start; the result is the last one's.
[[nodiscard]] std::vector<double> growth_to_convex(const GrowthReduction& reduction,
                                                   std::vector<double> start,
                                                   const GrowingMethod& method);

/// A method for the population, run on records drawn with replacement, is one for the empirical
/// risk (proposition 4). The number k of times that any record may occur, so that more occur with
/// probability at most `failure`: n C(n, k+1) n^{-(k+1)} <= failure.
[[nodiscard]] std::int64_t max_copies(std::int64_t rows, double failure);

/// Row indices drawn uniformly with replacement, or nothing when one occurs more than `copies`
/// times: an event that has nothing to do with the records.
[[nodiscard]] std::optional<std::vector<std::int64_t>> resample(random::BlockClaim claim,
                                                                std::int64_t rows,
                                                                std::int64_t copies);

/// What a method that is `inner`-private for one record costs when `copies` change: group privacy,
/// (k epsilon, delta (e^{k epsilon} - 1) / (e^epsilon - 1)), rounded up. GuaranteeError where that
/// delta is 1 or more.
[[nodiscard]] privacy::Guarantee group_guarantee(const privacy::Guarantee& inner,
                                                 std::int64_t copies);

/// Runs `method` on resampled rows under a budget of its own and pays group_guarantee(inner,
/// copies) from `reservation`. Returns `otherwise`, a public point, when resampling fails. The
/// method gets a reservation for `planned`, which must cost no more than `inner` for one record.
using PopulationMethod = std::function<std::vector<double>(std::span<const std::int64_t> rows,
                                                           privacy::Reservation& reservation)>;
[[nodiscard]] std::vector<double> population_to_empirical(
    std::int64_t rows, std::int64_t copies, const privacy::Guarantee& inner,
    const privacy::Event& planned, const PopulationMethod& method, std::vector<double> otherwise,
    random::BlockClaim claim, privacy::Reservation& reservation);

/// What population_to_empirical debits.
[[nodiscard]] privacy::Event population_event(const privacy::Guarantee& inner, std::int64_t copies);

inline GrowthReduction growth_reduction(double kappa, double lipschitz, double diameter,
                                        const std::function<double(std::int64_t)>& error) {
  if (!(kappa > 1) || !(lipschitz > 0) || !(diameter > 0)) {
    throw base::UsageError("the reduction needs a growth exponent above 1 and positive constants");
  }
  constexpr std::int64_t max_stages = 60;
  for (std::int64_t k = 1; k <= max_stages; ++k) {
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

inline std::vector<double> growth_to_convex(const GrowthReduction& reduction,
                                            std::vector<double> start,
                                            const GrowingMethod& method) {
  for (const double weight : reduction.weights) start = method(start, weight);
  return start;
}

inline std::int64_t max_copies(std::int64_t rows, double failure) {
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

inline std::optional<std::vector<std::int64_t>> resample(random::BlockClaim claim,
                                                         std::int64_t rows, std::int64_t copies) {
  if (rows < 1 || copies < 1) throw base::UsageError("resampling needs records and copies");
  random::Stream stream(std::move(claim));
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

inline privacy::Guarantee group_guarantee(const privacy::Guarantee& inner, std::int64_t copies) {
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

inline privacy::Event population_event(const privacy::Guarantee& inner, std::int64_t copies) {
  const auto group = group_guarantee(inner, copies);
  if (group.delta == 0) return privacy::PureDp{group.epsilon, group.adjacency};
  return privacy::ApproximateDp{group.epsilon, group.delta, group.adjacency};
}

inline std::vector<double> population_to_empirical(
    std::int64_t rows, std::int64_t copies, const privacy::Guarantee& inner,
    const privacy::Event& planned, const PopulationMethod& method, std::vector<double> otherwise,
    random::BlockClaim claim, privacy::Reservation& reservation) {
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
  const auto drawn = resample(std::move(claim), rows, copies);
  if (!drawn) return otherwise;
  privacy::TrustingBudget budget(inner);
  auto share = budget.reserve(planned, cost);
  return method(*drawn, share);
}

}  // namespace reductions
