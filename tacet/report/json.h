#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// Results as programs and Python read them.
namespace tacet::report {

/// A number or, where JSON has none, "inf".
[[nodiscard]] nlohmann::ordered_json json_number(double value);

/// The text of a result, a value a line and the numbers of a list side by side, with what a
/// terminal would act on escaped, bytes that are no UTF-8 replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace tacet::report
