#pragma once

#include <cstdint>

#include "tacet/privacy/bounded_sum.h"

namespace tacet::mechanism::internal {

/// Bound of one record's L1 norm in grid units: the one it was clipped to where there is one, else
/// from the certified L2 bound K: integer vectors have
/// |v|_1 <= sqrt(d) |v|_2, and |v|_1 <= |v|_2^2 since |v_j| <= v_j^2 (a count moves by 1).
[[nodiscard]] std::int64_t absolute_norm_bound(const privacy::BoundedSum& sum);

}  // namespace tacet::mechanism::internal
