#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacet/privacy/budget.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/random/source/source.h"

/// Two reductions of Asi, Levy, Duchi 2021 as algorithms around any private method.
namespace tacet::learn {

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
[[nodiscard]] std::int64_t most_copies(std::int64_t rows, double failure);

/// Row indices drawn uniformly with replacement, or nothing when one occurs more than `copies`
/// times: an event that has nothing to do with the records.
[[nodiscard]] std::optional<std::vector<std::int64_t>> resample(random::Lease lease,
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
    random::Lease lease, privacy::Reservation& reservation);

/// What population_to_empirical debits.
[[nodiscard]] privacy::Event population_event(const privacy::Guarantee& inner, std::int64_t copies);

}  // namespace tacet::learn
