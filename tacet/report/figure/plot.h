#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/report/figure/axis.h"

/// What a figure shows, before it is drawn.
namespace tacet::report {

/// Series differ by it in colour and in dash or mark.
enum class Tone { first, second, third, fourth, quiet, alarm };

struct PlotPoint {
  double x;
  double y;
};

/// From `low` to `high` over x.
struct PlotSpan {
  double x;
  double low;
  double high;
};

struct Band {
  std::vector<PlotSpan> spans;
  Tone tone = Tone::first;
  std::string label{};  ///< in the legend; empty: none
};

enum class Path {
  straight,
  steps  ///< a number holds until the next x
};

struct Line {
  std::vector<PlotPoint> points;
  Tone tone = Tone::first;
  Path path = Path::straight;
  std::string label{};
};

/// A dot, with an interval around it where both ends are given. Where a plot has levels `at` is one
/// of them, from the top, and numbers go to the right; otherwise `at` is an x and numbers go up.
struct Mark {
  double at;
  double value;
  std::optional<double> low{};
  std::optional<double> high{};
  Tone tone = Tone::first;
};

/// What marks of a tone are, in the legend.
struct MarkLabel {
  Tone tone;
  std::string text;
};

/// From 0 to `value` at a level, with an interval around its end.
struct Bar {
  double at;
  double value;
  double low;
  double high;
};

/// A number for each row and column.
struct HeatMap {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<double> values;  ///< row by row
};

/// One drawing. Numbers that are not finite are drawn at the end of their axis, with a mark that
/// says so.
struct Plot {
  std::string title;  ///< for those who do not see it
  AxisSpec x{};
  AxisSpec y{};
  std::vector<std::string> levels{};  ///< names along the left side, from the top, instead of y
  std::vector<Band> bands{};
  std::vector<Line> lines{};
  std::vector<Mark> marks{};
  std::vector<MarkLabel> mark_labels{};
  std::vector<Bar> bars{};
  std::optional<HeatMap> heat{};  ///< alone
  bool zero_line = false;         ///< where the numbers are 0
};

}  // namespace tacet::report
