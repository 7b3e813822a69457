#include "tacet/local/round_noise.h"

#include <gtest/gtest.h>

#include <array>
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

// Ldp.md 3: range and cost that follow from the noise that devices really add.
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
    const auto found = settle_certificate(
        randomizer(LocalMechanism::l2_laplace, row.d, row.epsilon).noise(), row.batch, {});
    EXPECT_EQ(found.kind, CertificateKind::known_noise);
    EXPECT_NEAR(found.range, row.a, 1e-6 * row.a) << row.d;
    EXPECT_NEAR(found.constant, row.c, 1e-6 * row.c) << row.d;
  }
}

TEST(RoundNoise, CertificatesGoWithTheirMechanisms) {
  for (const auto& name : mechanism::local_mechanism_names.all) {
    const auto noise = randomizer(name.value, 5, 2).noise();
    const auto usual = settle_certificate(noise, 4, {});
    EXPECT_EQ(usual.kind, noise.norm ? CertificateKind::bounded : CertificateKind::known_noise)
        << name.text;
    EXPECT_GT(settle_certificate(noise, 4, CertificateKind::known_noise).constant, 0.5);
    if (noise.norm) {
      EXPECT_EQ(usual.range, 0.5 / *noise.norm);
    } else {
      EXPECT_THROW((void)settle_certificate(noise, 4, CertificateKind::bounded), base::UsageError);
    }
    if (noise.symmetric) {
      EXPECT_EQ(settle_certificate(noise, 4, CertificateKind::symmetric).range, 0.1);
    } else {
      EXPECT_THROW((void)settle_certificate(noise, 4, CertificateKind::symmetric),
                   base::UsageError);
    }
  }
}

// Ldp.md 9, test 12.
TEST(RoundNoise, EqualEpsilonsCostWhatOneDoes) {
  const auto noise = randomizer(LocalMechanism::l2_laplace, 10, 1).noise();
  const auto alone = settle_certificate(noise, 4, {});
  const std::array same{noise, noise, noise, noise};
  EXPECT_NEAR(mixed_noise_cost(same, alone.range), alone.constant, 1e-14 * alone.constant);
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

// Ldp.md 9, test 13: the mean of b equal reports is one report, with the constants of b.
TEST(RoundNoise, EqualReportsOfABatchAreOneReport) {
  const auto noise = randomizer(LocalMechanism::gaussian, 2, 1).noise();
  const BancoSettings settings{.dimension = 2, .certificate = settle_certificate(noise, 4, {})};
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

}  // namespace round_noise_test
}  // namespace tacet::local
