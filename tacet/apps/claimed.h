#pragma once

#include "tacet/base/error.h"

namespace tacet::apps {

/// What `make` returns. In audits exit code 5 says that a claim is refuted: what has no guarantee
/// makes no claim, and is a wrong option there.
template <typename Make>
auto claimed(const Make& make) {
  try {
    return make();
  } catch (const base::GuaranteeError& error) {
    throw base::UsageError("{}", error.what());
  }
}

}  // namespace tacet::apps
