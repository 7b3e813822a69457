#include "tacet/mechanism/noise/pass_blocks.h"

#include <utility>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::mechanism::internal {

privacy::BoundedSum PassBlocks::open(privacy::PartialSum sum, const privacy::Event& whole) {
  const auto* part = std::get_if<privacy::PassBlock>(&sum.part());
  if (part == nullptr || part->block < next_) {
    throw base::InternalError("a block is released once, and after those before it");
  }
  if (next_ == 0) reservation_.debit(whole);
  next_ = part->block + 1;
  return std::move(sum).take(AccessKeys::key());
}

}  // namespace tacet::mechanism::internal
