#pragma once

#include <span>

#include "tacet/learn/plan/parameters.h"

namespace tacet::learn {

/// The rows of parameters() that are about wide models, `model` among them.
[[nodiscard]] std::span<const Parameter> wide_parameters();

}  // namespace tacet::learn
