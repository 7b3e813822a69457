#include "tacet/optimize/sums/row_clip.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/truncate.h"

namespace tacet::optimize::internal {
namespace {

__extension__ using WideSquare = unsigned __int128;

WideSquare square_sum(std::span<const std::int64_t> values) {
  // At most (2^53)^2 times 2^20; of a sum of records at most (records times norm)^2.
  WideSquare sum = 0;
  for (const std::int64_t value : values) {
    const auto magnitude = static_cast<WideSquare>(value < 0 ? -value : value);
    sum += magnitude * magnitude;
  }
  return sum;
}

}  // namespace

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

std::vector<std::int64_t> each_row_once(std::vector<std::int64_t> rows) {
  if (!std::ranges::is_sorted(rows)) std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

double checked_row_norm(double norm) {
  if (!(norm >= 1e-100 && norm <= 1e100)) {
    throw base::UsageError("the clipping norm must be 1e-100 to 1e100, got {}", norm);
  }
  int exponent = 0;
  const double mantissa = std::frexp(norm, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

std::int64_t floor_norm(std::span<const std::int64_t> values) {
  const WideSquare square = square_sum(values);
  auto root = static_cast<WideSquare>(std::sqrt(static_cast<long double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return static_cast<std::int64_t>(root);
}

std::int64_t clip_aggregate(std::span<std::int64_t> values, const AggregateClip& clip) {
  constexpr double largest = 0x1p40;
  if (!(clip.norm >= 1 && clip.norm <= largest)) {
    throw base::UsageError(
        "the norm of the clipped sum must be at least one grid unit of a record's norm, and at "
        "most 2^40 of them");
  }
  const auto norm = std::sqrt(static_cast<double>(square_sum(values)));
  if (norm > clip.norm) {
    const double factor = clip.norm / norm;
    for (auto& value : values) {
      value = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(value) * factor));
    }
  }
  // The projection on a ball brings no two sums further apart, and none further than its diameter.
  // Each coordinate is off by less than 1/2 + 2^-10: the square is exact, the factor to 2^-51 of
  // itself, and what is rounded is below 2^40. So both ends of a distance together add less than
  // (1 + 2^-9) sqrt(cells).
  const double rounding = (1 + 0x1p-9) * std::sqrt(static_cast<double>(clip.cells));
  const double moved = std::min(static_cast<double>(clip.record_norm), 2 * clip.norm);
  return static_cast<std::int64_t>(std::ceil(moved + rounding * numeric::amply_up)) + 1;
}

}  // namespace tacet::optimize::internal
