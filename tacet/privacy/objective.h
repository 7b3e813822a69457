#pragma once

#include "tacet/privacy/event.h"

/// Objective perturbation for linear predictors (Kifer, Smith, Thakurta 2012; Redberg, Koskela,
/// Wang 2023): the privacy loss of the exact minimum is at most c + s^2/2 + s|N| with c = ln(1 +
/// smoothness / regularization), s = lipschitz / sigma and N standard normal.
namespace tacet::privacy::objective {

/// delta at epsilon of the exact minimum, in add_remove or zero_out; for replace_one the certified
/// maximum over the angle between both records' directions.
[[nodiscard]] double exact_delta(double sigma, double lipschitz, double smoothness,
                                 double regularization, double epsilon, Adjacency adjacency);

/// delta at epsilon of the approximate minimum with output noise, rounded up.
[[nodiscard]] double delta(const ObjectivePerturbation& event, double epsilon, Adjacency adjacency);

/// The smallest epsilon at delta > 0, rounded up; infinity where there is none below 700.
[[nodiscard]] double epsilon(const ObjectivePerturbation& event, double delta, Adjacency adjacency);

}  // namespace tacet::privacy::objective
