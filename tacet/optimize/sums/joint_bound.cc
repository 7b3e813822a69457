#include "tacet/optimize/sums/joint_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace {

using privacy::Adjacency;
__extension__ using Wide = unsigned __int128;

constexpr int moment_shift = 2 * residual_bits - 2 * coarse_bits;  // of rho^2
constexpr int curvature_shift = 2 * coarse_bits - residual_bits;   // of eta
constexpr int square_shift = 4 * coarse_bits;                      // of a squared norm of 1
constexpr auto square_units = Wide{1} << (2 * coarse_bits);        // a squared norm of 1
constexpr int score_shift = square_shift - 2 * residual_bits;      // of rho^2
constexpr Wide whole_distance = Wide{1}
                                << (square_shift + residual_bits);  // a squared distance of 1
static_assert(moment_shift > 0 && curvature_shift > 0 && score_shift > 0);

std::int64_t moment_limit(std::int64_t residual) { return residual * residual >> moment_shift; }

/// What of the squared distance is left to the curvature's share times the square of its limit, in
/// units of 1 / whole_distance; nothing where the record has too much without curvature.
using Room = std::optional<Wide>;

Room difference(Wide whole, Wide taken) {
  return taken > whole ? std::nullopt : Room(whole - taken);
}

Wide score_part(const JointShares& shares, Wide residual) {
  return (static_cast<Wide>(shares.score) * residual * residual) << score_shift;
}

Room room_alone(const JointShares& shares, std::int64_t residual) {
  const auto moment = static_cast<Wide>(moment_limit(residual));
  return difference(whole_distance, score_part(shares, static_cast<Wide>(std::abs(residual))) +
                                        static_cast<Wide>(shares.moment) * moment * moment +
                                        (static_cast<Wide>(shares.squares) << square_shift));
}

/// Theorem 2 of docs/proofs/inference.md, whose (2) to (4) these are: then no two records whatever
/// lie farther apart than two bounds.
bool holds_for_all_records(const JointShares& shares) {
  const auto score = static_cast<Wide>(shares.score);
  const auto curvature = static_cast<Wide>(shares.curvature);
  const auto matrices = curvature + static_cast<Wide>(shares.moment);
  constexpr auto one = static_cast<Wide>(residual_units);
  if (2 * shares.moment > shares.score || 2 * shares.squares > shares.score) return false;
  if (4 * score + curvature > 4 * one) return false;
  return score > 2 * matrices ||
         4 * score * matrices + 4 * matrices * matrices + score * score <= 8 * matrices * one;
}

/// Theorem 3, (5) and (6): of two records that both leave this much.
Room room_in_pairs(const JointShares& shares, std::int64_t residual) {
  if (2 * shares.moment > shares.score) return std::nullopt;
  const auto rho = static_cast<Wide>(std::abs(residual));
  const auto moment = static_cast<Wide>(moment_limit(residual));
  const Wide not_moment = square_units - moment;
  const Wide squares = static_cast<Wide>(shares.squares) << square_shift;
  const auto opposed = difference(
      4 * whole_distance, score_part(shares, static_cast<Wide>(residual_units) + rho) +
                              static_cast<Wide>(shares.moment) * not_moment * not_moment + squares);
  // A moment is a score's square, whose length may be just above the limit of its integers.
  const auto apart =
      difference(4 * whole_distance,
                 3 * score_part(shares, rho) +
                     2 * static_cast<Wide>(shares.moment) * (moment + 1) * (moment + 1) + squares);
  if (!opposed || !apart) return std::nullopt;
  return std::min(*opposed, *apart / 2);
}

Room curvature_room(const JointShares& shares, Adjacency adjacency, std::int64_t residual) {
  if (adjacency != Adjacency::replace_one) return room_alone(shares, residual);
  if (holds_for_all_records(shares)) return static_cast<Wide>(shares.curvature) << square_shift;
  return room_in_pairs(shares, residual);
}

bool fits(const Room& room, const JointShares& shares, std::int64_t curvature_limit) {
  const auto limit = static_cast<Wide>(curvature_limit);
  return room && static_cast<Wide>(shares.curvature) * limit * limit <= *room;
}

}  // namespace

bool within_joint_bound(const JointShares& shares, Adjacency adjacency, std::int64_t residual,
                        std::int64_t curvature_limit) {
  return fits(curvature_room(shares, adjacency, residual), shares, curvature_limit);
}

double rounding_allowance(const JointShares& shares, Adjacency adjacency, std::int64_t columns) {
  if (adjacency != Adjacency::replace_one) return 1;
  // Lemma 1: each row's integers are off its line by less than 1 an entry, a bit for the product's
  // own rounding.
  const double square =
      static_cast<double>(columns) *
      (2 * JointShares::real(shares.curvature) + 4 * JointShares::real(shares.moment) + 0x1p-20);
  return 1 + std::sqrt(square) * std::ldexp(1.001, -coarse_bits);
}

RecordLimits record_limits(const JointShares& shares, Adjacency adjacency, std::int64_t residual,
                           std::int64_t curvature) {
  // Beyond these the integers below would wrap, and the limits be those of another record.
  const bool in_range = residual >= -residual_units && residual <= residual_units &&
                        curvature >= 0 && curvature <= residual_units;
  if (!in_range || std::min({shares.score, shares.curvature, shares.moment, shares.squares}) < 0) {
    throw base::InternalError("a record's residual, curvature or share is out of its range");
  }
  std::int64_t limit = curvature << curvature_shift;
  const auto room = curvature_room(shares, adjacency, residual);
  if (!room) throw base::InternalError("shares of a joint release add up to too much");
  if (!fits(room, shares, limit)) {
    // The root as a number, and then integers decide.
    const double root =
        std::sqrt(static_cast<double>(*room) / static_cast<double>(shares.curvature));
    limit = std::min(limit, static_cast<std::int64_t>(root) + 1);
    while (limit > 0 && !fits(room, shares, limit)) --limit;
  }
  constexpr int longer = score_bits - residual_bits;
  return {.score = (residual * residual) << (2 * longer),
          .curvature = limit,
          .moment = moment_limit(residual)};
}

std::int64_t logistic_curvature(std::int64_t residual) {
  const std::int64_t size = residual < 0 ? -residual : residual;
  return 4 * size * (residual_units - size) >> residual_bits;
}

std::int64_t logistic_curvature_share(std::int64_t score, std::int64_t moment,
                                      Adjacency adjacency) {
  const JointShares others{.score = score, .curvature = 0, .moment = moment};
  Wide min = static_cast<Wide>(residual_units) << residual_bits;
  for (std::int64_t rho = 1; rho <= residual_units; ++rho) {
    const auto limit = static_cast<Wide>(logistic_curvature(rho) << curvature_shift);
    const auto room =
        adjacency == Adjacency::replace_one ? room_in_pairs(others, rho) : room_alone(others, rho);
    if (!room) throw base::InternalError("shares of a joint release add up to too much");
    // The quotient is taken only where it is smaller than the least one.
    const Wide square = limit * limit;
    if (min * square > *room) min = *room / square;
  }
  return static_cast<std::int64_t>(min);
}

}  // namespace tacet::optimize
