#include "tacet/report/figure/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/report/figure/heat.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/figure/sheet.h"

namespace tacet::report {
namespace {

constexpr double plot_height = 170;
constexpr double level_height = 18;
constexpr int y_ticks = 6;

std::string tone_class(std::string_view what, Tone tone) {
  constexpr std::array<std::string_view, 6> names{"t1", "t2", "t3", "t4", "quiet", "alarm"};
  return fmt::format("{} {}", what, names.at(static_cast<std::size_t>(tone)));
}

/// Every number of the plot along its two axes.
struct PlotNumbers {
  std::vector<double> x;
  std::vector<double> y;
};

PlotNumbers numbers_of(const Plot& plot) {
  PlotNumbers all;
  for (const auto& band : plot.bands) {
    for (const auto& span : band.spans) {
      all.x.push_back(span.x);
      all.y.insert(all.y.end(), {span.low, span.high});
    }
  }
  for (const auto& line : plot.lines) {
    for (const auto& point : line.points) {
      all.x.push_back(point.x);
      all.y.push_back(point.y);
    }
  }
  const bool levels = !plot.levels.empty();
  for (const auto& mark : plot.marks) {
    auto& along = levels ? all.x : all.y;
    along.push_back(mark.value);
    if (mark.low) along.push_back(*mark.low);
    if (mark.high) along.push_back(*mark.high);
    if (!levels) all.x.push_back(mark.at);
  }
  for (const auto& bar : plot.bars) all.x.insert(all.x.end(), {0, bar.value, bar.low, bar.high});
  return all;
}

/// As many ticks as fit beside each other.
Axis x_axis(const AxisSpec& spec, const std::vector<double>& values, double width) {
  for (int ticks = 7; ticks > 2; --ticks) {
    Axis axis(spec, values, ticks);
    double wide = 0;
    for (const auto& tick : axis.ticks()) {
      wide = std::max(wide, text_width(tick.text) * label_size + 8);
    }
    if (wide * static_cast<double>(axis.ticks().size() - 1) <= width) return axis;
  }
  return {spec, values, 2};
}

/// Draws the parts of one plot on its sheet.
class Drawing {
 public:
  Drawing(const Plot& plot, Markup& out)
      : plot_(plot),
        out_(out),
        numbers_(numbers_of(plot)),
        y_(plot.y, numbers_.y, y_ticks),
        legend_(legend_of(plot)),
        half_tick_(half_tick()),
        left_(std::max(left_room(), half_tick_)),
        right_(figure_width - half_tick_),
        x_(x_axis(plot.x, numbers_.x, right_ - left_)),
        top_((plot.levels.empty() ? first_row
              : legend_.empty()   ? 2
                                  : 8) +
             legend_row * static_cast<double>(legend_.size())),
        height_(plot.levels.empty() ? plot_height
                                    : level_height * static_cast<double>(plot.levels.size())) {}

  [[nodiscard]] double whole_height() const { return top_ + height_ + below_plot; }

  void draw() const {
    draw_legend();
    draw_grid();
    for (const auto& band : plot_.bands) draw_band(band);
    for (const auto& bar : plot_.bars) draw_bar(bar);
    draw_zero();
    for (const auto& line : plot_.lines) draw_line(line);
    for (const auto& mark : plot_.marks) draw_mark(mark);
  }

 private:
  struct LegendRow {
    std::string shape;  // class of its sample
    std::string text;
    Tone tone = Tone::first;
  };

  static std::vector<LegendRow> legend_of(const Plot& plot) {
    std::vector<LegendRow> rows;
    for (const auto& line : plot.lines) {
      if (!line.label.empty()) rows.push_back({tone_class("line", line.tone), line.label});
    }
    for (const auto& band : plot.bands) {
      if (!band.label.empty()) rows.push_back({tone_class("band", band.tone), band.label});
    }
    for (const auto& [tone, text] : plot.mark_labels) {
      rows.push_back({tone_class("dot", tone), text, tone});
    }
    return rows;
  }

