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

/// How things that nobody listed are released (docs/proofs/vocabulary.md).
struct PartitionRule {
  privacy::NoiseMultiplier noise;  ///< of the counts
  double delta;                    ///< above 0, below 1/2: of releasing what one unit alone has
  std::int64_t max_per_unit = 1;   ///< things that a unit counts in, at most; up to 2^20
};

/// Composed{Gaussian{noise}, ApproximateDp{0, delta}}.
[[nodiscard]] privacy::Event partition_selection_event(const PartitionRule& rule,
                                                       privacy::Adjacency adjacency);

/// The noisy count from which a thing is released, in units of what a unit with one thing counts
/// in it: the largest over t <= max_per_unit of 1/sqrt(t) + noise Phi^-1((1 - delta)^(1/t)) (Gopi,
/// Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin 2020). UsageError for a rule that makes no sense.
[[nodiscard]] double partition_threshold(const PartitionRule& rule);

struct NoisyThing {
  std::string name;
  double count;  ///< noisy, in units of what a unit with one thing counts in it

  friend bool operator==(const NoisyThing&, const NoisyThing&) = default;
};

/// Adds rounded Gaussian noise to every count and releases the things, with their noisy counts,
/// that reach the threshold; the most frequent first, equal ones by name, so that their order tells
/// nothing of where they stood. Debits partition_selection_event() before a random bit is drawn.
/// UsageError where the counts are bounded for more things a unit than the rule says.
[[nodiscard]] privacy::Released<std::vector<NoisyThing>> select_partitions(
    const privacy::PartitionCounts& counts, const PartitionRule& rule, privacy::Adjacency adjacency,
    const ReleaseContext& context);

}  // namespace tacet::mechanism
