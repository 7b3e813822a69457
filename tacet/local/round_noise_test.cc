#include "tacet/local/round_noise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/banco.h"

namespace tacet::local {
namespace round_noise_test {

using mechanism::Embedding;
using mechanism::LocalMechanism;
using mechanism::LocalRandomizer;
using mechanism::LocalSpec;

LocalRandomizer randomizer(LocalMechanism mechanism, std::int64_t dimension, double epsilon) {
  return LocalRandomizer::calibrate({.mechanism = mechanism,
                                     .epsilon = epsilon,
                                     .delta = mechanism == LocalMechanism::gaussian ? 1e-6 : 0,
                                     .dimension = dimension,
                                     .clipping_norm = 1,
                                     .embedding = Embedding::sign});
}

// Reference values: range and cost that follow from the noise that devices really add.
TEST(RoundNoise, KnownNoiseOfLaplaceReports) {
  struct Row {
    std::int64_t d;
    double epsilon;
    std::int64_t batch;
    double a, c;
  };
  for (const auto& row :
       {Row{1, 1, 1, 0.111111111111, 4.64256824649}, Row{10, 1, 1, 0.0222222222222, 22.5292901515},
        Row{10, 4, 1, 0.266666666667, 1.99892271676},
        Row{100, 1, 64, 0.136752136752, 3.70711569017},
        Row{1000, 8, 1, 0.015732546706, 31.7867988058}}) {
    const auto found = resolve_certificate(
        randomizer(LocalMechanism::l2_laplace, row.d, row.epsilon).noise(), row.batch, {});
    EXPECT_EQ(found.kind, CertificateKind::known_noise);
    EXPECT_NEAR(found.range, row.a, 1e-6 * row.a) << row.d;
    EXPECT_NEAR(found.constant, row.c, 1e-6 * row.c) << row.d;
  }
}

// Reference values: the range G / (v + G^2) of directions, at most max_bet / G.
TEST(RoundNoise, KnownNoiseOfDirectionsHasItsRange) {
  struct Row {
    LocalMechanism mechanism;
    std::int64_t d;
    double epsilon;
    double a;
  };
  for (const auto& row : {Row{LocalMechanism::privunit, 10, 1, 0.143404877},
                          Row{LocalMechanism::privunit, 100, 1, 0.1371086698},
                          Row{LocalMechanism::privunit, 100, 4, 0.6838026},
                          Row{LocalMechanism::privunit, 1000, 2, 0.382354624},
                          Row{LocalMechanism::privunitg, 1, 0.5, 0.03819731208},
                          Row{LocalMechanism::privunitg, 1, 1, 0.1364248736},
                          Row{LocalMechanism::privunitg, 1, 2, 0.382163502},
                          Row{LocalMechanism::privunitg, 1, 4, 0.6838026238}}) {
    const auto noise = randomizer(row.mechanism, row.d, row.epsilon).noise();
    const auto found = resolve_certificate(noise, 1, CertificateKind::known_noise);
    EXPECT_NEAR(found.range / row.a, 1, 2e-5) << row.d << ' ' << row.epsilon;
  }
}

TEST(RoundNoise, CertificatesGoWithTheirMechanisms) {
  for (const auto& name : mechanism::local_mechanism_names.all) {
    const auto noise = randomizer(name.value, 5, 2).noise();
    const auto usual = resolve_certificate(noise, 4, {});
    EXPECT_EQ(usual.kind, noise.norm ? CertificateKind::bounded : CertificateKind::known_noise)
        << name.text;
    EXPECT_GT(resolve_certificate(noise, 4, CertificateKind::known_noise).constant, 0.5);
    if (noise.norm) {
      EXPECT_EQ(usual.range, 0.5 / *noise.norm);
    } else {
      EXPECT_THROW((void)resolve_certificate(noise, 4, CertificateKind::bounded), base::UsageError);
    }
    if (noise.symmetric) {
      EXPECT_EQ(resolve_certificate(noise, 4, CertificateKind::symmetric).range, 0.1);
    } else {
      EXPECT_THROW((void)resolve_certificate(noise, 4, CertificateKind::symmetric),
                   base::UsageError);
    }
  }
}

/// E exp(x w) of a coordinate w of the unit sphere in n dimensions: 0F1(; n/2; x^2 / 4).
double sphere_moment(double x, double n) {
  double term = 1;
  double sum = 1;
  for (int k = 0; term > 1e-17 * sum; ++k) {
    term *= x * x / 4 / ((k + 1) * (n / 2 + k));
    sum += term;
  }
  return sum;
}

/// The law of a report's cosine with its direction, by quadrature: PrivUnit as it is defined, with
/// two densities, and none of the noise model's own integrals.
struct CosineLaw {
  explicit CosineLaw(const mechanism::NoiseModel& noise) {
    const auto d = static_cast<double>(noise.dimension);
    const double threshold = std::acos(noise.threshold);
    // Beyond 9 standard deviations nothing is left.
    const double reach = std::min(std::numbers::pi / 2, 9 / std::sqrt(d));
    const double middle = std::numbers::pi / 2;
    add(std::min(std::max(middle - reach, 0.0), threshold), threshold, noise.inside, d);
    add(threshold, middle + reach, 1 - noise.inside, d);
  }
  void add(double from, double to, double probability, double d) {
    constexpr int pieces = 300;  // Simpson's rule
    const std::size_t first = weight.size();
    double sum = 0;
    for (int i = 0; i <= pieces; ++i) {
      const double angle = from + (to - from) * i / pieces;
      const int factor = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
      cosine.push_back(std::cos(angle));
      weight.push_back(factor * std::pow(std::sin(angle), d - 2));
      sum += weight.back();
    }
    for (std::size_t i = first; i < weight.size(); ++i) weight[i] *= probability / sum;
  }
  std::vector<double> cosine;
  std::vector<double> weight;
};

/// Whether E exp(beta s - beta^2 cost) <= 1 + beta E s for 101 beta up to the range and 21 cosines
/// of the gradient, of full norm, with the direction that is bet on.
bool certified(const mechanism::NoiseModel& noise, double range, double cost) {
  const CosineLaw law(noise);
  const auto others = static_cast<double>(noise.dimension - 1);
  for (int i = -50; i <= 50; ++i) {
    const double x = range * i / 50 * noise.amplitude;
    for (int j = -10; j <= 10; ++j) {
      const double c = j / 10.0;
      double moment = 0;
      for (std::size_t k = 0; k < law.cosine.size(); ++k) {
        const double t = law.cosine[k];
        moment += law.weight[k] * std::exp(x * c * t) *
                  sphere_moment(x * std::sqrt((1 - c * c) * (1 - t * t)), others);
      }
      const double beta = range * i / 50;
      if (moment * std::exp(-beta * beta * cost) > (1 + beta * c) * (1 + 1e-9)) return false;
    }
  }
  return true;
}

// Certificate K of PrivUnit, whose proxy is a largest value on a grid. With the
// variance in its place (which is what E4 and certificate K of additive noise at small ranges would
// make one think) the bets are not safe.
TEST(RoundNoise, KnownNoiseOfPrivunitHoldsOnAGrid) {
  struct Row {
    std::int64_t d;
    double epsilon;
  };
  for (const auto& [d, epsilon] : {Row{3, 1}, Row{10, 1}, Row{10, 4}, Row{100, 1}, Row{100, 4}}) {
    SCOPED_TRACE(testing::Message() << d << " " << epsilon);
    const auto noise = randomizer(LocalMechanism::privunit, d, epsilon).noise();
    const CosineLaw law(noise);
    double mean = 0;
    for (std::size_t k = 0; k < law.cosine.size(); ++k) mean += law.weight[k] * law.cosine[k];
    EXPECT_NEAR(noise.amplitude * mean, 1, 1e-4);  // the quadrature has the law of the reports
    const auto found = resolve_certificate(noise, 1, CertificateKind::known_noise);
    EXPECT_TRUE(certified(noise, found.range, found.constant));
    EXPECT_FALSE(certified(noise, found.range, noise.variance / 2 + kappa(found.range)));
  }
}

TEST(RoundNoise, EqualEpsilonsCostWhatOneDoes) {
  const auto noise = randomizer(LocalMechanism::l2_laplace, 10, 1).noise();
  const auto alone = resolve_certificate(noise, 4, {});
  const std::array same{noise, noise, noise, noise};
  EXPECT_EQ(mixed_noise_cost(same, alone.range), alone.constant);
  const auto three = resolve_certificate(noise, 3, {});
  EXPECT_EQ(mixed_noise_cost(std::span(same).first(3), three.range), three.constant);
  // One device with more budget than the others: less noise, a smaller certificate, never below.
  std::array mixed = same;
  mixed[2] = randomizer(LocalMechanism::l2_laplace, 10, 4).noise();
  EXPECT_LT(mixed_noise_cost(mixed, alone.range), alone.constant);
  EXPECT_GT(mixed_noise_cost(mixed, alone.range), 0.7 * alone.constant);
}

TEST(RoundNoise, AReportBelowTheMinimumIsRefused) {
  const LocalSpec round{.dimension = 3};
  EXPECT_NO_THROW((void)randomizer_at(round, 1, 1));
  EXPECT_GT(*randomizer_at(round, 1, 1).noise().norm, *randomizer_at(round, 1, 2).noise().norm);
  EXPECT_THROW((void)randomizer_at(round, 1, 0.999), base::UsageError);
}

// The mean of b equal reports is one report, with the constants of b.
TEST(RoundNoise, EqualReportsOfABatchAreOneReport) {
  const auto noise = randomizer(LocalMechanism::gaussian, 2, 1).noise();
  const BancoSettings settings{.dimension = 2, .certificate = resolve_certificate(noise, 4, {})};
  Banco batches(settings);
  Banco singles(settings);
  for (const auto& report : {std::vector<double>{1, 2}, {-3, 0.5}, {0.25, 4}}) {
    std::vector<double> mean{0, 0};
    for (int i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 2; ++j) mean[j] += report[j];
    }
    for (double& value : mean) value /= 4;
    ASSERT_EQ(batches.observe({mean}), Observed::taken);
    ASSERT_EQ(singles.observe({report}), Observed::taken);
    EXPECT_EQ(batches.state().gain, singles.state().gain);
    EXPECT_EQ(batches.state().direction, singles.state().direction);
  }
}

TEST(RoundNoise, AReportsBoundIsWhatHonestDevicesKeep) {
  for (const auto mechanism :
       {LocalMechanism::privunit, LocalMechanism::privunitg, LocalMechanism::djw,
        LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace, LocalMechanism::gaussian}) {
    for (const std::int64_t dimension : {1, 10, 100}) {
      const auto noise = randomizer(mechanism, dimension, 1).noise();
      EXPECT_GT(noise.max_norm, 0);
      EXPECT_TRUE(std::isfinite(noise.max_norm));
      const double one = report_bound(noise, 1);
      EXPECT_GE(one, noise.max_norm);
      EXPECT_LE(one, noise.max_norm * (1 + 1e-9));
      double before = one;
      for (std::int64_t batch = 2; batch <= std::int64_t{1} << 40; batch *= 4) {
        const double bound = report_bound(noise, batch);
        EXPECT_LE(bound, before);
        EXPECT_GT(bound, noise.clipping_norm);
        before = bound;
      }
      EXPECT_LT(before, 1.1 * noise.clipping_norm);  // in the end the noise is averaged out
    }
  }
}

/// Means of directions, which are as long as they get: far below the bound, which lies far below
/// what each of them may be.
TEST(RoundNoise, MeansOfHonestReportsKeepTheBound) {
  const auto noise = randomizer(LocalMechanism::privunit, 20, 1).noise();
  constexpr std::int64_t batch = 400;
  const double bound = report_bound(noise, batch);
  EXPECT_LT(bound, 0.6 * noise.max_norm);
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> mean(20);
    for (std::int64_t i = 0; i < batch; ++i) {
      std::vector<double> report(20);
      double square = 0;
      for (double& x : report) {
        x = normal(engine);
        square += x * x;
      }
      for (std::size_t j = 0; j < 20; ++j) {
        mean[j] += *noise.norm * report[j] / std::sqrt(square) / batch;
      }
    }
    mean[0] += noise.clipping_norm;
    double square = 0;
    for (const double x : mean) square += x * x;
    EXPECT_LT(std::sqrt(square), bound);
  }
}

}  // namespace round_noise_test
}  // namespace tacet::local
