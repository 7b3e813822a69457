#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The rule for releasing things that nobody listed (docs/proofs/vocabulary.md).
struct PartitionRule {
  privacy::NoiseMultiplier noise;  ///< of the counts
  double delta;  ///< in (0, 1/2): probability of releasing something that only one unit has
  std::int64_t max_per_unit = 1;  ///< largest number of things in which a unit counts; up to 2^20
};

/// Composed{Gaussian{noise}, ApproximateDp{0, delta}}.
[[nodiscard]] privacy::Event partition_selection_event(const PartitionRule& rule,
                                                       privacy::Adjacency adjacency);

/// The noisy count from which a thing is released, in units of the count of a unit with a single
/// thing: the largest value over t <= max_per_unit of 1/sqrt(t) + noise Phi^-1((1 - delta)^(1/t))
/// (Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin 2020). UsageError for a rule that makes no
/// sense.
[[nodiscard]] double partition_threshold(const PartitionRule& rule);

struct NoisyThing {
  std::string name;
  double count;  ///< noisy, in units of the count of a unit with a single thing

  friend bool operator==(const NoisyThing&, const NoisyThing&) = default;
};

/// Adds rounded Gaussian noise to every count and releases the things, with their noisy counts,
/// that reach the threshold; The most frequent ones come first, and equal ones are sorted by name,
/// so that the order reveals nothing about the data. Debits partition_selection_event() before a
/// random bit is drawn. UsageError if the counts are bounded for more things per unit than the rule
/// allows.
[[nodiscard]] privacy::Released<std::vector<NoisyThing>> select_partitions(
    const privacy::PartitionCounts& counts, const PartitionRule& rule, privacy::Adjacency adjacency,
    const ReleaseContext& context);

}  // namespace tacet::mechanism
