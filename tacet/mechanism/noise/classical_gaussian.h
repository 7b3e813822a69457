#pragma once

#include "tacet/privacy/guarantee.h"

namespace tacet::mechanism {

/// The noise multiplier sqrt(2 ln(1.25/delta)) / epsilon, in units of the sensitivity, that papers
/// calibrate Gaussian noise by (Dwork, Roth 2014, theorem A.1), for reproductions; rounded up. The
/// theorem holds for epsilon below 1 and delta in (0, 1) only, and fails from some epsilon on:
/// anything else is a GuaranteeError that points to the exact calibration. It needs more noise than
/// accounting::gaussian::sigma_for for the same guarantee.
[[nodiscard]] privacy::NoiseMultiplier classical_gaussian_multiplier(privacy::Epsilon epsilon,
                                                                     privacy::Delta delta,
                                                                     privacy::Adjacency adjacency);

}  // namespace tacet::mechanism
