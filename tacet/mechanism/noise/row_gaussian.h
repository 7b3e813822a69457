#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The noisy sum over chosen rows or cells, in real units.
struct NoisyRows {
  privacy::RowSelection selection;
  privacy::RowLayout layout;
  std::vector<double> values;  ///< the chosen cells, ascending, followed by the dense block

  [[nodiscard]] std::span<const double> cells() const {
    return std::span(values).first(values.size() - static_cast<std::size_t>(layout.dense()));
  }
  [[nodiscard]] std::span<const double> dense() const {
    return std::span(values).last(static_cast<std::size_t>(layout.dense()));
  }
};

/// Releases a sum over chosen rows plus rounded Gaussian noise of `multiplier` times the bound of
/// one record's contribution, as in release_gaussian. Every chosen cell gets noise, whether a
/// record touched it or not. Word j of the keystream block decides the j-th chosen cell, and later
/// words the dense block. So nothing reveals which rows were touched. If all rows are chosen, word
/// j belongs to cell j.
///
/// Debits `reservation` by Gaussian{multiplier} under the sum's sample (Poisson or of fixed size).
/// Errors as release_gaussian.
[[nodiscard]] privacy::Released<NoisyRows> release_rows(privacy::RowSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        const ReleaseContext& context);

/// One of several releases from one sample: takes Gaussian{multiplier} out of the permit.
[[nodiscard]] privacy::Released<NoisyRows> release_rows(privacy::RowSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        const PermitContext& context);

}  // namespace tacet::mechanism
