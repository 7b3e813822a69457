#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/partial_sum.h"

namespace tacet::mechanism::internal {

/// The blocks of one pass: the first one debits what all cost together, the others nothing.
class PassBlocks {
 public:
  explicit PassBlocks(privacy::Reservation& reservation) : reservation_(reservation) {}

  /// The next block's sum, to be released at once. InternalError unless blocks come in ascending
  /// order, each once.
  [[nodiscard]] privacy::BoundedSum open(privacy::PartialSum sum, const privacy::Event& whole) {
    const auto* part = std::get_if<privacy::PassBlock>(&sum.part());
    if (part == nullptr || part->block < next_) {
      throw base::InternalError("a block is released once, and after those before it");
    }
    if (next_ == 0) reservation_.debit(whole);
    next_ = part->block + 1;
    return std::move(sum).take(DoorKeeper::door());
  }

 private:
  privacy::Reservation& reservation_;
  std::int64_t next_ = 0;
};

}  // namespace tacet::mechanism::internal
