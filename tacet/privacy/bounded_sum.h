#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/privacy/certified.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/row_layout.h"
#include "tacet/privacy/sample.h"
#include "tacet/random/exact/race.h"

namespace tacet::privacy {

/// A sum over records of integer vectors, each certified to have an L2 norm of at most
/// contribution_bound() grid units. Additive mechanisms accept nothing else, so only this class
/// states a sensitivity. Its values are private.
class BoundedSum {
 public:
  /// Only the code that clips records (the optimize module) can show `proof` and so state a bound.
  /// `grid` is the real value of one grid unit: positive and finite, else a UsageError;
  /// `contribution_bound` must be positive. `sample` says which records were summed: all of them,
  /// or a secret Poisson sample.
  [[nodiscard]] static BoundedSum from_certified(Certified proof, std::vector<std::int64_t> values,
                                                 double grid, std::int64_t contribution_bound,
                                                 Sample sample = Sample::all());

  /// The same sum, with a second bound: each contribution also has an L1 norm of at most `bound`
  /// grid units. Like contribution_bound, it comes from the code that clips.
  [[nodiscard]] BoundedSum with_absolute_bound(Certified proof, std::int64_t bound) &&;

  [[nodiscard]] double grid() const { return grid_; }
  [[nodiscard]] std::int64_t contribution_bound() const { return contribution_bound_; }
  /// The bound of one contribution's L1 norm, if the code that clips gave one. Otherwise a bound
  /// follows from contribution_bound() and the number of coordinates.
  [[nodiscard]] std::optional<std::int64_t> absolute_bound() const { return absolute_bound_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// The records that were summed. All releases from one sample are debited together
  /// (privacy/sample.h).
  [[nodiscard]] const Sample& sample() const { return sample_; }

  /// L2 distance, in grid units, between the sums of neighbouring data sets.
  [[nodiscard]] double sensitivity(Adjacency adjacency) const {
    return distance_factor(adjacency) * static_cast<double>(contribution_bound_);
  }

  [[nodiscard]] std::span<const std::int64_t> open(AccessKey /*key*/) const { return values_; }
  /// Moves the values out; the sum is empty afterwards.
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

/// One of the disjoint blocks of consecutive records into which a pass over the data is divided.
struct PassBlock {
  std::int64_t block;
};

/// One record alone, as on a device. The number distinguishes it from other records.
struct OneRecord {
  std::int64_t record;
};

/// A bounded vector that was computed from some of the records. It is accounted otherwise than a
/// sum over all records: neighbours are zero_out or replace_one, never add_remove. Mechanisms for
/// sums over all records do not accept it.
class PartialSum {
 public:
  using Part = std::variant<Sample, PassBlock, OneRecord>;

  /// As for BoundedSum, only the code that selects and clips records may call this. If `part` is a
  /// Sample, it has a fixed size.
  [[nodiscard]] static PartialSum from_certified(Certified /*proof*/, BoundedSum sum, Part part) {
    return PartialSum(std::move(sum), part);
  }

  [[nodiscard]] const Part& part() const { return part_; }
  [[nodiscard]] double grid() const { return sum_.grid(); }
  [[nodiscard]] std::size_t size() const { return sum_.size(); }
  [[nodiscard]] BoundedSum take(AccessKey /*key*/) && { return std::move(sum_); }

 private:
  PartialSum(BoundedSum sum, Part part) : sum_(std::move(sum)), part_(part) {}

  BoundedSum sum_;
  Part part_;
};

/// A BoundedSum with very many coordinates that holds only the coordinates other than 0. Which ones
/// these are is as private as their values.
class SparseBoundedSum {
 public:
  /// Only the code that clips records (the optimize module) can show `proof` and so state a bound.
  /// `touched` ascends by index. UsageError unless indices are in [0, size), values within +-2^60,
  /// and contribution_bound in [1, 2^52].
  [[nodiscard]] static SparseBoundedSum from_certified(Certified proof, std::int64_t size,
                                                       std::vector<random::ScoredCandidate> touched,
                                                       std::int64_t contribution_bound,
                                                       Sample sample = Sample::all());

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t contribution_bound() const { return contribution_bound_; }
  /// The records that were summed. All releases from one sample are debited together
  /// (privacy/sample.h).
  [[nodiscard]] const Sample& sample() const { return sample_; }

  [[nodiscard]] std::span<const random::ScoredCandidate> open(AccessKey /*key*/) const {
    return touched_;
  }

 private:
  SparseBoundedSum(std::int64_t size, std::vector<random::ScoredCandidate> touched,
                   std::int64_t contribution_bound, Sample sample)
      : size_(size),
        touched_(std::move(touched)),
        contribution_bound_(contribution_bound),
        sample_(sample) {}

  std::int64_t size_;
  std::vector<random::ScoredCandidate> touched_;
  std::int64_t contribution_bound_;
  Sample sample_;
};

/// A sum over records of integer vectors in blocks of different scale, such as a Gram matrix and a
/// vector. Sums of neighbours differ by at most distance_factor(adjacency) in the norm sqrt(sum
/// over the blocks of |block|^2 / scale^2). So noise of standard deviation z times the block's
/// scale in every block costs as much as one Gaussian release of multiplier z. Its values are
/// private.
class WeightedSum {
 public:
  /// Consecutive values of one scale, in grid units: positive and finite.
  struct Block {
    std::size_t count;
    double scale;
  };

  /// Only the code that reads records (the optimize module) may call this; scripts/check_floors
  /// enforces it. A bound for replace_one holds for that adjacency alone, since it may use how
  /// close two records are. A bound for another adjacency holds for all of them. UsageError for a
  /// grid or a scale that is not positive and finite, InternalError unless the blocks cover the
  /// values.
  [[nodiscard]] static WeightedSum from_certified(Certified proof, std::vector<std::int64_t> values,
                                                  double grid, std::vector<Block> blocks,
                                                  Adjacency adjacency);

  /// Whether the bound holds between neighbours of `adjacency`.
  [[nodiscard]] bool covers(Adjacency adjacency) const {
    return adjacency_ != Adjacency::replace_one || adjacency == Adjacency::replace_one;
  }
  [[nodiscard]] double grid() const { return grid_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] std::span<const std::int64_t> open(AccessKey /*key*/) const { return values_; }
  /// Moves the values out; the sum is empty afterwards.
  [[nodiscard]] std::vector<std::int64_t> take(AccessKey /*key*/) && { return std::move(values_); }

 private:
  WeightedSum(std::vector<std::int64_t> values, double grid, std::vector<Block> blocks,
              Adjacency adjacency)
      : values_(std::move(values)),
        grid_(grid),
        blocks_(std::move(blocks)),
        adjacency_(adjacency) {}

  std::vector<std::int64_t> values_;
  double grid_;
  std::vector<Block> blocks_;
  Adjacency adjacency_;
};

/// A bounded sum over the chosen cells of a model's tables and its dense block. The choice is
/// public; the numbers are private, and so is which of the chosen rows a record touched.
class RowSum {
 public:
  /// Only the code that clips records (the optimize module) may call this; scripts/check_floors
  /// enforces it. The sum holds a number for every chosen cell, and then those of the dense block.
  /// If all rows are chosen, it holds only the cells of the `touched` rows, ascending; all others
  /// are 0. InternalError if the sizes do not match.
  [[nodiscard]] static RowSum from_certified(Certified proof, BoundedSum sum,
                                             RowSelection selection, RowLayout layout,
                                             std::vector<std::int64_t> touched = {});

  [[nodiscard]] const RowSelection& selection() const { return selection_; }
  [[nodiscard]] const RowLayout& layout() const { return layout_; }
  [[nodiscard]] const Sample& sample() const { return sum_.sample(); }
  [[nodiscard]] double grid() const { return sum_.grid(); }
  [[nodiscard]] std::int64_t contribution_bound() const { return sum_.contribution_bound(); }
  /// The number of the chosen cells and of the dense block together.
  [[nodiscard]] std::int64_t size() const { return size_; }

  [[nodiscard]] const BoundedSum& open(AccessKey /*key*/) const& { return sum_; }
  [[nodiscard]] BoundedSum open(AccessKey /*key*/) && { return std::move(sum_); }
  /// The rows other than 0, if all rows are chosen.
  [[nodiscard]] std::span<const std::int64_t> touched(AccessKey /*key*/) const { return touched_; }

 private:
  RowSum(BoundedSum sum, RowSelection selection, RowLayout layout,
         std::vector<std::int64_t> touched)
      : sum_(std::move(sum)),
        selection_(std::move(selection)),
        layout_(std::move(layout)),
        touched_(std::move(touched)) {}

  BoundedSum sum_;
  RowSelection selection_;
  RowLayout layout_;
  std::vector<std::int64_t> touched_;
  std::int64_t size_ = 0;
};

/// Counts of things that nobody listed before, such as the words of private texts, for partition
/// selection. Which things occur is as private as how often each occurs.
class PartitionCounts {
 public:
  /// Only the code that bounds what units count (the optimize module) may call this. Each unit
  /// counts in t <= max_per_unit things, and adds floor(norm / sqrt(t)) to each of them. Every
  /// thing in which a unit counts has a name here; more names are allowed. The names must outlive
  /// the object. UsageError for a norm outside [1, 2^52], for counts that no units can have made,
  /// and if there are more or fewer names than counts.
  [[nodiscard]] static PartitionCounts from_certified(Certified proof,
                                                      std::span<const std::string> names,
                                                      std::vector<std::int64_t> counts,
                                                      std::int64_t norm, std::int64_t max_per_unit);

  [[nodiscard]] std::int64_t norm() const { return norm_; }
  [[nodiscard]] std::int64_t max_per_unit() const { return max_per_unit_; }

  [[nodiscard]] std::span<const std::string> names(AccessKey /*key*/) const { return names_; }
  [[nodiscard]] std::span<const std::int64_t> open(AccessKey /*key*/) const { return counts_; }

 private:
  PartitionCounts(std::span<const std::string> names, std::vector<std::int64_t> counts,
                  std::int64_t norm, std::int64_t max_per_unit)
      : names_(names), counts_(std::move(counts)), norm_(norm), max_per_unit_(max_per_unit) {}

  std::span<const std::string> names_;
  std::vector<std::int64_t> counts_;
  std::int64_t norm_;
  std::int64_t max_per_unit_;
};

}  // namespace tacet::privacy
