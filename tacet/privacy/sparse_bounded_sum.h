#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"
#include "tacet/random/race.h"

namespace tacet::privacy {

/// A BoundedSum with so many coordinates that only those that are not 0 are held. Which ones they
/// are is as private as their values.
class SparseBoundedSum {
 public:
  /// Only the code that clips records (the optimize module) may state a bound; the check of floors
  /// enforces it. `touched` ascends by index, within 0..size-1; values within 2^60; a UsageError if
  /// not, and for a contribution_bound outside [1, 2^52].
  [[nodiscard]] static SparseBoundedSum from_certified(std::int64_t size,
                                                       std::vector<random::ScoredCandidate> touched,
                                                       std::int64_t contribution_bound,
                                                       SamplingRate rate = SamplingRate(1));

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t contribution_bound() const { return contribution_bound_; }
  /// The rate at which each record was drawn into the sum; 1: all records.
  [[nodiscard]] SamplingRate sampling_rate() const { return rate_; }

  [[nodiscard]] std::span<const random::ScoredCandidate> open(MechanismDoor /*door*/) const {
    return touched_;
  }

 private:
  SparseBoundedSum(std::int64_t size, std::vector<random::ScoredCandidate> touched,
                   std::int64_t contribution_bound, SamplingRate rate)
      : size_(size),
        touched_(std::move(touched)),
        contribution_bound_(contribution_bound),
        rate_(rate) {}

  std::int64_t size_;
  std::vector<random::ScoredCandidate> touched_;
  std::int64_t contribution_bound_;
  SamplingRate rate_;
};

}  // namespace tacet::privacy
