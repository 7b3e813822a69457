#pragma once

#include <cstdint>

#include "tacet/choose/choice.h"

/// Confidence boosting, appendix E of Arora, Bassily, Guzman, Menart, Ullah 2022: what is good on
/// average is good with high probability once it was tried on several blocks of the records
/// (docs/methods/boosting.md).
namespace tacet::choose {

/// ceil(log2(2 / beta)): each run is within twice its expected excess with probability one half by
/// Markov's inequality, so that all fail with probability at most beta / 2.
[[nodiscard]] std::int64_t boosting_blocks(double beta);

/// Plans `boost=BETA`: runs on disjoint blocks of equal declared size, each at the full budget,
/// and permute-and-flip at the full epsilon on a quarter of the records: a record is in one block,
/// so that all of it costs what one run does. calibration arora2022: no such block; report noisy
/// max on all records at a fifth of epsilon, and runs at what the mixture bound of both leaves.
[[nodiscard]] ChoicePlan resolve_boosting(const data::Schema& schema,
                                          const learn::ParameterValues& values);

[[nodiscard]] const learn::Method& boosting_method();

}  // namespace tacet::choose
