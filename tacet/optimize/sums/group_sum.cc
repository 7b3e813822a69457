#include "tacet/optimize/sums/group_sum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// Calls use(column, value) for every feature of a record that is not 0.
template <typename Use>
void for_features(const data::Dataset& dataset, std::int64_t row, const Use& use) {
  if (dataset.sparse()) {
    const auto sparse = dataset.sparse_row(row);
    for (std::size_t k = 0; k < sparse.columns.size(); ++k)
      use(sparse.columns[k], sparse.values[k]);
    return;
  }
  const auto dense = dataset.dense_row(row);
  for (std::size_t j = 0; j < dense.size(); ++j) {
    if (dense[j] != 0) use(static_cast<std::uint32_t>(j), dense[j]);
  }
}

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): public, the same everywhere.
std::uint64_t mixed_bits(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

std::uint64_t hash_of(const data::Dataset& dataset, std::int64_t row, data::ColumnRange column) {
  std::uint64_t hash = 0;
  for_features(dataset, row, [&](std::uint32_t at, std::int16_t value) {
    if (at < column.first || at >= column.second) return;
    const auto word = (std::uint64_t{at - column.first} << 16) | static_cast<std::uint16_t>(value);
    hash = mixed_bits(hash + 0x9e3779b97f4a7c15U + word);
  });
  return mixed_bits(hash + 0x9e3779b97f4a7c15U);
}

void check_clip(const CoordinateClip& clip) {
  if (!(clip.bound > 0 && std::isfinite(clip.bound)) || clip.norm_bits < 14 ||
      clip.norm_bits > 30) {
    throw base::UsageError("coordinates are clipped to a positive bound of 2^14 to 2^30 units");
  }
}

}  // namespace

GroupedRecords::GroupedRecords(const data::Dataset& dataset, data::ColumnRange column,
                               std::int64_t groups)
    : dataset_(dataset) {
  if (groups < 1 || groups > std::int64_t{1} << 30) {
    throw base::UsageError("groups must be 1 to 2^30, got {}", groups);
  }
  members_.resize(static_cast<std::size_t>(groups));
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    const auto hash = hash_of(dataset, row, column);
    members_[hash % static_cast<std::uint64_t>(groups)].push_back(row);
  }
}

mechanism::GroupScores GroupedRecords::gradient(std::int64_t group, std::span<const double> weights,
                                                const model::Loss& loss, const CoordinateClip& clip,
                                                privacy::Adjacency adjacency) const {
  check_clip(clip);
  if (adjacency == privacy::Adjacency::replace_one) {
    throw base::UsageError("a replaced record may change two groups");
  }
  const auto max = std::int64_t{1} << clip.norm_bits;
  const auto limit = static_cast<double>(max);
  std::unordered_map<std::uint32_t, std::int64_t> sums;
  for (const auto row : members_.at(static_cast<std::size_t>(group))) {
    double margin = 0;
    for_features(dataset_, row, [&](std::uint32_t column, std::int16_t value) {
      margin += weights[column] * (value / double{data::Dataset::feature_scale});
    });
    const double slope = model::loss_slope(loss, margin, dataset_.label(row));
    const double unit = slope * limit / (clip.bound * data::Dataset::feature_scale);
    if (!std::isfinite(unit)) continue;
    for_features(dataset_, row, [&](std::uint32_t column, std::int16_t value) {
      // Clamped before the conversion: at most 2^norm_bits units whatever the gradient is.
      sums[column] += static_cast<std::int64_t>(std::clamp(unit * value, -limit, limit));
    });
  }
  std::vector<random::ScoredCandidate> listed;
  listed.reserve(sums.size());
  for (const auto& [column, sum] : sums) listed.push_back({std::int64_t{column}, sum});
  std::ranges::sort(listed, {}, &random::ScoredCandidate::index);
  return mechanism::GroupScores::from_certified(
      privacy::Certifier::clipped(),
      mechanism::SparseScores::integers(dataset_.columns(), std::move(listed),
                                        {max, mechanism::Movement::any, adjacency}),
      group, groups());
}

}  // namespace tacet::optimize
