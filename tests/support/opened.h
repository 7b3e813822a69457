#pragma once

#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/released.h"

namespace tacet::test {

/// What is inside, as only a mechanism and a test may see it.
template <typename T>
[[nodiscard]] const T& opened(const privacy::Private<T>& value) {
  return value.open(mechanism::AccessKeys::key());
}

}  // namespace tacet::test
