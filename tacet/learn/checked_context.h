#pragma once

#include "tacet/learn/plan/training.h"

namespace tacet::learn {

/// The same training with checks before anything is debited. UsageError if records differ from the
/// schema (columns, bound of the norm, labels, units), or if the source has given claims before.
[[nodiscard]] Training checked_before(Training training);

}  // namespace tacet::learn