  /// Half of the widest number below the plot, which stands in the middle below its tick.
  [[nodiscard]] double half_tick() const {
    double wide = 0;
    for (int ticks = 2; ticks <= 7; ++ticks) {
      const Axis axis(plot_.x, numbers_.x, ticks);
      for (const auto& tick : axis.ticks()) {
        wide = std::max(wide, text_width(tick.text));
      }
    }
    return std::clamp(wide * label_size / 2 + 2, 14.0, 80.0);
  }

  [[nodiscard]] double left_room() const {
    double wide = 0;
    if (plot_.levels.empty()) {
      for (const auto& tick : y_.ticks()) wide = std::max(wide, text_width(tick.text));
    } else {
      for (const auto& level : plot_.levels) wide = std::max(wide, text_width(fitted(level, 13.5)));
    }
    return std::clamp(wide * label_size + 10, 36.0, 160.0);
  }

  [[nodiscard]] double place_x(double value) const {
    return left_ + x_.share(value) * (right_ - left_);
  }
  [[nodiscard]] double place_y(double value) const {
    return top_ + (1 - y_.share(value)) * height_;
  }
  [[nodiscard]] double place_level(double level) const {
    return top_ + (level + 0.5) * level_height;
  }

  void draw_legend() const {
    if (plot_.levels.empty() && !plot_.y.label.empty()) {
      put_text(out_, {2, 12}, fitted(plot_.y.label, (figure_width - 4) / label_size),
               {"start", "name"});
    }
    double at = (plot_.levels.empty() ? first_row : 8) - 14;
    for (const auto& [shape, text, tone] : legend_) {
      at += legend_row;
      const bool area = shape.starts_with("band");
      const double y = at - 4;
      if (area) {
        put_rect(out_, {left_, y - 4}, {22, 8}, shape);
      } else if (shape.starts_with("dot")) {
        draw_dot({left_ + 11, y}, tone);
      } else {
        put_line(out_, {left_, y}, {left_ + 22, y}, shape);
      }
      put_text(out_, {left_ + 28, at}, fitted(text, (figure_width - left_ - 32) / label_size),
               {"start", "label"});
    }
  }

  void draw_grid() const {
    const double bottom = top_ + height_;
    for (const auto& tick : x_.ticks()) {
      const double at = place_x(tick.value);
      put_line(out_, {at, top_}, {at, bottom}, "grid");
      put_text(out_, {at, bottom + 18}, tick.text, {"middle", "tick tx"});
    }
    draw_x_name(bottom + 34);
    if (!plot_.levels.empty()) {
      for (std::size_t k = 0; k < plot_.levels.size(); ++k) {
        put_text(out_, {left_ - 6, place_level(static_cast<double>(k)) + 4},
                 fitted(plot_.levels[k], (left_ - 8) / label_size), {"end", "label"});
      }
      return;
    }
    for (const auto& tick : y_.ticks()) {
      const double at = place_y(tick.value);
      put_line(out_, {left_, at}, {right_, at}, "grid");
      put_text(out_, {left_ - 6, at + 4}, tick.text, {"end", "tick ty"});
    }
  }

  /// Below the plot, or as far to the left as a long one needs.
  void draw_x_name(double y) const {
    if (text_width(plot_.x.label) * label_size <= right_ - left_) {
      put_text(out_, {(left_ + right_) / 2, y}, fitted(plot_.x.label, figure_width),
               {"middle", "name"});
    } else {
      put_text(out_, {figure_width - 2, y}, fitted(plot_.x.label, (figure_width - 4) / label_size),
               {"end", "name"});
    }
  }

  void draw_zero() const {
    if (!plot_.zero_line) return;
    if (plot_.levels.empty()) {
      if (!y_.holds(0)) return;
      put_line(out_, {left_, place_y(0)}, {right_, place_y(0)}, "zero");
    } else if (x_.holds(0)) {
      put_line(out_, {place_x(0), top_}, {place_x(0), top_ + height_}, "zero");
    }
  }

  void draw_band(const Band& band) const {
    if (band.spans.empty()) return;
    std::string path = "M";
    for (const auto& span : band.spans) {
      path += fmt::format("{:.2f} {:.2f} ", place_x(span.x), place_y(span.high));
    }
    for (auto span = band.spans.rbegin(); span != band.spans.rend(); ++span) {
      path += fmt::format("{:.2f} {:.2f} ", place_x(span->x), place_y(span->low));
    }
    put_path(out_, path + "Z", tone_class("band", band.tone));
  }

