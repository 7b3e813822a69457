#pragma once

#include <cstddef>
#include <string>

#include "tacet/model/model_file.h"

/// Coefficients for a person: what they are, what they do in the units of the file, and whether
/// they say more than privacy's noise does.
namespace tacet::apps {

/// One table an output, a line a coefficient: estimate, standard deviation of the privacy noise,
/// their ratio and a 95% interval; "at most" where only a bound of the noise is known. Those that
/// stand out most from the noise come first, and the intercept last; the text says when the order
/// is only noise. A number with a curve is one line below. Beyond `max_rows` lines the others are
/// left out, and the text says so.
[[nodiscard]] std::string coefficient_text(const model::ModelFile& file, std::size_t max_rows);

/// What one step of each column does in the units of the file, with its odds ratio, and how to read
/// that.
[[nodiscard]] std::string effects_text(const model::ModelFile& file);

/// Whether the path of the training was too short to show how the data pull the coefficients back.
[[nodiscard]] bool noise_is_a_bound(const model::ModelFile& file);

/// Whether anything is distinguishable from the privacy noise, in a sentence.
[[nodiscard]] std::string signal_text(const model::ModelFile& file);

}  // namespace tacet::apps
