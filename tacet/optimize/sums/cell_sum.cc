#include "tacet/optimize/sums/cell_sum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// The largest u with factor * u^2 <= 4^norm_bits, found in integers.
std::int64_t root_of_share(std::int64_t factor, int norm_bits) {
  const std::int64_t squared = std::int64_t{1} << (2 * norm_bits);
  auto root = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(squared) / static_cast<double>(factor)));
  while (root * root > squared / factor) --root;
  return root;
}

/// G = 2 u, so that one half of it is whole; the squared length is u^2 (4 + scores). Centred it is
/// 2 m u, so that 1/m of it is whole too; the squared length is then u^2 m (4 (m - 1) + m scores).
std::int64_t grid_units(const CellShape& shape, int norm_bits) {
  if (!shape.centred) return 2 * root_of_share(4 + shape.scores, norm_bits);
  const std::int64_t m = shape.groups * shape.cells;
  if (m == 1 && shape.may_lack) return 2 * root_of_share(1 + shape.scores, norm_bits);
  return 2 * m * root_of_share(m * (4 * (m - 1) + m * shape.scores), norm_bits);
}

}  // namespace

CellSum::CellSum(const CellShape& shape, int norm_bits)
    : shape_(shape), norm_bits_(norm_bits), units_(0) {
  // So that u >= 1 at 14 bits: (4 + max_scores) * 4096^2 < 4^14.
  constexpr std::int64_t max_scores = 8;
  const bool cells_fit = shape.groups >= 1 && shape.cells >= 1 && shape.groups <= max_cells &&
                         shape.cells <= max_cells && shape.groups * shape.cells <= max_cells;
  if (!cells_fit || norm_bits < 14 || norm_bits > 30) {
    throw base::UsageError(
        "a sum by cells needs 1 to {} cells and 14 to 30 bits, got {} groups of {} and {} bits",
        max_cells, shape.groups, shape.cells, norm_bits);
  }
  if (shape.scores < 0 || shape.scores > max_scores) {
    throw base::UsageError("a sum by cells takes 0 to {} scores, got {}", max_scores, shape.scores);
  }
  if (terms(shape) == 0) throw base::UsageError("a sum by cells would tell nothing");
  units_ = grid_units(shape, norm_bits);
  sums_.assign(base::checked_cast<std::size_t>(terms(shape)), 0);
}

std::int64_t CellSum::counts(const CellShape& shape) {
  const std::int64_t all = shape.groups * shape.cells;
  return shape.centred && all == 1 && !shape.may_lack ? 0 : all;
}

std::int64_t CellSum::terms(const CellShape& shape) {
  return counts(shape) + shape.groups * shape.scores;
}

void CellSum::add(std::int64_t group, std::int64_t cell, std::span<const double> scores) {
  if (group < 0 || group >= shape_.groups || cell < 0 || cell >= shape_.cells ||
      std::ssize(scores) != shape_.scores) {
    throw base::InternalError("no cell {} of group {} with {} scores", cell, group, scores.size());
  }
  const auto count = counts(shape_);
  if (count > 0) {
    take_share();
    sums_[static_cast<std::size_t>(group * shape_.cells + cell)] += units_;
  }
  auto place = static_cast<std::size_t>(count + group * shape_.scores);
  for (const double score : scores) {
    // Clamped before the conversion; a comparison with NaN fails and leaves 0.
    const double kept = score > 0 ? std::min(score, 1.0) : 0.0;
    sums_[place++] += static_cast<std::int64_t>(kept * static_cast<double>(units_)) - units_ / 2;
  }
}

void CellSum::add_none() {
  if (!shape_.may_lack) throw base::InternalError("a record in no cell of a shape that has none");
  take_share();
}

void CellSum::take_share() {
  if (!shape_.centred) return;
  const auto count = counts(shape_);
  const std::int64_t share = count == 1 ? units_ / 2 : units_ / count;
  for (std::int64_t i = 0; i < count; ++i) sums_[static_cast<std::size_t>(i)] -= share;
}

privacy::BoundedSum CellSum::take() && {
  return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(sums_),
                                             1.0 / static_cast<double>(units_),
                                             std::int64_t{1} << norm_bits_);
}

double CellSum::contribution_bound() const {
  return std::ldexp(1.0, norm_bits_) / static_cast<double>(units_);
}

}  // namespace tacet::optimize
