#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/privacy/certified.h"
#include "tacet/privacy/released.h"

namespace tacet::privacy {

/// How often things occur that nobody listed before, such as the words of private texts: which of
/// them there are is as private as how often each does.
class PartitionCounts {
 public:
  /// Only the code that bounds what units count (the optimize module) may state it: each unit
  /// counts in t <= max_per_unit things, floor(norm / sqrt(t)) in each of them, and nothing
  /// elsewhere. Every thing that any unit counts in has a name here, and so may any number of
  /// things that nobody counts in; the names must outlive it. A UsageError for a norm outside [1,
  /// 2^52], counts that no unit can have made, other numbers of names than counts.
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
