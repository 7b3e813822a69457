#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/run/quantile.h"

namespace tacet::report {

/// A number, or the date of a day.
[[nodiscard]] std::string quantile_text(const run::QuantilePlan& plan, double value);
[[nodiscard]] nlohmann::ordered_json quantile_json(const run::QuantileRequest& request,
                                                   const run::QuantilePlan& plan,
                                                   const run::ReleasedQuantile& found);

}  // namespace tacet::report
