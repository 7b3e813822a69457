#pragma once

#include <span>

#include "tacet/accounting/loss/pairs.h"

/// A Poisson sample of rate q in (0, 1) in which one record is replaced by another: both runs mix,
/// with weights 1 - q and q, the law without the record and one with it. Each pair here dominates
/// both orders at once, for contributions of any length up to the bound, any angle and any
/// dimension, and for rates of single records up to q. docs/proofs/replaced_record.md.
namespace tacet::accounting::pairs {

/// Gaussian noise, `mu` the bound of one contribution over the noise:
/// (1-q) N(0, 1) + q N(mu, 1) against (1-q) N(0, 1) + q N(-mu, 1). Two data sets meet it.
[[nodiscard]] PairPointer replaced_gaussian(double mu, double q);

/// Laplace noise on contributions of L1 norm at most `epsilon` times its scale:
/// (1-q) Lap(0) + q Lap(epsilon) against (1-q) Lap(0) + q Lap(-epsilon). Two data sets meet it.
[[nodiscard]] PairPointer replaced_laplace(double epsilon, double q);

/// A base known by finitely many losses of a sample with the record (P) over one without it (Q):
/// the pair on [0, 1] with densities 1 - q + q G'(t) and 1 - q + q G'(1 - t), G(t) the largest
/// P(S) with Q(S) <= t. For noise with half lines as best tests, two data sets meet it.
[[nodiscard]] PairPointer replaced_list(std::span<const Atom> base, double infinite_p,
                                        double infinite_q, double q);

}  // namespace tacet::accounting::pairs
