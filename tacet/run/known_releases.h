#pragma once

#include <vector>

#include "tacet/learn/known_releases.h"

/// What is no training and has receipts all the same: evaluations, quantiles, summaries, fits of
/// schemas, sums. A new release is a line in known_releases.cc.
namespace tacet::run {

/// All of them, by the algorithm that their receipts name.
[[nodiscard]] std::vector<learn::RecordedAlgorithm> known_releases();

}  // namespace tacet::run
