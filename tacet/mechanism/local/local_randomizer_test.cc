#include "tacet/mechanism/local/local_randomizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {
namespace local_randomizer_test {

TEST(LocalRandomizer, SettlesWhatTheSpecLeavesOpen) {
  const auto small = LocalRandomizer::calibrate({.epsilon = 1, .dimension = 3});
  EXPECT_EQ(small.spec().embedding, Embedding::sign);
  EXPECT_EQ(small.report_coordinates(), 3);
  EXPECT_EQ(small.report_bytes(), 32);
  const auto usual = LocalRandomizer::calibrate({.epsilon = 4, .dimension = 100});
  EXPECT_EQ(usual.spec().embedding, Embedding::lift);
  EXPECT_EQ(usual.report_coordinates(), 101);
  EXPECT_EQ(usual.report_bytes(), 424);
  EXPECT_EQ(usual.norm_bits(), 30);
  EXPECT_TRUE(usual.pure());
  EXPECT_EQ(usual.event(), privacy::Event(privacy::PureDp{4, privacy::Adjacency::replace_one}));
  EXPECT_NEAR(usual.expected_candidates(), 15.3, 0.1);
  EXPECT_EQ(usual.claim_words(), 64 + 101 * usual.cap()->max_candidates);
  const auto noisy = LocalRandomizer::calibrate(
      {.mechanism = LocalMechanism::l2_laplace, .epsilon = 1, .dimension = 50});
  EXPECT_EQ(noisy.report_coordinates(), 50);
  EXPECT_EQ(noisy.claim_words(), 16 * 50);
  EXPECT_EQ(noisy.expected_candidates(), 1);
  EXPECT_EQ(noisy.norm_bits(), 20);
  // theta = 2 G / epsilon, on the grid, rounded up.
  EXPECT_EQ(noisy.grid_scale(), 0x1p21);
  // Wide noise leaves a coarser grid: 32 bits hold it.
  const auto wide = LocalRandomizer::calibrate(
      {.mechanism = LocalMechanism::l2_laplace, .epsilon = 0.5, .dimension = 10000});
  EXPECT_LT(wide.norm_bits(), 20);
  EXPECT_GE(wide.norm_bits(), 14);
}

TEST(LocalRandomizer, TheNormIsOnTheClippersGrid) {
  // Rounded down to 24 bits, as optimize::checked_clipping_norm does.
  const auto randomizer = LocalRandomizer::calibrate({.dimension = 5, .clipping_norm = 0.3});
  EXPECT_LE(randomizer.spec().clipping_norm, 0.3);
  EXPECT_EQ(randomizer.spec().clipping_norm, std::floor(0.3 * 0x1p25) * 0x1p-25);
}

TEST(LocalRandomizer, GaussianNoiseIsTheLeastThatTheAccountantAllows) {
  // Reference values of s for G = 1 (Balle, Wang 2018): enough, and 1e-6 less is not.
  struct Row {
    double epsilon;
    double delta;
    double s;
  };
  for (const auto& [epsilon, delta, s] :
       {Row{0.5, 1e-6, 16.1152369614501}, Row{0.5, 1e-9, 21.3477936301601},
        Row{1, 1e-6, 8.44935777865367}, Row{1, 1e-9, 10.9905323144766},
        Row{4, 1e-6, 2.38703717431597}, Row{4, 1e-9, 2.97560735420693}}) {
    const auto randomizer = LocalRandomizer::calibrate({.mechanism = LocalMechanism::gaussian,
                                                        .epsilon = epsilon,
                                                        .delta = delta,
                                                        .dimension = 3});
    EXPECT_FALSE(randomizer.pure());
    const double multiplier = randomizer.event().as<privacy::Gaussian>()->noise_multiplier;
    EXPECT_NEAR(multiplier / s, 1, 1e-10);
    const auto spent = [&](double noise) {
      return accounting::epsilon_interval(privacy::Gaussian{noise}, privacy::Adjacency::replace_one,
                                          privacy::Delta(delta));
    };
    EXPECT_LE(spent(multiplier).upper, epsilon * (1 + 1e-9));
    EXPECT_GT(spent(multiplier * (1 - 1e-6)).lower, epsilon);
  }
}

TEST(LocalRandomizer, AdditiveNoiseIsNeverShortOfItsScale) {
  // Two densities are e^(D / b) apart at most, D = 2 G or 2 G sqrt(d) in
  // grid units; b epsilon >= D, and no more than rounding above it.
  for (const double epsilon : {0.1, 0.3, 1.0, 7.7, 100.0}) {
    for (const std::int64_t d : {1, 2, 7, 100}) {
      const auto scale = [&](LocalMechanism mechanism) {
        const auto randomizer = LocalRandomizer::calibrate(
            {.mechanism = mechanism, .epsilon = epsilon, .dimension = d, .clipping_norm = 0.7});
        const long double b = randomizer.grid_scale();
        return b * epsilon / std::ldexp(2.0L, randomizer.norm_bits());
      };
      const long double joint = scale(LocalMechanism::l2_laplace);
      EXPECT_GE(joint, 1);
      EXPECT_LE(joint, 1 + 1e-15L);
      const long double single = scale(LocalMechanism::coordinate_laplace);
      EXPECT_GE(single * single, d);
      EXPECT_LE(single * single, static_cast<long double>(d) * (1 + 3e-15L));
    }
  }
}

TEST(LocalRandomizer, L2LaplaceDensitiesOfTwoGradientsAreEpsilonApart) {
  // ln p(z | g) - ln p(z | g') = (|z - g'| - |z - g|) / b for 10^5
  // triples, and epsilon itself for opposite gradients, seen from beyond one of them.
  constexpr std::int64_t d = 3;
  const auto randomizer = LocalRandomizer::calibrate({.mechanism = LocalMechanism::l2_laplace,
                                                      .epsilon = 1.3,
                                                      .dimension = d,
                                                      .clipping_norm = 0.7});
  const long double bound = std::ldexp(1.0L, randomizer.norm_bits());
  using Vector = std::array<long double, d>;
  const auto distance = [](const Vector& x, const Vector& y) {
    long double square = 0;
    for (std::size_t j = 0; j < d; ++j) square += (x[j] - y[j]) * (x[j] - y[j]);
    return std::sqrt(square);
  };
  const auto loss = [&](const Vector& z, const Vector& g, const Vector& other) {
    return (distance(z, other) - distance(z, g)) / randomizer.grid_scale();
  };
  std::mt19937_64 bits(8);
  std::normal_distribution<long double> normal;
  const auto vector = [&](long double most, bool full) {
    Vector x{normal(bits), normal(bits), normal(bits)};
    const long double share = full ? 1 : static_cast<long double>(bits() % 1000) / 1000;
    const long double factor = most * share / distance(x, {});
    for (auto& value : x) value *= factor;
    return x;
  };
  long double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto g = vector(bound, i % 2 == 0);
    const auto other = vector(bound, i % 3 == 0);
    worst = std::max(worst, std::fabs(loss(vector(20 * bound, false), g, other)));
  }
  EXPECT_LE(worst, 1.3L);
  EXPECT_GT(worst, 1.2L);
  const Vector g{bound, 0, 0};
  EXPECT_NEAR(static_cast<double>(loss({3 * bound, 0, 0}, g, {-bound, 0, 0})), 1.3, 1e-12);
}

