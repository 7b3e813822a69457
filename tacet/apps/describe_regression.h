#pragma once

#include <span>
#include <string>

#include "tacet/apps/terminal/console.h"
#include "tacet/model/model_file.h"

namespace tacet::apps {

/// A regression table for people: coefficients with intervals of this level and tests, contrasts,
/// and what the numbers mean. UsageError for a level or a contrast that makes no sense.
[[nodiscard]] std::string regression_text(const model::ModelFile& file, const Console& console,
                                          double level = .95,
                                          std::span<const std::string> contrasts = {});

}  // namespace tacet::apps
