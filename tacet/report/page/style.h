#pragma once

#include <string>
#include <string_view>

namespace tacet::report {

/// The style sheet of every report: light, dark, forced colours, paper.
[[nodiscard]] std::string_view page_style();

/// The same for a report inside of another page: each rule holds below the class "tacet-report"
/// alone, by nesting.
[[nodiscard]] std::string fragment_style();

}  // namespace tacet::report