void expect_refused(const LocalSpec& spec, const std::string& word) {
  try {
    static_cast<void>(LocalRandomizer::calibrate(spec));
    ADD_FAILURE() << "not refused: " << word;
  } catch (const base::Error& error) {
    EXPECT_TRUE(error.kind() == base::ErrorKind::usage ||
                error.kind() == base::ErrorKind::guarantee);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(LocalRandomizer, RefusesWhatMakesNoSense) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double epsilon : {0.0, -1.0, infinity, std::nan(""), 300.0}) {
    expect_refused({.epsilon = epsilon, .dimension = 5}, "epsilon");
  }
  expect_refused({.dimension = 0}, "coordinates");
  expect_refused({.dimension = 1000001}, "coordinates");
  expect_refused({.dimension = 5, .clipping_norm = 0}, "clipping norm");
  expect_refused({.dimension = 5, .clipping_norm = infinity}, "clipping norm");
  expect_refused({.delta = 1e-6, .dimension = 5}, "delta");
  expect_refused({.mechanism = LocalMechanism::l2_laplace, .delta = 1e-6, .dimension = 5}, "delta");
  expect_refused({.mechanism = LocalMechanism::gaussian, .dimension = 5}, "delta");
  expect_refused({.epsilon = 30, .dimension = 100}, "candidates");
  expect_refused({.epsilon = 2e-9, .dimension = 100}, "coarse");
  expect_refused({.epsilon = 1e-12, .embedding = Embedding::sign}, "epsilon");
  expect_refused({.mechanism = LocalMechanism::l2_laplace, .epsilon = 1e-3, .dimension = 1000000},
                 "32 bits");
}

}  // namespace local_randomizer_test
}  // namespace tacet::mechanism
