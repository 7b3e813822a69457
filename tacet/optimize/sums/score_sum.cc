#include "tacet/optimize/sums/score_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/optimize/sums/row_clip.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// The largest G with terms * G^2 <= 4^norm_bits, found in integers.
std::int64_t grid_units(std::int64_t terms, int norm_bits) {
  const std::int64_t squared = std::int64_t{1} << (2 * norm_bits);
  auto units = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(squared) / static_cast<double>(terms)));
  while (units * units > squared / terms) --units;
  return units;
}

}  // namespace

ScoreSum::ScoreSum(std::int64_t terms, int norm_bits, ScoreOrigin origin, Marks marks)
    : norm_bits_(norm_bits),
      terms_(base::checked_cast<std::size_t>(terms)),
      max_marks_(marks.max_per_record),
      units_(0),
      longest_(0),
      origin_(0) {
  constexpr std::int64_t max_terms = 1 << 20;
  const auto longest = terms + marks.max_per_record;
  if (longest < 1 || longest > max_terms || norm_bits < 14 || norm_bits > 30) {
    throw base::UsageError("a sum of scores needs 1 to {} terms and 14 to 30 bits, got {} and {}",
                           max_terms, longest, norm_bits);
  }
  if (marks.max_per_record < 0 || marks.places < marks.max_per_record) {
    throw base::UsageError("{} marks of a record among {} places", marks.max_per_record,
                           marks.places);
  }
  longest_ = units_ = grid_units(longest, norm_bits);
  if (origin == ScoreOrigin::half) {
    origin_ = units_;  // an even grid, so that one half is on it
    units_ *= 2;
  }
  marked_by_.assign(base::checked_cast<std::size_t>(marks.places), 0);
  sums_.assign(terms_ + marked_by_.size(), 0);
}

void ScoreSum::add(std::span<const double> scores, std::span<const std::size_t> marked,
                   std::int64_t sharing) {
  constexpr std::int64_t max_records = std::int64_t{1} << 32;  // times 2^30 fits 64 bits
  if (++records_ > max_records) {
    throw base::UsageError("at most {} records can be summed", max_records);
  }
  if (scores.size() != terms_) {
    throw base::InternalError("{} scores for a sum of {}", scores.size(), terms_);
  }
  if (sharing < 1) throw base::InternalError("{} records share a bound", sharing);
  // Rounded down: k of them are no more than the whole.
  const std::int64_t longest = longest_ / sharing;
  const std::int64_t origin = origin_ > 0 ? longest : 0;
  const auto units = static_cast<double>(longest + origin);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // Clamped before the conversion; a comparison with NaN fails and leaves 0.
    const double score = scores[i] > 0 ? std::min(scores[i], 1.0) : 0.0;
    sums_[i] += static_cast<std::int64_t>(score * units) - origin;
  }
  std::int64_t count = 0;
  for (const auto place : marked) {
    if (count == max_marks_) break;
    if (std::exchange(marked_by_.at(place), records_) == records_) continue;
    sums_[terms_ + place] += longest;
    ++count;
  }
}

privacy::BoundedSum ScoreSum::take() && { return certified(std::move(sums_)); }

privacy::BoundedSum ScoreSum::certified(std::vector<std::int64_t> integers) const {
  return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(integers),
                                             1.0 / static_cast<double>(units_),
                                             std::int64_t{1} << norm_bits_);
}

double ScoreSum::contribution_bound() const {
  return std::ldexp(1.0, norm_bits_) / static_cast<double>(units_);
}

mechanism::ScoreBounds row_score_bounds(const privacy::RowLayout& layout, const RowLimit& limit,
                                        const RowScoreRule& rule, privacy::Adjacency adjacency) {
  const double grid = std::ldexp(internal::checked_row_norm(rule.clipping_norm), -limit.norm_bits);
  const double score_bound = std::floor(rule.score_bound / grid);
  if (!(score_bound >= 1 && score_bound <= 0x1p52)) {
    throw base::UsageError(
        "the bound of scores must be at least one grid unit of the clipping norm, and at most 2^52 "
        "of them");
  }
  const auto up = [](double value) { return std::nextafter(value, numeric::infinity); };
  const bool rows = rule.granularity == Granularity::row;
  const std::int64_t population = rows ? layout.rows() : layout.cells();
  const auto distance = static_cast<std::int64_t>(privacy::distance_factor(adjacency));
  const std::int64_t cells_per_row = rows ? 1 : layout.widest();
  const std::int64_t support =
      std::min(population, distance * limit.max_records_per_unit * limit.max_rows * cells_per_row);
  // Neighbouring sums differ by a vector of norm at most `moved`, and lengths of their parts by one
  // that is no longer. Lengths of rows are rounded down: each of two neighbouring scores by less
  // than 1, so a move by less than 1 more, and two moves of opposite signs by less than 2 more.
  const double moved = std::ldexp(static_cast<double>(distance), limit.norm_bits);
  const double slack = rows ? 1 : 0;
  const double s0 = score_bound;
  return {population,
          static_cast<std::int64_t>(s0),
          static_cast<std::int64_t>(std::min(s0, moved + slack)),
          rows ? up(moved + up(std::sqrt(static_cast<double>(support)))) : moved,
          std::min(2 * s0, up(up(std::sqrt(2.0) * moved) + 2 * slack)),
          support,
          adjacency};
}

}  // namespace tacet::optimize
