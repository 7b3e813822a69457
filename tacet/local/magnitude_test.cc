#include "tacet/local/magnitude.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tacet::local {
namespace magnitude_test {

// 40-digit quadrature, cross-checked with the closed form at 80 and more digits.
struct Oracle {
  double p, q, log_h, log_f;
};
constexpr std::array oracles{
    Oracle{0, 1e-8, -19.519293032620475, 1.6666666666666667e-17},
    Oracle{0, 1, -1.0, 0.16143936157119563},
    Oracle{0, 700, 692.75434289158706, 692.75577248439665},
    Oracle{1e-12, 1, -1.0000000000006109, 0.1614393615708217},
    Oracle{1e-6, 0.001, -8.0063680676502253, -1.6666667222221623e-7},
    Oracle{0.1, 1, -1.0607557104404699, 0.12452014055628541},
    Oracle{1, 5, 1.7580452546454448, 2.0515565683786595},
    Oracle{4, 0.5, -3.6198124144763929, -0.80365066980891106},
    Oracle{4, 8, 2.1615056833705019, 2.4929233858276061},
    Oracle{30, 1, -5.907392157355779, -1.8130475951330043},
    Oracle{30, 59.999, 27.375861536451384, 27.484574900455851},
    Oracle{30, 60.001, 27.3776690271794, 27.486368887547949},
    Oracle{1000, 50, -6.6385393312402501, -2.9496598771263137},
    Oracle{1000, 3000, 1992.3961109073818, 1992.3971074431777},
    Oracle{1e5, 1e3, -8.6755623366683961, -3.3772449701203594},
    Oracle{1e5, 1e6, 899985.71448425029, 899985.71448550029},
    Oracle{1e8, 1e4, -18.984610162147556, -9.081122609611428},
    Oracle{5, 1e6, 999980.49135126151, 999980.49135226152},
    Oracle{2e8, 3.9e8, 190124990.29698599, 190124990.3223038},
};

TEST(Magnitude, LogarithmsHoldInEveryRegime) {
  for (const auto& o : oracles) {
    EXPECT_NEAR(log_abs_h(o.p, o.q), o.log_h, 1e-14 * std::max(1.0, std::fabs(o.log_h)))
        << o.p << ' ' << o.q;
    EXPECT_NEAR(log_f(o.p, o.q), o.log_f, 1e-14 * std::max(1.0, std::fabs(o.log_f)))
        << o.p << ' ' << o.q;
  }
}

struct Point {
  double x, y, a, m, log_m;
};
constexpr std::array points{
    Point{1, 1, 0.5, 0.073641152190105511, -2.6085512764861916},
    Point{-1, 1, 0.5, -0.073641152190105511, -2.6085512764861916},
    Point{3, 22.5, 0.25, 0.030200340126604633, -3.4999020921943821},
    Point{250, 22520, 0.25, 0.00026241454969727253, -8.2455850538901187},
    Point{250, 22520, 0.0217, 0.0030194069535685407, -5.8026948398696085},
    Point{100, 901000, 0.25, 2.0782260510914123e-7, -15.386580981189347},
    Point{5, 0, 0.6838, 2.164908024595445, 0.77237787768618541},
    Point{1e-9, 1e-9, 0.6838, 1.5586081328960667e-10, -22.582057729448943},
};

// The closed form of the poster overflows at three of these in doubles. A lost minus sign (exp of
// + beta^2 y) changes every value with y above 0.
TEST(Magnitude, IsTheDerivativeOfTheWealthAtThePostersPoints) {
  for (const auto& o : points) {
    const auto m = Wealth{1, o.a, o.x, o.y}.magnitude();
    EXPECT_NEAR(m.value(), o.m, 1e-12 * std::fabs(o.m)) << o.x << ' ' << o.y;
    EXPECT_NEAR(m.log_size, o.log_m, 1e-13 * std::max(1.0, std::fabs(o.log_m)));
  }
  const auto huge = Wealth{1, 0.6838, 40000, 1e4}.magnitude();
  EXPECT_NEAR(huge.log_size, 22665.304132057151, 1e-14 * 22665);
  EXPECT_EQ((Wealth{1, 0.25, 0, 100}.magnitude().value()), 0);
  EXPECT_EQ((Wealth{1, 0.25, 0, 100}.magnitude().sign), 0);
}

TEST(Magnitude, IsOddInTheGainAndMonotone) {
  for (const double p : {0.0, 1e-7, 0.3, 7.0, 500.0, 3e6}) {
    double before = -std::numeric_limits<double>::infinity();
    for (const double q : {1e-12, 1e-7, 0.01, 0.4, 0.6, 3.0, 14.0, 15.0, 999.0, 1001.0, 5e4, 7e6}) {
      const double here = log_abs_h(p, q);
      EXPECT_GT(here, before) << p << ' ' << q;
      EXPECT_EQ(here, log_abs_h(p, -q));
      EXPECT_EQ(log_f(p, q), log_f(p, -q));
      EXPECT_LT(log_abs_h(p * 1.1 + 1e-3, q), here) << p << ' ' << q;
      before = here;
    }
  }
  EXPECT_EQ(log_abs_h(3, 0), -std::numeric_limits<double>::infinity());
}

TEST(Magnitude, HasItsClosedFormWithoutPenalty) {
  for (const double q : {0.5, 1.0, 3.0, 20.0, 300.0}) {
    const double truth = (q * std::cosh(q) - std::sinh(q)) / (q * q);
    EXPECT_NEAR(log_abs_h(0, q), std::log(truth), 2e-14 * std::max(1.0, std::log(truth)));
  }
}

TEST(Magnitude, IsLinearInSmallGains) {
  for (const double p : {0.0, 0.2, 5.0, 900.0}) {
    const double ratio = log_abs_h(p, 1e-7) - log_abs_h(p, 1e-9);
    EXPECT_NEAR(ratio, std::log(100.0), 1e-12) << p;
    // The coefficient: the integral of r^2 exp(-p r^2) over [0, 1].
    const double root = std::sqrt(p);
    const double integral = p == 0 ? 1.0 / 3
                                   : std::sqrt(std::numbers::pi) * std::erf(root) / (4 * p * root) -
                                         std::exp(-p) / (2 * p);
    EXPECT_NEAR(log_abs_h(p, 1e-7), std::log(1e-7 * integral), 1e-12) << p;
  }
}

TEST(Magnitude, IsContinuousWhereThePeakLeavesTheInterval) {
  for (const double p : {0.01, 1.0, 30.0, 1e4, 1e7}) {
    const double below = log_abs_h(p, 2 * p * (1 - 1e-9));
    const double above = log_abs_h(p, 2 * p * (1 + 1e-9));
    EXPECT_NEAR(below, above, 1e-7 * std::max(1.0, std::fabs(above))) << p;
  }
}

TEST(Magnitude, IsTheSlopeOfTheWealth) {
  for (const double y : {0.0, 3.0, 400.0}) {
    for (const double x : {0.1, 2.0, 30.0}) {
      const double h = 1e-4 * x;
      const auto wealth = [&](double gain) {
        return std::exp(Wealth{1.7, 0.3, gain, y}.log_bound());
      };
      const double slope = (wealth(x + h) - wealth(x - h)) / (2 * h);
      const double m = Wealth{1.7, 0.3, x, y}.magnitude().value();
      EXPECT_NEAR(slope, m, 1e-6 * m) << x << ' ' << y;
    }
  }
}

TEST(Magnitude, ScalesWithItsUnits) {
  // G becomes c G: a / c, c x, c^2 y; the model is w / c.
  const double c = 3.7;
  const Wealth one{2.5, 0.2, 12, 300};
  const Wealth other{2.5, 0.2 / c, 12 * c, 300 * c * c};
  EXPECT_NEAR(other.magnitude().value() * c, one.magnitude().value(),
              1e-12 * one.magnitude().value());
  // What one starts with is in units of loss, and the magnitude linear in it (no hidden 1).
  EXPECT_NEAR((Wealth{5, 0.2, 12, 300}.magnitude().value()), 2 * one.magnitude().value(),
              1e-12 * one.magnitude().value());
}

struct Psi {
  double v, y, a, with_initial, gain;
};
TEST(Magnitude, ConjugateOfTheWealth) {
  for (const auto& o : {Psi{1, 2.25e6, 0.0222, 8912.546463, 9390.741832},
                        Psi{10, 4e4, 0.2, 12180.63254, 1280.441694},
                        Psi{0.1, 1e3, 0.5, 10.98274322, 116.9314679}}) {
    const auto found = wealth_conjugate({.initial = 1, .range = o.a, .penalty = o.y}, o.v);
    EXPECT_NEAR(1 + found.value, o.with_initial, 1e-8 * o.with_initial);
    EXPECT_NEAR(found.gain, o.gain, 1e-8 * o.gain);
  }
  EXPECT_LT(wealth_conjugate({.initial = 1, .range = 0.5, .penalty = 3}, 0).value, 0);
}

}  // namespace magnitude_test
}  // namespace tacet::local
