#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/privacy/receipt.h"
#include "tacet/run/summary.h"

namespace tacet::report {

/// What a kind of a column's values stands for: listed values come first, then "(other)" where
/// there is one, then "(missing)"; classes are all listed.
[[nodiscard]] std::string kind_word(const data::SummaryColumn& column, std::size_t kind);

[[nodiscard]] nlohmann::ordered_json summary_json(const run::SummaryPlan& plan,
                                                  const run::Summary& found,
                                                  const privacy::Receipt& receipt);

}  // namespace tacet::report
