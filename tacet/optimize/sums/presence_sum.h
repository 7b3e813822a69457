#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/data/words/corpus.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// What one record adds to the counts in all, in grid units: its vector has norm 1.
inline constexpr std::int64_t presence_norm = std::int64_t{1} << 20;

/// How often each column of `ranges` differs from 0, records with m such columns counting
/// 1 / sqrt(m) in each of them.
///
/// The bound is enforced in integers: such a record adds floor(sqrt(2^40 / m)) grid units m times,
/// of norm at most 2^20 together, and others add nothing; so adding or removing a record moves the
/// sum by at most presence_norm in Euclidean norm. Memory grows with the columns that occur. Ranges
/// ascend and do not overlap. Coordinates are those of the data set, those outside of the ranges 0.
[[nodiscard]] privacy::SparseBoundedSum presence_sum(const data::Dataset& dataset,
                                                     std::span<const data::ColumnRange> ranges);

/// A column and what was counted there, in grid units.
struct ColumnCount {
  std::uint32_t column;
  std::int64_t count;
  friend bool operator==(const ColumnCount&, const ColumnCount&) = default;
};

/// What presence_sum adds up, columns ascending and none of them 0: as private as the records. For
/// sums over parts.
[[nodiscard]] std::vector<ColumnCount> presence_counts(const data::Dataset& dataset,
                                                       std::span<const data::ColumnRange> ranges);

/// The sum of what presence_counts says of all parts of records with so many columns.
[[nodiscard]] privacy::SparseBoundedSum certified_presence(std::int64_t columns,
                                                           std::span<const ColumnCount> counts);

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
