#include "tacet/privacy/pld.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/accountant.h"

namespace tacet::privacy {
namespace {

constexpr auto add_remove = Adjacency::add_remove;

/// delta of one Laplace release at any real epsilon, `end` the pure epsilon.
double laplace_delta(double end, double epsilon) {
  if (epsilon >= end) return 0;
  return epsilon < -end ? -std::expm1(epsilon) : -std::expm1((epsilon - end) / 2);
}

/// delta of two releases: the expectation of one's profile over the other's loss.
double two_laplace_delta(double end, double epsilon) {
  double sum = 0.5 * laplace_delta(end, epsilon - end) +
               0.5 * std::exp(-end) * laplace_delta(end, epsilon + end);
  // The integrand has kinks where epsilon - s = +-end.
  std::vector<double> knots{-end, end};
  for (const double kink : {epsilon - end, epsilon + end}) {
    if (std::fabs(kink) < end) knots.push_back(kink);
  }
  std::sort(knots.begin(), knots.end());
  constexpr int pieces = 2000;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double h = (knots[k + 1] - knots[k]) / pieces;
    for (int i = 0; i <= pieces; ++i) {
      const double s = knots[k] + h * i;
      const double weight = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
      sum += weight * h / 3 * 0.25 * std::exp((s - end) / 2) * laplace_delta(end, epsilon - s);
    }
  }
  return sum;
}

std::vector<pld::Component> laplace_releases(double end, std::int64_t count) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::laplace(1 / end), count});
  return parts;
}

TEST(Pld, BracketsOneLaplaceReleaseAtEveryScale) {
  for (const double end : {1e-3, 1.0, 33.3, 400.0, 1e6}) {
    const auto parts = laplace_releases(end, 1);
    for (const double delta : {1e-2, 1e-5, 1e-12}) {
      const double exact = end + 2 * std::log1p(-delta);
      const auto bracket = pld::epsilon_bracket(parts, delta);
      EXPECT_LE(bracket.lower, std::max(exact, 0.0)) << end << " " << delta;
      EXPECT_GE(bracket.upper, exact) << end << " " << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-6 * bracket.upper) << end << " " << delta;
    }
  }
}

TEST(Pld, BracketsTwoLaplaceReleases) {
  for (const double end : {0.05, 1.0, 10.0, 33.3}) {
    const auto parts = laplace_releases(end, 2);
    for (const double share : {0.1, 0.5, 0.9, 0.99, 0.9999}) {
      const double epsilon = 2 * end * share;
      const double exact = two_laplace_delta(end, epsilon);
      const auto bracket = pld::delta_bracket(parts, epsilon);
      EXPECT_LE(bracket.lower, exact * (1 + 1e-8)) << end << " " << share;
      EXPECT_GE(bracket.upper, exact * (1 - 1e-8)) << end << " " << share;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << end << " " << share;
    }
    for (const double delta : {1e-2, 1e-5, 1e-9}) {
      const auto bracket = pld::epsilon_bracket(parts, delta);
      EXPECT_GT(bracket.lower, 0) << end << " " << delta;
      EXPECT_GE(two_laplace_delta(end, bracket.lower), delta * (1 - 1e-6)) << end << " " << delta;
      EXPECT_LE(two_laplace_delta(end, bracket.upper), delta * (1 + 1e-6)) << end << " " << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << end << " " << delta;
    }
  }
}

TEST(Pld, LowerGridStaysBelowTheProfileOfItsPair) {
  // Losses far from 0, where 1 - e^-loss rounds to 1, must not raise the merged ratios.
  for (const double end : {0.01, 1.0, 33.3, 700.0}) {
    for (const bool sampled : {false, true}) {
      auto pair = pairs::laplace(1 / end);
      if (sampled) pair = pairs::poisson(std::move(pair), 0.2, pairs::Order::remove);
      const auto moments = pld::loss_moments(*pair, -40);
      const auto cells = pld::make_cells(*pair, moments.spread / 7, -60, {moments, true, 0});
      const auto lower = pld::lower_grid(cells);
      const auto upper = pld::upper_grid(cells);
      for (int i = 1; i < 20; ++i) {
        const double epsilon = pair->lowest() + i * 0.05 * (pair->highest() - pair->lowest());
        const auto m = pair->interval(epsilon, HUGE_VAL);
        const double exact = -m.p * std::expm1(epsilon - m.log_ratio);
        const auto delta = [&](const pld::LossGrid& grid) {
          double sum = grid.infinite;
          for (std::size_t j = 0; j < grid.mass.size(); ++j) {
            const double loss = grid.offset + static_cast<double>(grid.index[j]) * grid.step;
            if (loss > epsilon) sum -= grid.mass[j] * std::expm1(epsilon - loss);
          }
          return sum;
        };
        EXPECT_LE(delta(lower), exact * (1 + 1e-10)) << end << " " << sampled << " " << i;
        EXPECT_GE(delta(upper), exact * (1 - 1e-10)) << end << " " << sampled << " " << i;
      }
    }
  }
}

// Every input has an answer: an interval in order, never a crash and never an interval of ends that
// contradict each other.
void check_extremes(std::initializer_list<double> noises, std::initializer_list<double> rates) {
  for (const double noise : noises) {
    for (const double rate : rates) {
      for (const std::int64_t steps : {1, 10, 100000}) {
        for (const double delta : {1e-2, 1e-12}) {
          for (const Event& base : {Event(Gaussian{noise}), Event(Laplace{noise})}) {
            const Event event = Repeated{steps, PoissonSampled{rate, base}};
            const auto interval = epsilon_interval(event, add_remove, Delta(delta));
            EXPECT_LE(interval.lower, interval.upper) << event_to_json(event);
            EXPECT_FALSE(std::isnan(interval.upper)) << event_to_json(event);
            if (interval.upper > 0 && interval.lower_is_attained) {
              EXPECT_GT(interval.lower, 0) << event_to_json(event);
            }
          }
        }
      }
    }
  }
}

TEST(Accountant, ExtremeNoisesAndRatesHaveAnAnswer) { check_extremes({1e-6, 3e-2, 1e5}, {0.3}); }
TEST(AccountantLong, ExtremeNoisesAndRatesHaveAnAnswer) {
  check_extremes({1e-9, 1e-4, 0.1, 0.5, 2, 1e3, 1e9}, {1e-9, 1e-4, 0.99, 1});
}

}  // namespace
}  // namespace tacet::privacy
