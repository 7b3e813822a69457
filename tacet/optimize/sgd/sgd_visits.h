#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/optimize/sgd/sgd_schedule.h"

namespace tacet::optimize::internal {

/// The steps at which each record is read, ascending; a record that a batch holds twice has its
/// step twice.
class Visits {
 public:
  explicit Visits(const SgdSchedule& schedule);
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t record) const {
    const auto j = static_cast<std::size_t>(record);
    return std::span(steps_).subspan(starts_[j], starts_[j + 1] - starts_[j]);
  }
  [[nodiscard]] std::int64_t most() const { return max_; }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> steps_;
  std::int64_t max_ = 0;
};

}  // namespace tacet::optimize::internal
