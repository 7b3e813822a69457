#include "tacet/mechanism/select/selection.h"

#include "tacet/base/error.h"

namespace tacet::mechanism::internal {

random::Ratio laplace_scale(std::int64_t sensitivity, std::int64_t times, RationalEpsilon epsilon) {
  const random::Wide numerator = static_cast<random::Wide>(sensitivity) *
                                 static_cast<random::Wide>(times) * epsilon.denominator;
  const random::Wide largest = static_cast<random::Wide>(epsilon.numerator) << 40;
  if (numerator > largest || numerator >> 64 != 0) {
    throw base::UsageError(
        "Laplace noise of more than 2^40 units of the scores cannot be drawn; allow fewer "
        "positives, a larger epsilon, or scores on a coarser grid");
  }
  return {static_cast<std::uint64_t>(numerator), epsilon.numerator};
}

}  // namespace tacet::mechanism::internal
