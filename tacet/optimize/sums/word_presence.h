#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tacet/data/words/corpus.h"
#include "tacet/privacy/partition_counts.h"

namespace tacet::optimize {

/// How units count in words that nobody listed.
struct WordPresenceRule {
  std::int64_t max_per_unit = 1;  ///< different words; of more a uniformly random subset counts
  std::function<std::uint64_t(std::int64_t unit)> draws;  ///< a secret number of its own for each
};

/// How many units hold each word: a unit that counts in t words adds floor(2^20 / sqrt(t)) grid
/// units to each, so that it moves all counts together by at most 2^20 (presence_norm), in
/// integers. Which words of a unit count follows from its own texts and random draws alone. The
/// texts must outlive it. UsageError unless 1 <= max_per_unit <= 2^20.
[[nodiscard]] privacy::PartitionCounts word_presence(const data::OpenCorpus& texts,
                                                     const WordPresenceRule& rule);

/// The same as numbers, for runs that promise nothing.
[[nodiscard]] std::vector<std::int64_t> open_word_presence(const data::OpenCorpus& texts,
                                                           const WordPresenceRule& rule);

}  // namespace tacet::optimize
