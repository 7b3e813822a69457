#pragma once

#include <cstdint>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The noise of report-noisy-max, of scale 2 D / epsilon (D / epsilon if all scores move in the
/// same direction). Only the index is released, never a noisy score.
enum class NoisyMax {
  gumbel,       ///< the exponential mechanism's law
  exponential,  ///< permute-and-flip's law
  /// discrete Laplace noise; the first one wins a tie. Worse than both others; for reproductions
  laplace
};

/// gumbel: as exponential_event; the others: pure epsilon.
[[nodiscard]] privacy::Event noisy_max_event(NoisyMax noise, privacy::Epsilon epsilon,
                                             privacy::Adjacency adjacency);

/// The index of the largest noisy score. For Gumbel and exponential noise it uses the mechanisms
/// that have the same law and need no noise on a grid. Debits `reservation` by noisy_max_event
/// before a random bit is drawn.
[[nodiscard]] privacy::Released<std::int64_t> select_noisy_max(NoisyMax noise, const Scores& scores,
                                                               privacy::Epsilon epsilon,
                                                               const ReleaseContext& context);

}  // namespace tacet::mechanism
