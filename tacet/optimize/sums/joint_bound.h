#pragma once

#include <cstdint>

#include "tacet/privacy/adjacency.h"

/// What one record may add to a joint release of a score vector, a curvature matrix, a second
/// moment of scores and a sum of squares (joint_sum.h), in integers.
///
/// A record has a residual rho / 2^20 and a curvature eta / 2^20 in units of their bounds, both
/// integers. Its three contributions, in units of their own bounds, have the squared norms
///
///     score      at most (rho / 2^20)^2
///     curvature  at most (B / 2^22)^2,  B = 2^22 eta / 2^20 or less
///     moment     at most (A / 2^22)^2,  A = floor(2^22 rho^2 / 2^40)
///
/// and the noise of a block is as small as its share of the squared distance between neighbours
/// allows. One large residual has little curvature (|r| (1 - |r|) for two classes), so that the
/// shares may add up to more than 1: B is what the joint bound leaves, enforced for each record
/// (docs/proofs/inference.md).
namespace tacet::optimize {

inline constexpr int residual_bits = 20;  ///< of rho and eta
inline constexpr int coarse_bits = 11;    ///< of the rows whose squares are added: |row|^2 <= 2^22
inline constexpr int score_bits = 24;     ///< of the score vector
inline constexpr int squares_bits = 22;   ///< of a record's square
inline constexpr std::int64_t residual_units = std::int64_t{1} << residual_bits;

/// Shares of the squared distance 1 between neighbours, in units of 2^-20. A block's noise is its
/// bound over the root of its share; a block of share 0 is not released.
struct JointShares {
  std::int64_t score = residual_units;
  std::int64_t curvature = 0;
  std::int64_t moment = 0;
  std::int64_t squares = 0;

  /// A share as a real number.
  [[nodiscard]] static double real(std::int64_t share) {
    return static_cast<double>(share) / static_cast<double>(residual_units);
  }
  friend bool operator==(const JointShares&, const JointShares&) = default;
};

/// The largest squared norms, in integers, of what one record adds.
struct RecordLimits {
  std::int64_t score;      ///< of the score vector, whose bound is 2^24
  std::int64_t curvature;  ///< of the row whose square is its curvature, whose bound is 2^11
  std::int64_t moment;     ///< of the row whose square is its moment, whose bound is 2^11
};

/// Whether a record of this residual and these limits stays within the joint bound: its squared
/// distance from nothing is at most 1. Under replace_one: two records that do lie at most two
/// bounds apart, whatever their rows, beside what rounding adds (rounding_allowance). The score and
/// both matrices of a record lie along its row: so opposed scores have matrices that nearly are
/// one.
[[nodiscard]] bool within_joint_bound(const JointShares& shares, privacy::Adjacency adjacency,
                                      std::int64_t residual, std::int64_t curvature_limit);

/// By which factor the distance of neighbours may be larger, since the integers of a record lie
/// along its row up to their rounding: 1 unless under replace_one.
[[nodiscard]] double rounding_allowance(const JointShares& shares, privacy::Adjacency adjacency,
                                        std::int64_t columns);

/// InternalError unless |residual| and curvature are at most 2^20. The curvature's limit is the
/// largest that the joint bound allows, and no more than the record's curvature.
[[nodiscard]] RecordLimits record_limits(const JointShares& shares, privacy::Adjacency adjacency,
                                         std::int64_t residual, std::int64_t curvature);

/// The curvature of two classes, 4 |r| (1 - |r|), from the residual: in 0..2^20.
[[nodiscard]] std::int64_t logistic_curvature(std::int64_t residual);

/// The largest share of the curvature that no residual of two classes breaks the joint bound with:
/// proved over all integers 0..2^20, not over a grid of numbers.
[[nodiscard]] std::int64_t logistic_curvature_share(std::int64_t score, std::int64_t moment,
                                                    privacy::Adjacency adjacency);

}  // namespace tacet::optimize
