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

/// Estimate, standard deviation of the privacy noise, their ratio and a 95% interval for each
/// coefficient, one table an output; "at most" where only a bound of it is known. Beyond
/// `max_rows` features only those with the largest estimates are shown, and the text says so.
[[nodiscard]] std::string coefficient_text(const model::ModelFile& file, std::size_t max_rows);
[[nodiscard]] nlohmann::ordered_json coefficient_json(const model::LinearModel& model);

/// Why the coefficients come without the standard deviations of their noise; empty where they have
/// them.
[[nodiscard]] std::string missing_noise_text(const model::ModelFile& file);

/// What one step of each feature does in the units of the file, and how to read that.
[[nodiscard]] std::string original_units_text(const model::ModelFile& file);
[[nodiscard]] nlohmann::ordered_json original_units_json(const model::ModelFile& file);

using report::json_number;
using report::json_text;

/// What was run, under which guarantee, in lines of `key   value`.
[[nodiscard]] std::string receipt_text(const privacy::Receipt& receipt);

/// The text of a line and what follows it, ready for a terminal of 100 columns.
[[nodiscard]] std::string paragraph(const std::string& text);

}  // namespace tacet::apps
