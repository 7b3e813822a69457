#include "tacet/optimize/sums/row_scores.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"
#include "tacet/optimize/sums/row_norm.h"

namespace tacet::optimize {

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
