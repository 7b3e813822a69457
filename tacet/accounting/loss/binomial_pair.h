#pragma once

#include <cstdint>

#include "tacet/accounting/loss/pairs.h"

/// Gaussian noise on a Poisson sample of a unit's records: pairs of laws that mix what j of its k
/// records move, with the binomial probabilities of j. docs/proofs/sampled_units.md.
namespace tacet::accounting::pairs {

/// How a unit's records join a sample, and how far they move the noise's mean.
struct SampledUnit {
  double mu;    ///< of all k records together, in standard deviations of the noise; above 0
  double rate;  ///< of each record, in (0, 1)
  std::int64_t records;  ///< k, at least 1; each record moves the mean by at most mu / k
};

/// sum_j Bin(k, q)(j) N(j mu / k, 1) against N(0, 1), or the other way round: a unit more or less.
[[nodiscard]] PairPointer binomial_gaussian(const SampledUnit& unit, Order order);

/// The same mixture against its mirror image: a unit that replaces another one. Symmetric.
[[nodiscard]] PairPointer replaced_binomial_gaussian(const SampledUnit& unit);

/// Whether these are the laws themselves. Where more than about a hundred numbers of records are
/// likely, neighbouring ones count as the largest of them, which dominates.
[[nodiscard]] bool is_exact(const SampledUnit& unit);

}  // namespace tacet::accounting::pairs
