#pragma once

#include "tacet/accounting/routes/rdp.h"

/// Renyi divergences of Poisson samples in which one record replaces another, in both orders at
/// once: the runs mix, with weights 1 - q and q, the law without the record and a law with one.
/// docs/proofs/replaced_record.md, section 4.
namespace tacet::accounting::rdp {

/// Gaussian noise of standard deviation `sigma` in units of one contribution's bound, by quadrature
/// with a bound of its error. Infinity where it would take too many points.
[[nodiscard]] double replaced_gaussian(double q, double sigma, double alpha);

/// Any mechanism that is epsilon-DP for a record more or less.
[[nodiscard]] double replaced_pure(double q, double epsilon, double alpha);

/// Any mechanism with curve `base` for a record more or less (both orders): by way of the sample
/// without the record (Mironov 2017, proposition 11).
[[nodiscard]] double replaced(double q, const Curve& base, double alpha);

}  // namespace tacet::accounting::rdp
