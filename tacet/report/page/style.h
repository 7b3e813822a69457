#pragma once

#include <string_view>

namespace tacet::report {

/// The style sheet of every report: light, dark, forced colours, paper.
[[nodiscard]] std::string_view page_style();

}  // namespace tacet::report