  void draw_line(const Line& line) const {
    if (line.points.empty()) return;
    std::string path = "M";
    double before = 0;
    for (std::size_t k = 0; k < line.points.size(); ++k) {
      const double x = place_x(line.points[k].x);
      const double y = place_y(line.points[k].y);
      if (k > 0 && line.path == Path::steps) path += fmt::format("{:.2f} {:.2f} ", x, before);
      path += fmt::format("{:.2f} {:.2f} ", x, y);
      before = y;
    }
    path.pop_back();
    put_path(out_, path, tone_class("line", line.tone));
    if (line.points.size() == 1) draw_dot({place_x(line.points[0].x), before}, line.tone);
    for (const auto& point : line.points) {
      if (!std::isfinite(point.y)) draw_beyond({place_x(point.x), place_y(point.y)}, point.y > 0);
    }
  }

  void draw_mark(const Mark& mark) const {
    const bool levels = !plot_.levels.empty();
    const auto place = [&](double value) {
      return levels ? Place{place_x(value), place_level(mark.at)}
                    : Place{place_x(mark.at), place_y(value)};
    };
    if (mark.low && mark.high) {
      put_line(out_, place(*mark.low), place(*mark.high), tone_class("interval", mark.tone));
    }
    if (std::isfinite(mark.value)) {
      draw_dot(place(mark.value), mark.tone);
    } else {
      draw_beyond(place(mark.value), mark.value > 0);
    }
  }

  void draw_bar(const Bar& bar) const {
    const double zero = place_x(0);
    const double end = place_x(bar.value);
    const double y = place_level(bar.at);
    put_rect(out_, {std::min(zero, end), y - 6}, {std::abs(end - zero), 12}, "bar");
    put_line(out_, {place_x(bar.low), y}, {place_x(bar.high), y}, "interval t1");
  }

  void draw_dot(Place at, Tone tone) const {
    const auto shape = tone_class("dot", tone);
    if (tone == Tone::first || tone == Tone::quiet) {
      put_circle(out_, at, shape);
      return;
    }
    const double size = 4;
    const auto path = tone == Tone::second || tone == Tone::fourth
                          ? fmt::format("M{:.2f} {:.2f} h8 v8 h-8 Z", at.x - size, at.y - size)
                          : fmt::format("M{:.2f} {:.2f} l4 4 l-4 4 l-4 -4 Z", at.x, at.y - size);
    put_path(out_, path, shape);
  }

  /// A number beyond every end of the axis.
  void draw_beyond(Place at, bool above) const {
    const bool levels = !plot_.levels.empty();
    const auto path =
        levels  ? fmt::format("M{:.2f} {:.2f} v10 l{} -5 Z", at.x, at.y - 5, above ? 7 : -7)
        : above ? fmt::format("M{:.2f} {:.2f} h10 l-5 -7 Z", at.x - 5, at.y)
                : fmt::format("M{:.2f} {:.2f} h10 l-5 7 Z", at.x - 5, at.y);
    put_path(out_, path, "beyond");
  }

  const Plot& plot_;
  Markup& out_;
  PlotNumbers numbers_;
  Axis y_;
  std::vector<LegendRow> legend_;
  double half_tick_;
  double left_;
  double right_;
  Axis x_;
  double top_;
  double height_;
};

}  // namespace

void draw(const Plot& plot, const std::string& id, const std::string& finding, Markup& out) {
  const auto begin = [&](double height) {
    out.open(Tag::svg, {{Name::role, "img"},
                        {Name::viewBox, fmt::format("0 0 {:g} {:g}", figure_width, height)},
                        {Name::aria_labelledby, fmt::format("{0}-t {0}-d", id)}});
    out.element(Tag::title, plot.title, {{Name::id, id + "-t"}});
    out.element(Tag::desc, finding, {{Name::id, id + "-d"}});
  };
  if (plot.heat) {
    begin(heat_height(*plot.heat));
    draw_heat(*plot.heat, plot.x.label, plot.y.label, out);
  } else {
    const Drawing drawing(plot, out);
    begin(drawing.whole_height());
    drawing.draw();
  }
  out.close(Tag::svg);
}

}  // namespace tacet::report
