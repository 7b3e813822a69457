#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/privacy/guarantee.h"

/// Numbers made uncorrelated by their released second moments, so that descent along one path
/// learns all of their directions: for models with curves.
namespace tacet::learn {

struct WhiteningRelease {
  double noise_multiplier;
  std::int64_t public_row_count;
  privacy::Adjacency adjacency;
};

/// The root of (S + rho I)^-1, scaled so that numbers with second moments S get a mean square of 1:
/// `second_moments` is S, k x k, with noise of standard deviation `noise` on the diagonal and
/// noise / sqrt(2) beside it. Negative eigenvalues count 0; rho = 1.06 noise sqrt(k) + 0.02:
/// three quarters of what the noise's largest eigenvalue is on average, and the least that is worth
/// dividing by.
[[nodiscard]] std::vector<double> whitening_of(std::span<const double> second_moments,
                                               std::size_t numbers, double noise);

/// The PRG slack of the release.
[[nodiscard]] double whitening_prg_slack(const data::Schema& schema);

/// Releases the mean of z z' over the records of the raw schema, z the numbers of `standardised` in
/// released standard deviations, shortened where |z|^2 > 1.5 k: in Frobenius norm a record adds at
/// most 1.5 k (docs/proofs/gram.md), certified in integers. Gives the schema with its whitening,
/// the map of its curves, which follows from whitening and public facts, and its constant.
[[nodiscard]] data::Schema release_whitening(optimize::PartSums& raw,
                                             const data::Schema& standardised,
                                             const WhiteningRelease& release,
                                             const TrainingContext& context);

}  // namespace tacet::learn
