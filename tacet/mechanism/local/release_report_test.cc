#include "tacet/mechanism/local/release_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace release_report_test {

using privacy::Adjacency;

constexpr LocalMechanism all_mechanisms[] = {
    LocalMechanism::privunit,   LocalMechanism::privunitg,          LocalMechanism::djw,
    LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace, LocalMechanism::gaussian};

LocalRandomizer randomizer_of(LocalMechanism mechanism, std::int64_t d, double epsilon = 2,
                              Embedding embedding = Embedding::automatic) {
  return LocalRandomizer::calibrate({.mechanism = mechanism,
                                     .epsilon = epsilon,
                                     .delta = mechanism == LocalMechanism::gaussian ? 1e-6 : 0,
                                     .dimension = d,
                                     .embedding = embedding});
}

/// A gradient of `share` times the bound along the first axis.
privacy::PartialSum gradient_of(const LocalRandomizer& randomizer, double share,
                                std::int64_t record = 0) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(randomizer.spec().dimension), 0);
  values.front() = std::llround(std::ldexp(share, randomizer.norm_bits()));
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(
          privacy::Certifier::clipped(), std::move(values),
          std::ldexp(randomizer.spec().clipping_norm, -randomizer.norm_bits()),
          std::int64_t{1} << randomizer.norm_bits()),
      privacy::OneRecord{record});
}

privacy::Reservation reserve(privacy::TrustingBudget& budget, const privacy::Event& event) {
  return budget.reserve(event, {1, 0, Adjacency::replace_one});
}

TEST(ReleaseReport, EstimatesAreUnbiased) {
  // 5,000 reports each: the mean within 5 standard deviations (a correct program fails in one of
  // the 36 cells with a probability of 4e-5).
  constexpr int runs = 5000;
  for (const auto mechanism : all_mechanisms) {
    for (const auto embedding : {Embedding::sign, Embedding::lift}) {
      for (const double share : {0.0, 0.5, -1.0}) {
        const auto randomizer = randomizer_of(mechanism, 2, 2, embedding);
        random::SeededSource source(7);
        privacy::TrustingBudget budget(Adjacency::replace_one);
        auto permit = reserve(budget, DeviceReports::event(randomizer, 1));
        DeviceReports devices(randomizer, runs, 1, permit);
        std::vector<double> estimate(2);
        std::vector<double> sum(2);
        double square = 0;
        for (int i = 0; i < runs; ++i) {
          const auto report = devices.release(gradient_of(randomizer, share, i),
                                              {static_cast<std::uint64_t>(i), 0}, source);
          decode(report.value(), randomizer, estimate);
          for (std::size_t j = 0; j < 2; ++j) sum[j] += estimate[j];
          square += estimate[0] * estimate[0] + estimate[1] * estimate[1];
        }
        SCOPED_TRACE(testing::Message() << local_mechanism_names.of(mechanism) << " " << share);
        const double stddev = std::sqrt(randomizer.noise().second_moment(std::fabs(share)) / runs);
        EXPECT_NEAR(sum[0] / runs, share, 5 * stddev);
        EXPECT_NEAR(sum[1] / runs, 0, 5 * stddev);
        EXPECT_NEAR(square / runs / randomizer.noise().second_moment(std::fabs(share)), 1, 0.2);
      }
    }
  }
}

TEST(ReleaseReport, DebitsWhatItCostsBeforeItDraws) {
  for (const auto mechanism : all_mechanisms) {
    const auto randomizer = randomizer_of(mechanism, 4);
    random::SeededSource source(1);
    privacy::TrustingBudget budget(Adjacency::replace_one);
    auto permit = reserve(budget, randomizer.event());
    const auto report =
        release_report(gradient_of(randomizer, 0.5), randomizer, {}, source, permit);
    EXPECT_EQ(report.event(), randomizer.event());
    EXPECT_EQ(std::ssize(report.value().coordinates), randomizer.report_coordinates());
    // A second report of the same device was not reserved; nothing is drawn for it.
    const double drawn = source.prg_slack();
    EXPECT_THROW(static_cast<void>(release_report(gradient_of(randomizer, 0.5), randomizer,
                                                  {.step = 1}, source, permit)),
                 base::BudgetError);
    EXPECT_EQ(source.prg_slack(), drawn);
  }
}

TEST(ReleaseReport, TheSameSeedGivesTheSameReport) {
  for (const auto mechanism : all_mechanisms) {
    const auto randomizer = randomizer_of(mechanism, 4);
    const auto report = [&](std::uint64_t seed) {
      random::SeededSource source(seed);
      privacy::TrustingBudget budget(Adjacency::replace_one);
      auto permit = reserve(budget, randomizer.event());
      return release_report(gradient_of(randomizer, 0.5), randomizer, {}, source, permit).value();
    };
    EXPECT_EQ(report(3), report(3));
    EXPECT_NE(report(3), report(4));
  }
}

