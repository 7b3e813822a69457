#include "tacet/optimize/sums/row_clip.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/numeric/truncate.h"
#include "tacet/optimize/sums/row_norm.h"

namespace tacet::optimize::internal {

RowScale RowScale::of(double clipping_norm, const RowLimit& limit) {
  const double whole = std::ldexp(1.0, limit.norm_bits);
  return {whole / checked_row_norm(clipping_norm),
          std::floor(whole / static_cast<double>(limit.max_records_per_unit))};
}

namespace {

/// Gives back the sum of the squares of what it adds. With -factor it takes that back.
double add_times(double factor, const RowRecord& record, const RecordPlaces& places,
                 const RowScale& scale, std::span<double> sum) {
  double squares = 0;
  for (const Piece& piece : places.pieces) {
    squares += numeric::add_truncated(record.values.subspan(piece.value, piece.width), factor,
                                      scale.share, sum.subspan(piece.place, piece.width));
  }
  for (const auto& [first, picked, vector] : record.products) {
    squares += numeric::add_truncated_products(picked, vector, factor, scale.share,
                                               sum.subspan(places.dense + first));
  }
  return squares;
}

}  // namespace

void add_clipped(const RowRecord& record, const RecordPlaces& places, double square,
                 const RowScale& scale, std::span<double> sum) {
  // Room for the rounding of square and factor; the integers decide.
  const double limit = scale.share * (1 - 0x1p-30);
  const double norm = std::sqrt(square);
  double factor = std::ldexp(scale.per_unit, record.exponent);
  if (norm * factor > limit) factor = limit / norm;
  // Exact up to 2^53 and never below the truth's 2^52 (numeric/truncate.h).
  if (add_times(factor, record, places, scale, sum) <= scale.share * scale.share) return;
  static_cast<void>(add_times(-factor, record, places, scale, sum));
}

void place_dense(const RowRecord& record, std::size_t dense, RecordPlaces& out) {
  out.dense = dense;
  out.square = 0;
  for (const Piece& piece : out.pieces) out.square += piece.square;
  std::size_t value = record.values.size();
  for (const DensePart& part : record.parts) value -= part.width;
  const auto squares = record.squares.subspan(record.rows.size());
  for (const double square : squares) out.square += square;
  for (std::size_t i = 0; i < record.parts.size(); ++i) {
    const DensePart& part = record.parts[i];
    out.pieces.push_back({value, dense + part.first, part.width, squares[i]});
    value += part.width;
  }
}

namespace {

/// The lists of all ranks, one behind the other: each adds its own at its place to zeros.
std::vector<std::int64_t> joined(base::Reducer& reducer, std::span<const std::int64_t> own) {
  const auto rank = static_cast<std::size_t>(reducer.rank());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(reducer.size()), 0);
  sizes[rank] = std::ssize(own);
  reducer.sum(sizes);
  std::int64_t before = 0;
  std::int64_t all = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r == rank) before = all;
    all += sizes[r];
  }
  std::vector<std::int64_t> lists(static_cast<std::size_t>(all), 0);
  std::ranges::copy(own, lists.begin() + static_cast<std::ptrdiff_t>(before));
  reducer.sum(lists);
  return lists;
}

std::vector<std::int64_t> each_row_once(std::vector<std::int64_t> rows) {
  if (!std::ranges::is_sorted(rows)) std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

}  // namespace

std::vector<std::int64_t> rows_of_all(base::Reducer& reducer, std::vector<std::int64_t> own) {
  own = each_row_once(std::move(own));
  return reducer.size() == 1 ? own : each_row_once(joined(reducer, own));
}

}  // namespace tacet::optimize::internal
