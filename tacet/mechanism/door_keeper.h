#pragma once

#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The only maker of keys to private values. Only files of this module may name it; the check of
/// floors enforces that.
class DoorKeeper {
 public:
  [[nodiscard]] static privacy::MechanismDoor door() { return {}; }
};

}  // namespace tacet::mechanism
