#pragma once

#include "tacet/base/error.h"

namespace tacet::apps {

/// Returns make(). In the commands that audit, exit code 5 means that a claim is refuted. A plan
/// without a guarantee claims nothing, so its GuaranteeError becomes a UsageError.
template <typename Make>
auto expect_claim(const Make& make) {
  try {
    return make();
  } catch (const base::GuaranteeError& error) {
    throw base::UsageError("{}", error.what());
  }
}

}  // namespace tacet::apps
