#pragma once

#include <cstdint>

#include "tacet/privacy/budget.h"
#include "tacet/privacy/partial_sum.h"

namespace tacet::mechanism::internal {

/// The blocks of one pass: the first one debits what all cost together, the others nothing.
class PassBlocks {
 public:
  explicit PassBlocks(privacy::Reservation& reservation) : reservation_(reservation) {}

  /// The next block's sum, to be released at once. InternalError unless blocks come in ascending
  /// order, each once.
  [[nodiscard]] privacy::BoundedSum open(privacy::PartialSum sum, const privacy::Event& whole);

 private:
  privacy::Reservation& reservation_;
  std::int64_t next_ = 0;
};

}  // namespace tacet::mechanism::internal
