#include "tacet/optimize/sums/presence_sum.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "tacet/base/error.h"
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
  const auto dense = dataset.dense_row(row);
  for (std::size_t j = 0; j < dense.size(); ++j) {
    if (dense[j] != 0) out.push_back(static_cast<std::uint32_t>(j));
  }
}

}  // namespace

privacy::SparseBoundedSum presence_sum(const data::Dataset& dataset,
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
  std::vector<random::ScoredCandidate> touched;
  touched.reserve(sums.size());
  for (const auto& [column, sum] : sums) touched.push_back({std::int64_t{column}, sum});
  std::ranges::sort(touched, {}, &random::ScoredCandidate::index);
  return privacy::SparseBoundedSum::from_certified(privacy::Certifier::clipped(), dataset.columns(),
                                                   std::move(touched), presence_norm);
}

}  // namespace tacet::optimize
