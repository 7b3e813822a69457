#pragma once

#include <cstdint>

#include "tacet/mechanism/release_means.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// What one selection by permute-and-flip costs: pure epsilon. It is not of bounded range: under
/// zCDP it costs up to four times what the exponential mechanism does.
[[nodiscard]] privacy::Event permute_and_flip_event(privacy::Epsilon epsilon,
                                                    privacy::Adjacency adjacency);

/// Visits the candidates in random order and takes one with probability exp(epsilon (score - best)
/// / (2 D)), or with D instead of 2 D where scores move one way (McKenna, Sheldon 2020). Its
/// expected score is never below the exponential mechanism's: the choice for a single selection
/// under pure privacy. Adding exponential noise and taking the largest is the same law. Exact, as
/// select_exponential is.
///
/// Debits `reservation` by permute_and_flip_event before a random bit is drawn.
[[nodiscard]] privacy::Released<std::int64_t> select_permute_and_flip(const Scores& scores,
                                                                      privacy::Epsilon epsilon,
                                                                      const ReleaseMeans& means);

}  // namespace tacet::mechanism
