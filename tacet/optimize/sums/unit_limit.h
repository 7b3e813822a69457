#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "tacet/base/error.h"

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
    constexpr std::int64_t most = 4096;
    if (records < 1 || records > most) {
      throw base::UsageError("1 to {} records of a unit may count, got {}", most, records);
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

}  // namespace tacet::optimize
