#include "tacet/report/figure/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "tacet/report/figure/labels.h"
#include "tacet/report/figure/sheet.h"

namespace tacet::report::draw_test {

constexpr double inf = std::numeric_limits<double>::infinity();

std::string drawn(const Plot& plot) {
  Markup out;
  draw(plot, "f", "What it shows.", out);
  return std::move(out).take();
}

/// A text of the image and where it stands.
struct Written {
  std::string kind;
  double x;
  double y;
  std::string anchor;
  std::string text;
};

std::vector<Written> texts_of(const std::string& image) {
  static const std::regex pattern(
      R"re(<text class="([^"]*)" x="([^"]*)" y="([^"]*)" text-anchor="([^"]*)">([^<]*)</text>)re");
  std::vector<Written> out;
  for (std::sregex_iterator at(image.begin(), image.end(), pattern), end; at != end; ++at) {
    out.push_back({(*at)[1], std::stod((*at)[2]), std::stod((*at)[3]), (*at)[4], (*at)[5]});
  }
  return out;
}

/// From places of the image to numbers, by what its printed ticks say.
class PrintedAxis {
 public:
  PrintedAxis(const std::string& image, const std::string& kind, Scale scale) : scale_(scale) {
    for (const auto& text : texts_of(image)) {
      if (text.kind != kind) continue;
      // A number of the upright axis stands 4 units below its line.
      places_.push_back(kind == "tick tx" ? text.x : text.y - 4);
      values_.push_back(scaled(std::stod(text.text)));
    }
  }
  [[nodiscard]] double number(double place) const {
    const double share = (place - places_.front()) / (places_.back() - places_.front());
    const double value = values_.front() + share * (values_.back() - values_.front());
    return scale_ == Scale::logarithmic ? std::exp(value) : value;
  }
  /// How much half a unit of the image is, at a number.
  [[nodiscard]] double half_unit(double value) const {
    const double unit =
        (values_.back() - values_.front()) / std::abs(places_.back() - places_.front()) / 2;
    return std::abs(unit) * (scale_ == Scale::logarithmic ? value : 1);
  }
  [[nodiscard]] std::size_t ticks() const { return values_.size(); }

 private:
  [[nodiscard]] double scaled(double value) const {
    return scale_ == Scale::logarithmic ? std::log(value) : value;
  }
  Scale scale_;
  std::vector<double> places_;
  std::vector<double> values_;
};

std::vector<double> path_numbers(const std::string& image, const std::string& kind) {
  const std::regex pattern("<path class=\"" + kind + "\" d=\"M([^\"Z]*)");
  std::smatch found;
  if (!std::regex_search(image, found, pattern)) return {};
  std::vector<double> out;
  std::istringstream words(found[1].str());
  for (double number = 0; words >> number;) out.push_back(number);
  return out;
}

void expect_line_tells_the_truth(const Plot& plot) {
  const auto image = drawn(plot);
  const PrintedAxis x(image, "tick tx", plot.x.scale);
  const PrintedAxis y(image, "tick ty", plot.y.scale);
  ASSERT_GE(x.ticks(), 2U);
  ASSERT_GE(y.ticks(), 2U);
  const auto numbers = path_numbers(image, "line t1");
  const auto& points = plot.lines.front().points;
  ASSERT_EQ(numbers.size(), 2 * points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!std::isfinite(points[k].y)) continue;
    EXPECT_NEAR(x.number(numbers[2 * k]), points[k].x, x.half_unit(points[k].x));
    EXPECT_NEAR(y.number(numbers[2 * k + 1]), points[k].y, y.half_unit(points[k].y));
  }
}

TEST(Draw, PlacesPutBackThroughThePrintedAxesAreTheNumbers) {
  const std::vector<std::vector<PlotPoint>> lines{{{0, 1}, {1, 2.5}, {2, -0.7}, {5, 3}},
                                                  {{17, 1e-4}, {40, 1e4}, {90, 3e3}},
                                                  {{-1e6, 7}, {1e6, 7}},
                                                  {{3, 3}},
                                                  {{1e-12, 1.8}, {1e-7, 1.2}, {1e-2, 0.4}},
                                                  {{0, 0.1}, {1, inf}, {2, 0.2}}};
  for (const auto& points : lines) {
    for (const auto scale : {Scale::linear, Scale::logarithmic}) {
      Plot plot{.title = "t", .x = {.label = "x"}, .y = {.label = "y", .scale = scale}};
      plot.lines.push_back({.points = points});
      if (scale == Scale::logarithmic && points[2 % points.size()].y < 0) continue;
      expect_line_tells_the_truth(plot);
    }
  }
}

TEST(Draw, LogarithmsOfDeltaAreWhereTheirTicksSay) {
  Plot plot{
      .title = "t", .x = {.label = "delta", .scale = Scale::logarithmic}, .y = {.label = "e"}};
  Line line{.points = {}};
  for (int k = 12; k >= 2; --k) line.points.push_back({std::pow(10.0, -k), 2.0 - 0.1 * k});
  plot.lines.push_back(line);
  expect_line_tells_the_truth(plot);
}

