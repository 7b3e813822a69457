#include "tacet/learn/ridge/gram_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/accounting/routes/gaussian.h"

namespace tacet::learn {
namespace gram_spectrum_test {

// Four records on the circle with labels 1, -1, 1, -1: the Gram matrix is 2 I, the products with
// the labels are (.4, -.8); noise as given. Reference values of three places, computed in doubles.
GramSpectrum four_records() {
  return gram_spectrum({2.3, 2.2, -.1, .45, -.82}, {.columns = 2, .outputs = 1});
}

TEST(GramSpectrum, PublishedShrinkageAgreesWithTheReferenceTable) {
  const auto spectrum = four_records();
  EXPECT_NEAR(spectrum.eigenvalues[0], 2.13819660112501, 1e-13);
  const double bound = spectral_noise_bound(1.5, 2, .05);
  EXPECT_NEAR(bound, 7.07430454722, 1e-10);
  const double penalty = wang2018_penalty(spectrum.eigenvalues[0], bound);
  EXPECT_EQ(penalty, bound);
  const auto found =
      ridge_coefficients(spectrum, penalised_gains(spectrum, penalty, bound), {1.5, 1.5});
  EXPECT_NEAR(found.values[0], .0470657970486, 1e-12);
  EXPECT_NEAR(found.values[1], -.0879088470886, 1e-12);
}

TEST(GramSpectrum, LessIsAddedWhereTheMatrixIsLargeAlready) {
  EXPECT_EQ(wang2018_penalty(-3, 5), 5);
  EXPECT_EQ(wang2018_penalty(7, 5), 3);
  EXPECT_EQ(wang2018_penalty(20, 5), 0);
}

// Noise beyond its bound: the inverse must not blow up, nor change a direction's sign.
TEST(GramSpectrum, AMatrixThatIsNotPositiveIsFloored) {
  const auto spectrum = gram_spectrum({-9, 4, 0, 1, 1}, {.columns = 2, .outputs = 1});
  const auto gains = penalised_gains(spectrum, 5, 5);
  EXPECT_DOUBLE_EQ(gains[0], 2);
  EXPECT_DOUBLE_EQ(gains[1], 1.0 / 9);
}

// The printed noise and lambda, and what they really cost: a piece is not (epsilon / 3, delta /
// 3)-DP as is claimed, the whole costs next to nothing of its budget.
TEST(Wang2018, PiecesMissTheirClaimAndTheWholeIsFarBelowIt) {
  const auto published = wang2018::published(2, 1, 1e-6);
  EXPECT_NEAR(published.penalty, 37.7594087222, 1e-9);
  EXPECT_NEAR(wang2018::published(2, 1, 1e-6, 7).penalty, 30.7594087222, 1e-9);
  EXPECT_EQ(wang2018::published(2, 1, 1e-6, 100).penalty, 0);
  const double piece = accounting::gaussian::delta(1 / published.noise, 1.0 / 3);
  EXPECT_NEAR(piece / 8.848e-7, 1, 1e-3);
  EXPECT_GT(piece, 2 * 1e-6 / 3);
  EXPECT_NEAR(accounting::gaussian::delta(std::sqrt(3) / published.noise, 1) / 1.312e-13, 1, 1e-3);
  const auto loud = wang2018::published(2, 30, 1e-6);
  EXPECT_NEAR(accounting::gaussian::delta(std::sqrt(3) / loud.noise, 30) / 7.8e-7, 1, 1e-2);
}

GramSpectrum diagonal(const std::vector<double>& squares, const std::vector<double>& products) {
  const auto d = static_cast<std::int64_t>(squares.size());
  const optimize::GramShape shape{d, 1};
  std::vector<double> released(shape.values(), 0);
  for (std::int64_t j = 0; j < d; ++j) {
    released[shape.place(j, j)] = squares[static_cast<std::size_t>(j)];
    released[shape.label_place(j, 0)] = products[static_cast<std::size_t>(j)];
  }
  return gram_spectrum(released, shape);
}

TEST(LikeliestGains, NothingIsShrunkWhereTheNoiseIsSmall) {
  const auto spectrum = diagonal({1e5, 2e5, 4e5}, {1e5, -1e5, 2e5});
  const auto gains = likeliest_gains(spectrum, {1, 1});
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(gains[i] * spectrum.eigenvalues[i], 1, 1e-4);
}

TEST(LikeliestGains, WhatIsBelowTheNoiseIsShrunkAway) {
  const auto spectrum = diagonal({1e5, 30, -50}, {5e4, 100, -100});
  const auto gains = likeliest_gains(spectrum, {100, 100});
  EXPECT_EQ(gains[0], 0);  // a negative eigenvalue
  EXPECT_LT(gains[1] * 30, .2);
  EXPECT_NEAR(gains[2] * 1e5, 1, .01);
  // Products of nothing but noise: the coefficients are all but 0.
  const auto silent = diagonal({500, 400, 300}, {80, -120, 60});
  const auto shrunk = likeliest_gains(silent, {100, 100});
  for (int i = 0; i < 3; ++i) EXPECT_LT(shrunk[i] * silent.eigenvalues[i], .01);
}

// The prior that is found explains the products best, among priors that were tried by hand.
TEST(LikeliestGains, AreThoseOfTheLikeliestPrior) {
  std::mt19937_64 bits(4);
  std::normal_distribution<double> normal;
  const std::vector<double> squares{900, 500, 200, 90, 40};
  std::vector<double> products;
  for (const double w : squares) products.push_back(w * .7 * normal(bits) + 30 * normal(bits));
  const auto spectrum = diagonal(squares, products);
  const auto gains = likeliest_gains(spectrum, {20, 25});
  const auto value = [&](double prior, bool gain, int i) {
    const double w = spectrum.eigenvalues[i];
    const double s = w * w * prior + 625 + 400 * 5 * prior / 2 + .3 * w;
    const double c = spectrum.products(i, 0);
    return gain ? w * prior / s : -(std::log(s) + c * c / s) / 2;
  };
  double best = -1e300;
  double prior = 0;
  for (double t = 1e-3; t < 1e3; t *= 1.001) {
    double sum = 0;
    for (int i = 0; i < 5; ++i) sum += value(t, false, i);
    if (sum > best) {
      best = sum;
      prior = t;
    }
  }
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(gains[i] / value(prior, true, i), 1, .05);
}

// The stated standard deviation of each coefficient against noise drawn many times.
TEST(RidgeCoefficients, StandardDeviationsAreThoseOfTheNoise) {
  constexpr std::int64_t d = 3;
  const optimize::GramShape shape{d, 1};
  const ReleasedNoise noise{20, 15};
  std::vector<double> truth(shape.values(), 0);
  const std::vector<double> gram{2000, 300, -200, 300, 1500, 100, -200, 100, 900};
  for (std::int64_t i = 0; i < d; ++i) {
    for (std::int64_t j = i; j < d; ++j) {
      truth[shape.place(i, j)] = gram[static_cast<std::size_t>(3 * i + j)];
    }
    truth[shape.label_place(i, 0)] = 700 - 500 * static_cast<double>(i);
  }
  const auto solve = [&](const std::vector<double>& released) {
    const auto spectrum = gram_spectrum(released, shape);
    return ridge_coefficients(spectrum, penalised_gains(spectrum, 10, 1), noise);
  };
  const auto exact = solve(truth);
  std::mt19937_64 bits(8);
  std::normal_distribution<double> normal;
  constexpr int draws = 20000;
  std::vector<double> squares(d, 0);
  for (int t = 0; t < draws; ++t) {
    auto released = truth;
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = i; j < d; ++j) {
        released[shape.place(i, j)] += normal(bits) * (i == j ? 20 : 20 / std::sqrt(2));
      }
      released[shape.label_place(i, 0)] += 15 * normal(bits);
    }
    const auto found = solve(released).values;
    for (std::size_t j = 0; j < d; ++j) squares[j] += std::pow(found[j] - exact.values[j], 2);
  }
  for (std::size_t j = 0; j < d; ++j) {
    EXPECT_NEAR(std::sqrt(squares[j] / draws) / exact.noise_stddevs[j], 1, .05);
  }
}

}  // namespace gram_spectrum_test
}  // namespace tacet::learn
