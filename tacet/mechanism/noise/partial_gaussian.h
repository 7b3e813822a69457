#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism::internal {

/// The blocks of one pass. The first one debits the cost of all, the others nothing.
class PassBlocks {
 public:
  explicit PassBlocks(privacy::Reservation& reservation) : reservation_(reservation) {}

  /// The sum of the next block, to be released at once. InternalError unless blocks come in
  /// ascending order, each one once.
  [[nodiscard]] privacy::BoundedSum open(privacy::PartialSum sum, const privacy::Event& whole);

 private:
  privacy::Reservation& reservation_;
  std::int64_t next_ = 0;
};

}  // namespace tacet::mechanism::internal

namespace tacet::mechanism {

/// Releases the sum over a secret sample of fixed size plus rounded Gaussian noise, as
/// release_gaussian does, and debits FixedSizeSampled{sample, population, Gaussian{multiplier}}.
/// InternalError for any other part, and if anything was released from the sample before.
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context,
    std::vector<double> storage = {});

/// One of several releases from one sample: takes Gaussian{multiplier} out of the permit.
[[nodiscard]] privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, const PermitContext& context);

/// One pass over disjoint blocks: the vector of each block is released once, with the same noise
/// multiplier. All of them together cost as much as one, since a record is in one block only
/// (parallel composition; each block may depend on what the earlier ones released). The first
/// release debits Partitioned{by_position, {Gaussian{multiplier}}}, the others nothing. Not for
/// several threads at once.
class BlockGaussian {
 public:
  BlockGaussian(privacy::NoiseMultiplier multiplier, privacy::Reservation& reservation)
      : multiplier_(multiplier), pass_(reservation) {}

  /// The event of the whole pass.
  [[nodiscard]] static privacy::Event event(privacy::NoiseMultiplier multiplier);

  /// InternalError unless the blocks come in ascending order, each one once.
  [[nodiscard]] privacy::Released<std::vector<double>> release(privacy::PartialSum sum,
                                                               NoiseAddress address,
                                                               random::Source& source,
                                                               std::vector<double> storage = {});

 private:
  privacy::NoiseMultiplier multiplier_;
  internal::PassBlocks pass_;
};

}  // namespace tacet::mechanism
