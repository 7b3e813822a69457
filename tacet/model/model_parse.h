#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "tacet/model/linear_model.h"

/// A model's text in two passes, so that its long lists are never a tree of values: the first reads
/// all but them, the second takes them to where they belong and knows how long they may be.
/// DataErrors name the field, not the file.
namespace tacet::model::internal {

/// The text as a tree in which model.features, model.coefficients and model.noise_stddevs are
/// empty lists where they are lists. Repeated keys, more than limits::model_depth levels and more
/// than limits::model_values values are refused while they are read.
[[nodiscard]] nlohmann::json parse_outline(std::string_view text);

/// Fills the lists of a model whose other parts are known: coefficients and standard deviations of
/// noise become what the text says, and its features must be the model's own. `text` is one that
/// parse_outline accepted.
void read_lists(std::string_view text, LinearModel& model);

/// At most the first 40 characters of a value, for a message.
[[nodiscard]] std::string shown(const nlohmann::json& value);

[[noreturn]] void bad(const std::string& what);

}  // namespace tacet::model::internal
