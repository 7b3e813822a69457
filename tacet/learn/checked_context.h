#pragma once

#include "tacet/learn/plan/training.h"

namespace tacet::learn {

/// The same training, which looks at what it is given before anything is debited. UsageError for
/// records of another shape than the schema's (columns, bound of the norm, labels, units), and for
/// a source that has claimed already.
[[nodiscard]] Training checked_before(Training training);

}  // namespace tacet::learn