TEST(Draw, StepsHoldUntilTheNextNumber) {
  Plot plot{.title = "t"};
  plot.lines.push_back({.points = {{0, 0}, {1, 2}, {2, 5}}, .path = Path::steps});
  const auto numbers = path_numbers(drawn(plot), "line t1");
  ASSERT_EQ(numbers.size(), 10U);
  EXPECT_EQ(numbers[2], numbers[4]);  // up at the second x, at the height of the first until then
  EXPECT_EQ(numbers[1], numbers[3]);
}

TEST(Draw, InfiniteNumbersHaveAMarkAtTheEnd) {
  Plot plot{.title = "t"};
  plot.levels = {"a", "b"};
  plot.marks = {{.at = 0, .value = inf, .low = 1, .high = inf}, {.at = 1, .value = 2}};
  const auto image = drawn(plot);
  EXPECT_NE(image.find("class=\"beyond\""), std::string::npos);
  EXPECT_EQ(image.find("inf"), std::string::npos);
  EXPECT_EQ(image.find("nan"), std::string::npos);
}

TEST(Draw, TheNameOfAnAxisMayBeAsLongAsTheFigure) {
  Plot plot{.title = "t", .x = {.label = "adds to the log odds of 'more than 50,000 a year'"}};
  plot.levels = {"Married-civ-spouse", "Never-married"};
  plot.marks = {{.at = 0, .value = 1}, {.at = 1, .value = 2}};
  EXPECT_NE(drawn(plot).find("50,000 a year"), std::string::npos);
}

/// The room of a text, as wide as its letters may be in any usual font.
struct Box {
  double left, right, top, bottom;
};

Box box_of(const Written& text) {
  const double width = text_width(text.text) * label_size * 0.92;
  const double left = text.anchor == "middle" ? text.x - width / 2
                      : text.anchor == "end"  ? text.x - width
                                              : text.x;
  return {left, left + width, text.y - 9, text.y + 2};
}

void expect_texts_apart(const std::string& image) {
  const auto texts = texts_of(image);
  for (std::size_t a = 0; a < texts.size(); ++a) {
    const auto one = box_of(texts[a]);
    EXPECT_GE(one.left, -0.5) << texts[a].text;
    EXPECT_LE(one.right, figure_width + 0.5) << texts[a].text;
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      const auto other = box_of(texts[b]);
      const bool apart = one.right <= other.left || other.right <= one.left ||
                         one.bottom <= other.top || other.bottom <= one.top;
      EXPECT_TRUE(apart) << texts[a].text << " and " << texts[b].text;
    }
  }
}

TEST(Draw, NoTwoTextsOverlapAndNoneLeaves) {
  const std::string longest(1000, 'W');
  for (const double size : {1e-4, 1.0, 98765.0, 1e12}) {
    Plot curve{.title = "t", .x = {.label = longest}, .y = {.label = longest}};
    curve.lines.push_back({.points = {{-size, -size}, {size, 3 * size}}, .label = longest});
    curve.bands.push_back({.spans = {{-size, -size, size}, {size, 0, 4 * size}}, .label = "band"});
    curve.marks.push_back({.at = size, .value = size});
    curve.mark_labels = {{Tone::alarm, longest}};
    expect_texts_apart(drawn(curve));
    Plot levels{.title = "t", .x = {.label = longest}};
    levels.levels = {"a", longest, "\xe4\xb8\xad\xe6\x96\x87", "Married-civ-spouse"};
    for (int k = 0; k < 4; ++k) {
      levels.marks.push_back({.at = double(k), .value = k * size, .low = -size, .high = 9 * size});
    }
    expect_texts_apart(drawn(levels));
    Plot heat{.title = "t", .x = {.label = longest}, .y = {.label = longest}};
    heat.heat = HeatMap{{"a", longest}, {"b", "c", longest}, {1, 2, -3, 4 * size, 5, 6}};
    expect_texts_apart(drawn(heat));
  }
}

TEST(Draw, AHeatMapHasNumbersInAllCellsOrInNone) {
  const auto cells = [](double first) {
    Plot heat{.title = "t"};
    heat.heat = HeatMap{{"a"}, {"b", "c", "d", "e", "f"}, {first, 2, 3, 4, 5}};
    const auto texts = texts_of(drawn(heat));
    return std::ranges::count(texts, "cell", &Written::kind);
  };
  EXPECT_EQ(cells(-91127), 5);
  EXPECT_EQ(cells(-116867), 0);
}

TEST(Draw, TheImageIsNamedAndSaysWhatItShows) {
  const auto image = drawn({.title = "A & B"});
  EXPECT_NE(image.find("role=\"img\""), std::string::npos);
  EXPECT_NE(image.find("aria-labelledby=\"f-t f-d\""), std::string::npos);
  EXPECT_NE(image.find("<title id=\"f-t\">A &amp; B</title>"), std::string::npos);
  EXPECT_NE(image.find("<desc id=\"f-d\">What it shows.</desc>"), std::string::npos);
}

}  // namespace tacet::report::draw_test
