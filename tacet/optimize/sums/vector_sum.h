#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::privacy {
class BoundedSum;
}

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

/// Of each privacy unit the first `records` take part in a sum. Which ones those are depends on the
/// unit's own records alone, so a unit more or less moves no other one. Not for several threads at
/// once.
class UnitLimit {
 public:
  /// Records are units; that they are is for the caller to say.
  UnitLimit() = default;
  /// Up to `records` of each unit, 1 to 4096: each sum then moves by so many records' bounds.
  /// UsageError otherwise.
  explicit UnitLimit(std::int64_t records) : records_(records), counts_(std::in_place) {
    constexpr std::int64_t max = 4096;
    if (records < 1 || records > max) {
      throw base::UsageError("1 to {} records of a unit may count, got {}", max, records);
    }
  }

  /// How many records' bounds a unit moves.
  [[nodiscard]] std::int64_t records() const { return records_; }
  [[nodiscard]] bool has_units() const { return counts_.has_value(); }
  /// Whether one more record of this unit takes part. UsageError for a unit where none was
  /// declared, and without one where they were.
  [[nodiscard]] bool admits(std::optional<std::int64_t> unit) {
    if (unit.has_value() != has_units()) {
      throw base::UsageError(has_units()
                                 ? "a record without a unit; give the unit of each record"
                                 : "a record with a unit, but the sum protects single records; "
                                   "give it a UnitLimit");
    }
    if (!unit) return true;
    auto& count = (*counts_)[*unit];
    if (count == records_) return false;
    ++count;
    return true;
  }

 private:
  std::int64_t records_ = 1;
  std::optional<std::unordered_map<std::int64_t, std::int64_t>> counts_;
};

/// How the length of a contribution is measured.
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
