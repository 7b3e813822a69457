#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/privacy/guarantee.h"

/// Whitening for models with curves: released second moments make numbers uncorrelated, so that
/// descent along one path learns all directions.
namespace tacet::learn {

struct WhiteningRelease {
  double noise_multiplier;
  std::int64_t public_row_count;
  privacy::Adjacency adjacency;
};

/// The root of (S + rho I)^-1, scaled so that numbers with second moments S get a mean square of 1:
/// `second_moments` is S, k x k. Its noise has a standard deviation of `noise` on the diagonal and
/// of noise / sqrt(2) elsewhere. Negative eigenvalues count as 0. rho = 1.06 noise sqrt(k) + 0.02:
/// three quarters of the mean of the noise's largest eigenvalue, and a smallest divisor.
[[nodiscard]] std::vector<double> whitening_of(std::span<const double> second_moments,
                                               std::size_t numbers, double noise);

/// The PRG slack of the release.
[[nodiscard]] double whitening_prg_slack(const data::Schema& schema);

/// Releases the mean of z z' over the records of the raw schema, where z are the numbers of
/// `standardised` in released standard deviations, shortened if |z|^2 > 1.5 k. So a record adds at
/// most 1.5 k in Frobenius norm (docs/proofs/gram.md), which is certified in integers. Returns the
/// schema with its whitening, with the map of its curves, which follows from whitening and public
/// facts, and with its constant.
[[nodiscard]] data::Schema release_whitening(optimize::PartSums& raw,
                                             const data::Schema& standardised,
                                             const WhiteningRelease& release,
                                             const TrainingContext& context);

}  // namespace tacet::learn
