#pragma once

#include <string_view>

#include "tacet/report/figure/plot.h"
#include "tacet/report/markup/markup.h"

namespace tacet::report {

[[nodiscard]] double heat_height(const HeatMap& map);

/// Cells in two colours, the stronger the larger the number is, with the number in each that has
/// room for it. Names of columns that do not fit above them are numbered, and listed below.
void draw_heat(const HeatMap& map, std::string_view columns_name, std::string_view rows_name,
               Markup& out);

}  // namespace tacet::report
