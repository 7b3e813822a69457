#pragma once

#include <optional>

#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/mechanism/select/sparse_vector.h"

namespace tacet::mechanism::internal {

/// How one stretch between draws of the threshold divides its epsilon.
struct SparseVectorShares {
  RationalEpsilon threshold;
  RationalEpsilon query;
  std::optional<RationalEpsilon> value;  ///< epsilon of one released value
};

[[nodiscard]] SparseVectorShares sparse_vector_shares(const SparseVectorOptions& options,
                                                      Movement movement);

/// Noise scales in units of the scores.
[[nodiscard]] SparseVectorScales sparse_vector_scales(const SparseVectorOptions& options,
                                                      std::int64_t sensitivity, Movement movement);

}  // namespace tacet::mechanism::internal
