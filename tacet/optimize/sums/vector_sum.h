#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/optimize/sums/unit_limit.h"
#include "tacet/privacy/bounded_sum.h"

/// Sums of one's own, each certified as it is made: what is added is clipped, and the bound that
/// the mechanisms use is the one that was clipped to. Not for several threads at once.
///
/// Example:
///
///     // Who came on which day of the week, at most 3 visits of each person.
///     optimize::Histogram days(7, optimize::UnitLimit(3));
///     days.add(5, 1001);  // the bin, and whose record it is
///     const privacy::BoundedSum sum = std::move(days).take();  // for a mechanism, or run::release
namespace tacet::optimize {

enum class Norm {
  l1,  ///< the sum of magnitudes: what Laplace noise is proved for
  l2   ///< the length: what Gaussian noise is proved for
};

/// A sum over records of vectors of `dimension` numbers, each clipped to a norm of at most `bound`.
///
/// A number that is not finite counts as 0. A vector that is too long is scaled down, then
/// truncated toward zero to multiples of the grid bound / 2^bits, and its norm is checked in
/// integers; the sum is exact. So between neighbours it moves by `bound` at most for each record of
/// a unit, and twice that where a unit is replaced. Of a few dozen bits a double has, 26 are more
/// than noise leaves. Noise has room for 2^32 grid units (Gaussian), 2^40 (Laplace) or 2^20
/// (discrete Gaussian): much of it, or that of many records of a unit, wants a coarser grid (12
/// bits).
class VectorSum {
 public:
  /// UsageError unless 1 <= dimension <= 2^24, the bound is finite and so far above 0 that its grid
  /// has all its digits (2^-990), 4 <= bits <= 26.
  VectorSum(std::int64_t dimension, Norm norm, double bound, UnitLimit units = {}, int bits = 26);

  /// Adds one record: as many numbers as the sum has (UsageError). `unit` says whose it is, where
  /// units are limited. UsageError after take().
  void add(std::span<const double> values, std::optional<std::int64_t> unit = std::nullopt);

  [[nodiscard]] privacy::BoundedSum take() &&;

 private:
  void clip(std::span<const double> values);

  Norm norm_;
  double bound_;
  std::int64_t whole_;  // the bound in grid units
  UnitLimit units_;
  std::vector<std::int64_t> clipped_;
  std::vector<std::int64_t> sums_;
};

/// How many records lie in each of `bins`. A record is in one bin alone, so that its vector has the
/// length 1 in either norm, whatever the number of bins. One that is replaced may leave a bin for
/// another: two counts move by 1, which is 2 in L1 norm and sqrt(2) in L2. Noise is made for 2 in
/// both (contribution_bound() times the adjacency's factor), so that Gaussian noise under
/// replace_one is sqrt(2) times what it would have to be.
class Histogram {
 public:
  /// UsageError unless 1 <= bins <= 2^24.
  explicit Histogram(std::int64_t bins, UnitLimit units = {});

  /// Adds one record. A bin that there is not counts as the last one: for bins of one's own making,
  /// let that be the one for all else. UsageError after take().
  void add(std::int64_t bin, std::optional<std::int64_t> unit = std::nullopt);

  [[nodiscard]] privacy::BoundedSum take() &&;

 private:
  UnitLimit units_;
  std::vector<std::int64_t> counts_;
};

/// The mean of a number in public bounds, and how many there are: released together, so that the
/// mean is one for any adjacency. Each record is the vector (1, s) with s in [-1/2, 1/2] the
/// number's place between its bounds.
class MeanSum {
 public:
  /// UsageError unless lower < upper, both finite; `bits` as for a VectorSum.
  MeanSum(double lower, double upper, Norm norm, UnitLimit units = {}, int bits = 26);

  /// Adds one record; a number outside of the bounds counts as the bound, one that is not finite as
  /// their middle.
  void add(double value, std::optional<std::int64_t> unit = std::nullopt);

  [[nodiscard]] privacy::BoundedSum take() &&;

  /// From the two released numbers: their quotient in real units, within the bounds; the middle
  /// where the released count is not positive.
  [[nodiscard]] double mean(std::span<const double> released) const;

 private:
  double lower_;
  double upper_;
  VectorSum sum_;
};

}  // namespace tacet::optimize
