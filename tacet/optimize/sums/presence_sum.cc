#include "tacet/optimize/sums/presence_sum.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/words/random_draws.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

class InRanges {
 public:
  explicit InRanges(std::span<const data::ColumnRange> ranges) : ranges_(ranges) {}

  [[nodiscard]] bool operator()(std::uint32_t column) const {
    const auto after = std::ranges::upper_bound(ranges_, column, {}, &data::ColumnRange::first);
    return after != ranges_.begin() && column < std::prev(after)->second;
  }

 private:
  std::span<const data::ColumnRange> ranges_;
};

void present_columns(const data::Dataset& dataset, std::int64_t row,
                     std::vector<std::uint32_t>& out) {
  out.clear();
  if (dataset.sparse()) {
    const auto sparse = dataset.sparse_row(row);
    out.assign(sparse.columns.begin(), sparse.columns.end());
    return;
  }
  std::vector<std::int16_t> room;
  const auto dense = dataset.dense_row(row, room);
  for (std::size_t j = 0; j < dense.size(); ++j) {
    if (dense[j] != 0) out.push_back(static_cast<std::uint32_t>(j));
  }
}

/// The different words of units, in the order in which the unit itself names them: numbers of words
/// depend on everybody's texts, and what a unit's random draws choose must not.
class DifferentWords {
 public:
  explicit DifferentWords(const data::OpenCorpus& texts)
      : corpus_(texts.corpus), seen_by_(texts.words.size(), -1) {}

  std::vector<std::int32_t>& of(std::int64_t unit) {
    words_.clear();
    corpus_.visit_unit(unit, [&](std::int64_t record) {
      for (const auto word : corpus_.record(record)) {
        if (word == data::Vocabulary::unknown) continue;
        if (std::exchange(seen_by_[static_cast<std::size_t>(word)], unit) != unit) {
          words_.push_back(word);
        }
      }
    });
    return words_;
  }

 private:
  const data::Corpus& corpus_;
  std::vector<std::int64_t> seen_by_;  // the last unit that has the word
  std::vector<std::int32_t> words_;
};

}  // namespace

std::vector<ColumnCount> presence_counts(const data::Dataset& dataset,
                                         std::span<const data::ColumnRange> ranges) {
  if (dataset.rows() > (std::int64_t{1} << 32)) {
    throw base::UsageError("a data set may hold at most 2^32 records for one sum");
  }
  const InRanges counted(ranges);
  std::unordered_map<std::uint32_t, std::int64_t> sums;
  std::vector<std::uint32_t> columns;
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    present_columns(dataset, row, columns);
    std::erase_if(columns, [&](std::uint32_t column) { return !counted(column); });
    // floor(sqrt(2^40 / m)): its square times m is at most 2^40.
    const auto share = scalar_bound(presence_norm, static_cast<std::int64_t>(columns.size()));
    for (const auto column : columns) sums[column] += share;
  }
  std::vector<ColumnCount> counts;
  counts.reserve(sums.size());
  for (const auto& [column, sum] : sums) counts.push_back({column, sum});
  std::ranges::sort(counts, {}, &ColumnCount::column);
  return counts;
}

privacy::SparseBoundedSum certified_presence(std::int64_t columns,
                                             std::span<const ColumnCount> counts) {
  std::vector<random::ScoredCandidate> touched;
  touched.reserve(counts.size());
  for (const auto& [column, count] : counts) touched.push_back({std::int64_t{column}, count});
  return privacy::SparseBoundedSum::from_certified(privacy::Certifier::clipped(), columns,
                                                   std::move(touched), presence_norm);
}

privacy::SparseBoundedSum presence_sum(const data::Dataset& dataset,
                                       std::span<const data::ColumnRange> ranges) {
  return certified_presence(dataset.columns(), presence_counts(dataset, ranges));
}

std::vector<std::int64_t> open_word_presence(const data::OpenCorpus& texts,
                                             const WordPresenceRule& rule) {
  if (rule.max_per_unit < 1 || rule.max_per_unit > (std::int64_t{1} << 20)) {
    throw base::UsageError("words per unit must be 1 to 2^20, got {}", rule.max_per_unit);
  }
  const auto max = static_cast<std::size_t>(rule.max_per_unit);
  std::vector<std::int64_t> counts(texts.words.size(), 0);
  DifferentWords different(texts);
  for (std::int64_t unit = 0; unit < texts.corpus.unit_count(); ++unit) {
    auto& words = different.of(unit);
    if (words.size() > max) {
      // The first places of a random order (Fisher, Yates; Knuth 1997, 3.4.2 P).
      data::RandomDraws draws(rule.draws(unit));
      for (std::size_t i = 0; i < max; ++i) {
        std::swap(words[i], words[i + draws.below(words.size() - i)]);
      }
      words.resize(max);
    }
    const auto each = scalar_bound(presence_norm, static_cast<std::int64_t>(words.size()));
    for (const auto word : words) counts[static_cast<std::size_t>(word)] += each;
  }
  return counts;
}

privacy::PartitionCounts word_presence(const data::OpenCorpus& texts,
                                       const WordPresenceRule& rule) {
  return privacy::PartitionCounts::from_certified(privacy::Certifier::clipped(), texts.words,
                                                  open_word_presence(texts, rule), presence_norm,
                                                  rule.max_per_unit);
}

}  // namespace tacet::optimize
