#pragma once

#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The only maker of keys to private values. Only files of this module may name it; the check of
/// floors enforces that.
class AccessKeys {
 public:
  [[nodiscard]] static privacy::AccessKey key() { return {}; }
};

}  // namespace tacet::mechanism
