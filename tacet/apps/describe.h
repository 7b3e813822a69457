#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "tacet/apps/terminal/console.h"
#include "tacet/model/linear_model.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"
#include "tacet/report/json.h"

namespace tacet::apps {

/// Says on standard error, quiet or not, that a result protects nobody; nothing when it does.
void warn_if_unprotected(const Console& console, const privacy::Receipt& receipt);

/// "PRIVACY: NONE (why)", or the guarantee in one line.
[[nodiscard]] std::string privacy_line(const privacy::Receipt& receipt);

[[nodiscard]] nlohmann::ordered_json coefficient_json(const model::LinearModel& model);

/// Why the coefficients come without the standard deviations of their noise, as a part of a
/// sentence; and as one, empty where they have them.
[[nodiscard]] std::string why_no_noise(const model::ModelFile& file);
[[nodiscard]] std::string missing_noise_text(const model::ModelFile& file);

/// What one step of each column does in the units of the file, or its curve.
[[nodiscard]] nlohmann::ordered_json effects_json(const model::ModelFile& file);

using report::json_number;
using report::json_text;

/// The promise in two lines, and the condition under which it holds, where there is one.
[[nodiscard]] std::string guarantee_text(const privacy::Receipt& receipt);

/// What was run, under which guarantee, in lines of `key   value`; the promise in two lines.
[[nodiscard]] std::string receipt_text(const privacy::Receipt& receipt);

/// The text of a line and what follows it, ready for a terminal of 100 columns.
[[nodiscard]] std::string paragraph(const std::string& text);

}  // namespace tacet::apps