TEST(ReleaseReport, TakesOneRecordsGradientOnItsGridOnly) {
  const auto randomizer = randomizer_of(LocalMechanism::privunit, 4);
  const auto other = randomizer_of(LocalMechanism::l2_laplace, 4);
  const auto longer = randomizer_of(LocalMechanism::privunit, 5);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto permit = reserve(budget, randomizer.event());
  const auto refused = [&](privacy::PartialSum gradient) {
    EXPECT_THROW(
        static_cast<void>(release_report(std::move(gradient), randomizer, {}, source, permit)),
        base::InternalError);
  };
  refused(gradient_of(other, 0.5));
  refused(gradient_of(longer, 0.5));
  auto sum = privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                                 std::vector<std::int64_t>(4), std::ldexp(1.0, -30),
                                                 std::int64_t{1} << 30);
  refused(privacy::PartialSum::from_certified(privacy::Certifier::clipped(), std::move(sum),
                                              privacy::PassBlock{0}));
  // A device that does not clip has no guarantee (docs/proofs/banco.md, E9): what is certified for
  // a longer gradient is refused, though paid for.
  auto long_sum = privacy::BoundedSum::from_certified(
      privacy::Certifier::clipped(), std::vector<std::int64_t>{std::int64_t{1} << 31, 0, 0, 0},
      std::ldexp(1.0, -30), std::int64_t{1} << 31);
  auto second = reserve(budget, randomizer.event());
  EXPECT_THROW(static_cast<void>(release_report(
                   privacy::PartialSum::from_certified(privacy::Certifier::clipped(),
                                                       std::move(long_sum), privacy::OneRecord{0}),
                   randomizer, {.step = 9}, source, second)),
               base::InternalError);
  // Nothing was debited by the others.
  EXPECT_NO_THROW(static_cast<void>(
      release_report(gradient_of(randomizer, 1), randomizer, {}, source, permit)));
}

TEST(DeviceReports, SeveralThreadsSendTheSameReports) {
  const auto randomizer = randomizer_of(LocalMechanism::privunit, 20, 4);
  constexpr std::int64_t count = 300;
  const auto all_reports = [&](int threads) {
    random::SeededSource source(6);
    privacy::TrustingBudget budget(Adjacency::replace_one);
    auto permit = reserve(budget, randomizer.event());
    DeviceReports devices(randomizer, count, 1, permit);
    std::vector<Report> reports(count);
    const auto send = [&](std::int64_t first) {
      for (std::int64_t i = first; i < count; i += threads) {
        reports[static_cast<std::size_t>(i)] =
            devices
                .release(gradient_of(randomizer, 0.5, i), {static_cast<std::uint64_t>(i), 0},
                         source)
                .value();
      }
    };
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) workers.emplace_back(send, t);
    for (auto& worker : workers) worker.join();
    return reports;
  };
  EXPECT_EQ(all_reports(3), all_reports(1));
  EXPECT_EQ(all_reports(2), all_reports(1));
}

TEST(DeviceReports, EachDeviceGivesWhatItPaidFor) {
  const auto randomizer = randomizer_of(LocalMechanism::privunit, 4);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  EXPECT_EQ(DeviceReports::event(randomizer, 2),
            privacy::Event(privacy::Repeated{2, randomizer.event()}));
  auto permit = reserve(budget, DeviceReports::event(randomizer, 2));
  DeviceReports devices(randomizer, 3, 2, permit);
  std::uint64_t step = 0;
  const auto release = [&](std::int64_t record) {
    static_cast<void>(
        devices.release(gradient_of(randomizer, 1, record), {.step = step++}, source));
  };
  for (const std::int64_t record : {0, 1, 2, 0, 1}) release(record);
  EXPECT_THROW(release(0), base::BudgetError);
  EXPECT_THROW(release(1), base::BudgetError);
  release(2);
  EXPECT_THROW(release(2), base::BudgetError);
  EXPECT_THROW(release(3), base::InternalError);
  EXPECT_THROW(release(-1), base::InternalError);
  EXPECT_EQ(permit.spent(), DeviceReports::event(randomizer, 2));
  // The permit covers one set of devices.
  EXPECT_THROW(DeviceReports(randomizer, 3, 2, permit), base::BudgetError);
  EXPECT_THROW(DeviceReports(randomizer, 3, 0, permit), base::UsageError);
  EXPECT_THROW(DeviceReports(randomizer, -1, 1, permit), base::UsageError);
}

}  // namespace release_report_test
}  // namespace tacet::mechanism
