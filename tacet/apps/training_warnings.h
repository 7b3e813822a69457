#pragma once

#include <string>
#include <vector>

#include "tacet/learn/plan/training.h"

namespace tacet::apps {

/// What a person should hear about a plan before it is carried out: guarantees that mean little,
/// and noise that leaves nothing to learn. From public facts alone.
[[nodiscard]] std::vector<std::string> training_warnings(const learn::Training& plan);

}  // namespace tacet::apps
