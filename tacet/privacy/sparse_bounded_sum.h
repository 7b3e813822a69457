#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/privacy/certified.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/sample.h"
#include "tacet/random/exact/race.h"

namespace tacet::privacy {

/// A BoundedSum with so many coordinates that only those that are not 0 are held. Which ones they
/// are is as private as their values.
class SparseBoundedSum {
 public:
  /// Only the code that clips records (the optimize module) may state a bound, and has the proof of
  /// it. `touched` ascends by index, within 0..size-1; values within 2^60; a UsageError if not, and
  /// for a contribution_bound outside [1, 2^52].
  [[nodiscard]] static SparseBoundedSum from_certified(Certified proof, std::int64_t size,
                                                       std::vector<random::ScoredCandidate> touched,
                                                       std::int64_t contribution_bound,
                                                       Sample sample = Sample::all());

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t contribution_bound() const { return contribution_bound_; }
  /// The records that it is over. What is released of them together is debited together.
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

}  // namespace tacet::privacy
