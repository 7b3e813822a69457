#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tacet/report/record/content.h"

namespace tacet::report {

/// The picture of an evaluation of two classes by their probabilities: the noisy share of positive
/// records for each tenth of the predicted probability. Nothing if the result has none.
[[nodiscard]] std::optional<Picture> calibration_picture(const nlohmann::ordered_json& values,
                                                         const std::string& name);

}  // namespace tacet::report
