#pragma once

#include <span>

#include "tacet/learn/plan/training.h"

/// What is no training and has receipts all the same, of this floor: evaluations. Those of higher
/// floors are in run/known_releases.h.
namespace tacet::learn {

/// By the algorithm that their receipts name.
[[nodiscard]] std::span<const RecordedAlgorithm> known_releases();

}  // namespace tacet::learn
