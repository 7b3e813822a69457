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
          std::floor(whole / static_cast<double>(limit.records_a_unit))};
}

void add_clipped(const RowRecord& record, std::span<const Piece> pieces, double square,
                 const RowScale& scale, std::span<double> sum) {
  // Room for the rounding of square and factor; the integers decide.
  const double limit = scale.share * (1 - 0x1p-30);
  const double norm = std::sqrt(square);
  double factor = std::ldexp(scale.per_unit, record.exponent);
  if (norm * factor > limit) factor = limit / norm;
  double squares = 0;
  for (const Piece& piece : pieces) {
    squares += numeric::add_truncated(record.values.subspan(piece.value, piece.width), factor,
                                      scale.share, sum.subspan(piece.place, piece.width));
  }
  // Exact up to 2^53 and never below the truth's 2^52 (numeric/truncate.h).
  if (squares <= scale.share * scale.share) return;
  for (const Piece& piece : pieces) {
    numeric::subtract_truncated(record.values.subspan(piece.value, piece.width), factor,
                                scale.share, sum.subspan(piece.place, piece.width));
  }
}

void add_dense_pieces(const RowRecord& record, std::size_t place, std::vector<Piece>& out) {
  std::size_t value = record.values.size();
  for (const DensePart& part : record.parts) value -= part.width;
  const double* square = record.squares.data() + record.rows.size();
  for (const DensePart& part : record.parts) {
    out.push_back({value, place + part.first, part.width, *square++});
    value += part.width;
  }
}

namespace {

/// The lists of all ranks, one behind the other: each adds its own at its place to zeros.
std::vector<std::int64_t> joined(base::Reducer& reducer, std::vector<std::int64_t> own) {
  if (reducer.size() == 1) return own;
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
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

}  // namespace

std::vector<std::int64_t> rows_of_all(base::Reducer& reducer, std::vector<std::int64_t> own) {
  return each_row_once(joined(reducer, each_row_once(std::move(own))));
}

}  // namespace tacet::optimize::internal
