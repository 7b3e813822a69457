#pragma once

#include <span>

#include "tacet/learn/plan/training.h"

/// What is no training and has receipts all the same: evaluations, quantiles, summaries, fits of
/// schemas, sums. A new release is a line in known_releases.cc.
namespace tacet::learn {

/// All of them, by the algorithm that their receipts name.
[[nodiscard]] std::span<const RecordedAlgorithm> known_releases();

}  // namespace tacet::learn
