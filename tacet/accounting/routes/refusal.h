#pragma once

#include <string>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// Why nothing is proved for this (event, adjacency), the innermost reason first found; empty where
/// every part has a proof under some accountant.
[[nodiscard]] std::string refusal(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
