#include "tacet/report/figure/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/report/figure/draw.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/figure/sheet.h"

namespace tacet::report {
namespace {

constexpr double cell_height = 20;
constexpr double heat_left = 110;
constexpr double heat_top = 44;  // the names of both sides

double cell_width(const HeatMap& map) {
  return (figure_width - heat_left - 4) /
         static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
}

bool names_fit(const HeatMap& map) {
  return std::ranges::all_of(map.columns, [&](const std::string& name) {
    return text_width(fitted(name, 100)) * label_size <= cell_width(map) - 4;
  });
}

/// Numbers stand in all cells or in none: the largest, which are the longest, would be missing.
bool numbers_fit(const HeatMap& map) {
  return std::ranges::all_of(map.values, [&](double value) {
    return text_width(number_text(value, 3)) * label_size <= cell_width(map) - 3;
  });
}

}  // namespace

double heat_height(const HeatMap& map) {
  const double cells = heat_top + cell_height * static_cast<double>(map.rows.size()) + 8;
  return names_fit(map) ? cells : cells + legend_row * static_cast<double>(map.columns.size()) + 6;
}

void draw_heat(const HeatMap& map, std::string_view columns_name, std::string_view rows_name,
               Markup& out) {
  const double width = cell_width(map);
  const bool fit = names_fit(map);
  const bool numbers = numbers_fit(map);
  double largest = 0;
  for (const double value : map.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  put_text(out, {2, 36}, fitted(rows_name, (heat_left - 8) / label_size), {"start", "name"});
  put_text(out, {heat_left, 14}, fitted(columns_name, (figure_width - heat_left - 4) / label_size),
           {"start", "name"});
  const double bottom = heat_top + cell_height * static_cast<double>(map.rows.size());
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    const double x = heat_left + width * static_cast<double>(c);
    const auto number = fmt::format("{}", c + 1);
    if (fit || text_width(number) * label_size <= width) {
      put_text(out, {x + width / 2, 36}, fit ? fitted(map.columns[c], 100) : number,
               {"middle", "label"});
    }
    if (fit) continue;
    put_text(out, {4, bottom + 8 + legend_row * static_cast<double>(c + 1)},
             fitted(fmt::format("{}: {}", number, map.columns[c]), (figure_width - 8) / label_size),
             {"start", "label"});
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const double y = heat_top + cell_height * static_cast<double>(r);
    put_text(out, {heat_left - 6, y + 14}, fitted(map.rows[r], (heat_left - 10) / label_size),
             {"end", "label"});
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const double value = map.values[r * map.columns.size() + c];
      const double x = heat_left + width * static_cast<double>(c);
      const double size = std::isnan(value) ? 0 : std::min(std::abs(value), largest);
      const double strength = largest > 0 ? size / largest : 0;
      out.empty(Tag::rect, {{Name::class_, value < 0 ? "minus" : "plus"},
                            {Name::x, coordinate(x)},
                            {Name::y, coordinate(y)},
                            {Name::width, coordinate(width - 1)},
                            {Name::height, coordinate(cell_height - 1)},
                            {Name::fill_opacity, fmt::format("{:.3f}", 0.03 + 0.5 * strength)}});
      if (numbers)
        put_text(out, {x + width / 2, y + 14}, number_text(value, 3), {"middle", "cell"});
    }
  }
}

}  // namespace tacet::report
