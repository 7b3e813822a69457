#pragma once

#include <span>

#include "tacet/learn/plan/training.h"

/// Releases of this module that are not trainings but have receipts: evaluations. For those of
/// higher modules see run/known_releases.h.
namespace tacet::learn {

/// One entry per algorithm that receipts name.
[[nodiscard]] std::span<const RecordedAlgorithm> known_releases();

}  // namespace tacet::learn
