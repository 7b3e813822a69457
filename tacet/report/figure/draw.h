#pragma once

#include <string>

#include "tacet/report/figure/plot.h"
#include "tacet/report/markup/markup.h"

namespace tacet::report {

/// The width of every figure in its own units; the page scales it.
inline constexpr double figure_width = 360;

/// Appends the plot as an SVG image with its title and `finding`, a sentence that says what it
/// shows. `id` is the beginning of the names of its elements, unlike that of all other figures of
/// the page.
void draw(const Plot& plot, const std::string& id, const std::string& finding, Markup& out);

}  // namespace tacet::report
