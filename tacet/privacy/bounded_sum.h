#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/privacy/certified.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/sample.h"

namespace tacet::privacy {

/// A sum over records of integer vectors, each certified to have an L2 norm of at most
/// contribution_bound() grid units. The one thing that additive mechanisms accept: sensitivity has
/// a single owner. Its values are private.
class BoundedSum {
 public:
  /// Only the code that clips records (the optimize module) may state a bound, and has the proof of
  /// it. `grid` is the value of one unit in real terms: positive and finite, else a UsageError;
  /// `contribution_bound` must be positive. `sample` says which records it is over: all of them, or
  /// a secret Poisson sample.
  [[nodiscard]] static BoundedSum from_certified(Certified proof, std::vector<std::int64_t> values,
                                                 double grid, std::int64_t contribution_bound,
                                                 Sample sample = Sample::all());

  /// The same sum, of which each contribution also has an L1 norm of at most `bound` grid units:
  /// like contribution_bound, it comes from the code that clips.
  [[nodiscard]] BoundedSum with_absolute_bound(Certified proof, std::int64_t bound) &&;

  [[nodiscard]] double grid() const { return grid_; }
  [[nodiscard]] std::int64_t contribution_bound() const { return contribution_bound_; }
  /// Bound of one contribution's L1 norm, where its clipping gave one; else it follows from the
  /// other.
  [[nodiscard]] std::optional<std::int64_t> absolute_bound() const { return absolute_bound_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// The records that it is over. What is released of them together is debited together.
  [[nodiscard]] const Sample& sample() const { return sample_; }

  /// L2 distance, in grid units, between the sums of neighbouring data sets.
  [[nodiscard]] double sensitivity(Adjacency adjacency) const {
    return distance_factor(adjacency) * static_cast<double>(contribution_bound_);
  }

  [[nodiscard]] std::span<const std::int64_t> open(AccessKey /*key*/) const { return values_; }
  /// Hands the values over; the sum is empty afterwards.
  [[nodiscard]] std::vector<std::int64_t> take(AccessKey /*key*/) && { return std::move(values_); }

 private:
  BoundedSum(std::vector<std::int64_t> values, double grid, std::int64_t contribution_bound,
             Sample sample)
      : values_(std::move(values)),
        grid_(grid),
        contribution_bound_(contribution_bound),
        sample_(sample) {}

  std::vector<std::int64_t> values_;
  double grid_;
  std::int64_t contribution_bound_;
  std::optional<std::int64_t> absolute_bound_;
  Sample sample_;
};

}  // namespace tacet::privacy
