#pragma once

#include <string>
#include <string_view>

#include "tacet/report/markup/markup.h"

/// What every figure is put together from.
namespace tacet::report {

constexpr double label_size = 11;  ///< of the font, in units of the figure
constexpr double below_plot = 42;  ///< ticks and the name of the axis
constexpr double first_row = 24;   ///< the name of the upright axis
constexpr double legend_row = 15;

struct Place {
  double x;
  double y;
};

struct TextLook {
  std::string_view anchor;  ///< "start", "middle" or "end"
  std::string_view kind;    ///< its class
};

/// With two decimals: a hundredth of a unit is not seen.
[[nodiscard]] std::string coordinate(double value);

void put_line(Markup& out, Place from, Place to, std::string_view kind);
void put_path(Markup& out, const std::string& path, std::string_view kind);
void put_circle(Markup& out, Place middle, std::string_view kind);

struct Size {
  double width;
  double height;
};
void put_rect(Markup& out, Place corner, Size size, std::string_view kind);
void put_text(Markup& out, Place at, std::string_view text, const TextLook& look);

}  // namespace tacet::report
