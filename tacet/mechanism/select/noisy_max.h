#pragma once

#include <cstdint>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The noise of report-noisy-max, each of scale 2 D / epsilon (D / epsilon where scores move one
/// way). Only the index leaves, never a noisy score.
enum class NoisyMax {
  gumbel,       ///< the exponential mechanism's law
  exponential,  ///< permute-and-flip's law
  laplace       ///< discrete Laplace noise, the first of equals; worse than both, for reproductions
};

/// gumbel: as exponential_event; the others: pure epsilon.
[[nodiscard]] privacy::Event noisy_max_event(NoisyMax noise, privacy::Epsilon epsilon,
                                             privacy::Adjacency adjacency);

/// The index of the largest noisy score. The Gumbel and exponential forms are drawn by the
/// mechanisms whose law they have, which need no noise on any grid. Debits `reservation` by
/// noisy_max_event before a random bit is drawn.
[[nodiscard]] privacy::Released<std::int64_t> select_noisy_max(NoisyMax noise, const Scores& scores,
                                                               privacy::Epsilon epsilon,
                                                               const ReleaseContext& context);

}  // namespace tacet::mechanism
