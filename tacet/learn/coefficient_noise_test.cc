#include "tacet/learn/coefficient_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

// Momentum descent on a quadratic with noise, by simulation.
struct Quadratic {
  std::vector<std::vector<double>> hessian;
  std::vector<double> minimum;
};

struct Run {
  std::vector<double> mean;
  std::vector<double> deviations;
};

Run descend(const Quadratic& problem, const DescentLaw& law, double noise, std::uint64_t seed) {
  const std::size_t d = problem.minimum.size();
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  std::vector<double> w(d, 0);
  std::vector<double> v(d, 0);
  std::vector<double> mean(d, 0);
  IterateTrace trace(static_cast<std::int64_t>(d), law);
  for (std::int64_t t = 0; t < law.steps; ++t) {
    std::vector<double> gradient(d, 0);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) {
        gradient[j] += problem.hessian[j][k] * (w[k] - problem.minimum[k]);
      }
      gradient[j] += noise * normal(bits);
    }
    const auto before = w;
    for (std::size_t j = 0; j < d; ++j) {
      v[j] = law.momentum * v[j] - law.step_size * gradient[j];
      w[j] += v[j];
      if (t >= law.steps - law.averaged) mean[j] += w[j] / static_cast<double>(law.averaged);
    }
    trace.record(before, gradient, w);
  }
  return {mean, trace.deviations()};
}

// The Hessian of 0/1 features of very different frequency, rows clipped to norm 1: what one-hot
// tables look like.
Quadratic one_hot_problem(std::size_t d, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> frequency(d, 1.0);
  for (std::size_t j = 0; j + 1 < d; ++j) frequency[j] = 0.5 * std::exp(-6 * uniform(bits));
  Quadratic problem{std::vector<std::vector<double>>(d, std::vector<double>(d, 0)), {}};
  constexpr int rows = 1000;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> x(d);
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      x[j] = uniform(bits) < frequency[j] ? 1 : 0;
      square += x[j];
    }
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) {
        problem.hessian[j][k] += 0.2 * x[j] * x[k] / std::max(1.0, square) / rows;
      }
    }
  }
  std::normal_distribution<double> normal;
  for (std::size_t j = 0; j < d; ++j) problem.minimum.push_back(3 * normal(bits));
  return problem;
}

constexpr double noise = 1e-3;
constexpr DescentLaw law{.steps = 200,
                         .averaged = 100,
                         .step_size = 4,
                         .momentum = 0.9,
                         .noise_deviation = noise,
                         .curvature = 0.25};

double coverage(std::size_t d, int problems, const DescentLaw& descent) {
  int covered = 0;
  int total = 0;
  for (int p = 0; p < problems; ++p) {
    const auto problem = one_hot_problem(d, static_cast<std::uint64_t>(p));
    const auto exact = descend(problem, descent, 0, 1).mean;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto run = descend(problem, descent, noise, seed + 5 * static_cast<std::uint64_t>(p));
      for (std::size_t j = 0; j < d; ++j) {
        covered += std::fabs(run.mean[j] - exact[j]) < 1.96 * run.deviations[j] ? 1 : 0;
        ++total;
      }
    }
  }
  return static_cast<double>(covered) / total;
}

// Intervals of 1.96 deviations hold the noise-free coefficient about 95 times in 100: in few
// columns, in as many as the regression takes, and by the spread beyond that.
TEST(CoefficientNoise, IntervalsCoverTheNoiseFreeCoefficient) {
  for (const std::size_t d : {2u, 3u, 8u, 30u, 90u}) {
    const double share = coverage(d, 4 + 400 / static_cast<int>(d), law);
    EXPECT_GE(share, 0.90) << d;
    EXPECT_LE(share, 0.997) << d;
  }
  const double by_spread = coverage(120, 3, law);
  EXPECT_GE(by_spread, 0.90);
  EXPECT_LE(by_spread, 0.997);
}

// A planted fault, noise twice as large as the law says, must show.
TEST(CoefficientNoise, CoverageFallsWhenTheNoiseIsUnderstated) {
  DescentLaw wrong = law;
  wrong.noise_deviation = noise / 2;
  EXPECT_LE(coverage(8, 8, wrong), 0.88);
}

TEST(CoefficientNoise, ResponseEqualsSimulationInOneDirection) {
  for (const double h : {0.0, 1e-3, 0.05, 0.25}) {
    const auto response = noise_response(law, h);
    double square = 0;
    constexpr int runs = 1000;
    const Quadratic problem{{{h}}, {0}};
    for (int i = 0; i < runs; ++i) {
      const auto mean = descend(problem, law, noise, static_cast<std::uint64_t>(i)).mean[0];
      square += mean * mean / noise / noise / runs;
    }
    // The mean of 1,000 squared normals: 6.2 standard errors (false alarm 1e-9).
    EXPECT_NEAR(square / response.average_variance, 1, 6.2 * std::sqrt(2.0 / runs)) << h;
  }
}

TEST(CoefficientNoise, LessCurvatureMeansMoreNoise) {
  NoiseResponse last{1e300, 1e300};
  for (double h = 0; h <= 0.25; h = h * 1.5 + 1e-6) {
    const auto response = noise_response(law, h);
    EXPECT_LE(response.average_variance, last.average_variance * (1 + 1e-9));
    EXPECT_LE(response.spread, last.spread * (1 + 1e-3));
    last = response;
  }
}

TEST(CoefficientNoise, RefusesAnIncompleteTrace) {
  const IterateTrace trace(2, law);
  EXPECT_THROW((void)trace.deviations(), base::InternalError);
}

}  // namespace
}  // namespace tacet::learn
