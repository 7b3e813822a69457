#pragma once

#include <string>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// Why there is no proof for this event under this adjacency: the first, innermost reason found.
/// Empty if every part has a proof by some accountant.
[[nodiscard]] std::string refusal(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
