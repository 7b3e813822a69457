#pragma once

#include <span>

#include "tacet/learn/receipt_check.h"

/// What trains nothing and has receipts all the same: evaluations, quantiles, summaries, fits of
/// schemas, sums. A new release is a line in known_releases.cc.
namespace tacet::run {

/// All of them, by the algorithm that their receipts name.
[[nodiscard]] std::span<const learn::RecordedRelease> known_releases();

}  // namespace tacet::run
