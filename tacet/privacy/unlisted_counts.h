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
class UnlistedCounts {
 public:
  /// Only the code that bounds what units count (the optimize module) may state it: each unit
  /// counts in t <= most_a_unit things, floor(norm / sqrt(t)) in each of them, and nothing
  /// elsewhere. Every thing that any unit counts in has a name here, and so may any number of
  /// things that nobody counts in; the names must outlive it. A UsageError for a norm outside [1,
  /// 2^52], counts that no unit can have made, other numbers of names than counts.
  [[nodiscard]] static UnlistedCounts from_certified(Certified proof,
                                                     std::span<const std::string> names,
                                                     std::vector<std::int64_t> counts,
                                                     std::int64_t norm, std::int64_t most_a_unit);

  [[nodiscard]] std::int64_t norm() const { return norm_; }
  [[nodiscard]] std::int64_t most_a_unit() const { return most_a_unit_; }

  [[nodiscard]] std::span<const std::string> names(MechanismDoor /*door*/) const { return names_; }
  [[nodiscard]] std::span<const std::int64_t> open(MechanismDoor /*door*/) const { return counts_; }

 private:
  UnlistedCounts(std::span<const std::string> names, std::vector<std::int64_t> counts,
                 std::int64_t norm, std::int64_t most_a_unit)
      : names_(names), counts_(std::move(counts)), norm_(norm), most_a_unit_(most_a_unit) {}

  std::span<const std::string> names_;
  std::vector<std::int64_t> counts_;
  std::int64_t norm_;
  std::int64_t most_a_unit_;
};

}  // namespace tacet::privacy
