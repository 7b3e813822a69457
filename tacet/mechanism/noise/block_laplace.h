#pragma once

#include <vector>

#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// One pass over disjoint blocks. Each is released once, with noise of density proportional to
/// exp(-|z| / b) as in release_l2_laplace. All of them together are epsilon-DP, since a record is
/// in one block only (parallel composition; each block may depend on what the earlier ones
/// released). The first release debits Partitioned{by_position, {PureDp{epsilon}}}, the others
/// nothing. Not for several threads at once.
class BlockL2Laplace {
 public:
  BlockL2Laplace(privacy::Epsilon epsilon, privacy::Adjacency adjacency,
                 privacy::Reservation& reservation)
      : epsilon_(epsilon), adjacency_(adjacency), pass_(reservation) {}

  /// The event of the whole pass.
  [[nodiscard]] static privacy::Event event(privacy::Epsilon epsilon, privacy::Adjacency adjacency);

  /// InternalError unless the blocks come in ascending order, each one once.
  [[nodiscard]] privacy::Released<std::vector<double>> release(privacy::PartialSum sum,
                                                               NoiseAddress address,
                                                               random::Source& source);

 private:
  privacy::Epsilon epsilon_;
  privacy::Adjacency adjacency_;
  internal::PassBlocks pass_;
};

/// The same with Laplace noise on each coordinate, of scale `multiplier` times the bound of one
/// record's L1 norm, as release_laplace does. Debits Partitioned{by_position, {Laplace}}. Not for
/// several threads at once.
class BlockLaplace {
 public:
  BlockLaplace(privacy::NoiseMultiplier multiplier, privacy::Reservation& reservation)
      : multiplier_(multiplier), pass_(reservation) {}

  [[nodiscard]] static privacy::Event event(privacy::NoiseMultiplier multiplier);
  [[nodiscard]] privacy::Released<std::vector<double>> release(privacy::PartialSum sum,
                                                               NoiseAddress address,
                                                               random::Source& source);

 private:
  privacy::NoiseMultiplier multiplier_;
  internal::PassBlocks pass_;
};

}  // namespace tacet::mechanism
