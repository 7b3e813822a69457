#include "tacet/report/figure/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacet/report/figure/labels.h"

namespace tacet::report::axis_test {

constexpr double inf = std::numeric_limits<double>::infinity();

Axis axis(std::vector<double> values, Scale scale = Scale::linear, int ticks = 6) {
  return {{.scale = scale}, values, ticks};
}

/// 1, 2 or 5 times a power of ten.
bool is_round(double value) {
  const double digit = value / std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  for (const double one : {1.0, 2.0, 5.0}) {
    if (std::abs(digit - one) < 1e-6) return true;
  }
  return false;
}

TEST(Axis, StepsBetweenTicksAreRound) {
  for (const double size : {1e-9, 3e-4, 0.07, 1.0, 4.4, 31.0, 999.0, 1e4, 7.7e8}) {
    const auto found = axis({-0.3 * size, size});
    ASSERT_GE(found.ticks().size(), 2U);
    const double step = found.ticks()[1].value - found.ticks()[0].value;
    EXPECT_TRUE(is_round(step)) << step;
    EXPECT_LE(found.low(), -0.3 * size);
    EXPECT_GE(found.high(), size);
  }
}

TEST(Axis, TicksSayTheNumbersThatTheyAreAt) {
  for (const auto& values : {std::vector<double>{0, 1},
                             {-3.3, 8},
                             {1000000.1, 1000000.5},
                             {1e-12, 3e-12},
                             {-1e8, 2e8}}) {
    const auto found = axis(values);
    const double room = (found.high() - found.low()) * 1e-3;
    for (const auto& tick : found.ticks()) {
      EXPECT_NEAR(std::stod(tick.text), tick.value, room) << tick.text;
    }
  }
}

TEST(Axis, CountsHaveTicksAtWholeNumbers) {
  for (const double most : {1.0, 2.0, 3.0, 7.0, 300.0}) {
    const Axis found({.with_zero = true, .whole = true}, std::vector<double>{0, most}, 7);
    for (const auto& tick : found.ticks()) EXPECT_EQ(tick.value, std::floor(tick.value));
    EXPECT_GE(found.ticks().size(), 2U);
  }
}

TEST(Axis, SharesGoFromOneEndToTheOther) {
  const auto found = axis({2, 7});
  EXPECT_EQ(found.share(found.low()), 0);
  EXPECT_EQ(found.share(found.high()), 1);
  EXPECT_EQ(found.share(inf), 1);
  EXPECT_EQ(found.share(-inf), 0);
  EXPECT_EQ(found.share(std::nan("")), 0);
  EXPECT_LT(found.share(3), found.share(4));
}

TEST(Axis, EveryInputHasAnAxis) {
  for (const auto scale : {Scale::linear, Scale::logarithmic}) {
    for (const auto& values : {std::vector<double>{},
                               {inf},
                               {-inf, inf},
                               {std::nan("")},
                               {0},
                               {0, 0},
                               {5, 5, 5},
                               {1e-4, 1e4},
                               {1e-4},
                               {1e4},
                               {1e-320},
                               {1e308, -1e308},
                               {-7},
                               {1e300, inf}}) {
      const auto found = axis(values, scale);
      EXPECT_TRUE(std::isfinite(found.low()) && std::isfinite(found.high()));
      EXPECT_LT(found.low(), found.high());
      EXPECT_GE(found.ticks().size(), 2U);
      EXPECT_LE(found.ticks().size(), 12U);
      for (const double value : values) {
        EXPECT_GE(found.share(value), 0);
        EXPECT_LE(found.share(value), 1);
      }
    }
  }
}

TEST(Axis, LogarithmicTicksAreRoundAndWithin) {
  for (const auto& values :
       {std::vector<double>{1e-12, 1e-2}, {1e-4, 1e4}, {3, 7}, {0.9, 1.1}, {1, 1000}}) {
    const auto found = axis(values, Scale::logarithmic);
    for (const auto& tick : found.ticks()) {
      EXPECT_TRUE(is_round(tick.value)) << tick.value;
      EXPECT_TRUE(found.holds(tick.value)) << tick.value;
    }
    EXPECT_LE(found.low(), values[0]);
    EXPECT_GE(found.high(), values[1]);
  }
}

TEST(Labels, NumbersHaveShortExponents) {
  EXPECT_EQ(number_text(1e-5), "1e-5");
  EXPECT_EQ(number_text(1e-12), "1e-12");
  EXPECT_EQ(number_text(2.5e+20), "2.5e20");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(11574, 3), "11574");
  EXPECT_EQ(number_text(20000, 3), "20000");
  EXPECT_EQ(number_text(123456789, 4), "1.235e8");
  EXPECT_EQ(number_text(inf), "inf");
}

TEST(Labels, CutTextsKeepToTheirWidth) {
  for (const auto* text : {"short", "a name that is far too long for the room that there is",
                           "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad"}) {
    for (const double width : {2.0, 5.0, 9.0}) {
      EXPECT_LE(text_width(fitted(text, width)), std::max(width, text_width("...")));
    }
  }
  EXPECT_EQ(fitted("whole", 100), "whole");
  EXPECT_TRUE(fitted(std::string(100000, 'W'), 20).ends_with("..."));
}

}  // namespace tacet::report::axis_test
