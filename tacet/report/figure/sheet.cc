#include "tacet/report/figure/sheet.h"

#include <fmt/format.h>

namespace tacet::report {

std::string coordinate(double value) { return fmt::format("{:.2f}", value); }

void put_line(Markup& out, Place from, Place to, std::string_view kind) {
  out.empty(Tag::line, {{Name::class_, std::string(kind)},
                        {Name::x1, coordinate(from.x)},
                        {Name::y1, coordinate(from.y)},
                        {Name::x2, coordinate(to.x)},
                        {Name::y2, coordinate(to.y)}});
}

void put_path(Markup& out, const std::string& path, std::string_view kind) {
  out.empty(Tag::path, {{Name::class_, std::string(kind)}, {Name::d, path}});
}

void put_circle(Markup& out, Place middle, std::string_view kind) {
  out.empty(Tag::circle, {{Name::class_, std::string(kind)},
                          {Name::cx, coordinate(middle.x)},
                          {Name::cy, coordinate(middle.y)},
                          {Name::r, "3.5"}});
}

void put_rect(Markup& out, Place corner, Size size, std::string_view kind) {
  out.empty(Tag::rect, {{Name::class_, std::string(kind)},
                        {Name::x, coordinate(corner.x)},
                        {Name::y, coordinate(corner.y)},
                        {Name::width, coordinate(size.width)},
                        {Name::height, coordinate(size.height)}});
}

void put_text(Markup& out, Place at, std::string_view text, const TextLook& look) {
  if (text.empty()) return;
  out.element(Tag::text, text,
              {{Name::class_, std::string(look.kind)},
               {Name::x, coordinate(at.x)},
               {Name::y, coordinate(at.y)},
               {Name::text_anchor, std::string(look.anchor)}});
}

}  // namespace tacet::report
