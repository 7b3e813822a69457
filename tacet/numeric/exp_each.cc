#include "tacet/numeric/exp_each.h"

#include <bit>
#include <cstdint>

#include "tacet/numeric/exp_series.h"

namespace tacet::numeric {

void exp_each(std::span<double> numbers) {
  for (double& x : numbers) {
    const double shifted = x * internal::log2_e + internal::rounding_shift;
    const double k = shifted - internal::rounding_shift;
    // The last twelve bits of `shifted` are those of k: its power of two without a conversion, so
    // that the loop takes several numbers at once.
    const auto exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    x = internal::exp_of_rest((x - k * internal::ln2_high) - k * internal::ln2_low) *
        std::bit_cast<double>(exponent);
  }
}

}  // namespace tacet::numeric
