#include "tacet/local/service/round_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tacet/local/vectors.h"
#include "tests/support/local_task.h"

namespace tacet::local {
namespace round_learner_test {

TEST(RoundMeanTest, LyingDevicesMoveAMeanByTwiceTheirWeight) {
  const auto task = test::small_task();
  const double weight = *task.randomizer().noise().norm;
  const auto mean_with = [&](std::int32_t sign, std::int64_t groups) {
    RoundMean mean(static_cast<std::size_t>(task.plan.columns), groups, 0.5, weight);
    std::vector<double> estimate(static_cast<std::size_t>(task.plan.columns));
    for (std::uint64_t i = 0; i < 8; ++i) {
      Frame frame;
      const auto bytes = test::any_report(task, {task.digest, 0, task.digest, 60}, i);
      EXPECT_EQ(read_frame(bytes, task.layout, frame), FrameFault::none);
      if (i == 3) {
        std::ranges::fill(frame.report.coordinates, 0);
        frame.report.coordinates[0] = sign * 2147483647;
      }
      mechanism::decode(frame.report, task.randomizer(), estimate);
      mean.add(estimate, static_cast<std::int64_t>(i) % groups);
    }
    return mean.mean();
  };
  const auto moved = [&](std::int64_t groups) {
    const auto up = mean_with(1, groups);
    const auto down = mean_with(-1, groups);
    double square = 0;
    for (std::size_t j = 0; j < up.size(); ++j) square += (up[j] - down[j]) * (up[j] - down[j]);
    return std::sqrt(square);
  };
  EXPECT_NEAR(moved(1), 2 * weight / 8, 1e-12 * weight);  // an extremal report: the bound is met
  EXPECT_LE(moved(8), 2 * weight);
}

std::vector<double> mean_of(std::span<const double> values, std::int64_t groups, double trim) {
  RoundMean mean(1, groups, trim, 1e9);
  std::int64_t place = 0;
  for (const double x : values) mean.add(std::vector<double>{x}, place++ % groups);
  auto found = mean.mean();
  mean.clear();
  EXPECT_EQ(mean.count(), 0);
  return found;
}

TEST(RoundMeanTest, MedianOfMeansIsTheMedian) {
  const std::vector<double> values{1, 2, 100, 3, 4};
  EXPECT_EQ(mean_of(values, 3, 0.5).front(), -3);  // of (1 + 3) / 2, (2 + 4) / 2, 100
  EXPECT_EQ(mean_of(std::vector<double>{1, 5, 100, -7}, 4, 0.5).front(), -3);
  EXPECT_EQ(mean_of(values, 1, 0.5).front(), -22);
}

TEST(RoundMeanTest, ATrimmedMeanLeavesOutItsShareAtEachEnd) {
  const std::vector<double> values{1e9, 2, 3, 4, 5, 6, 7, 8, 9, -1e9};
  EXPECT_EQ(mean_of(values, 10, 0.1).front(), -5.5);
  EXPECT_EQ(mean_of(values, 10, 0.3).front(), -5.5);
  EXPECT_EQ(mean_of(values, 10, 0.19).front(), -5.5);
}

TEST(RoundMeanTest, AnyOrderOfTheReportsGivesTheSameBits) {
  constexpr double longest = 3.7;
  constexpr std::size_t count = 999;
  // Sums of these in doubles depend on their order.
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = longest * std::sin(static_cast<double>(i * i)) / static_cast<double>(1 + i % 13);
  }
  const auto mean_in = [&](const std::vector<double>& order) {
    RoundMean mean(1, 0, 0.5, longest);
    for (const double x : order) mean.add(std::vector<double>{x}, 0);
    return mean.mean().front();
  };
  auto up = values;
  std::ranges::sort(up);
  auto down = up;
  std::ranges::reverse(down);
  const double mean = mean_in(values);
  EXPECT_EQ(mean_in(up), mean);
  EXPECT_EQ(mean_in(down), mean);
  long double exact = 0;
  for (const double x : values) exact += x;
  EXPECT_NEAR(mean, static_cast<double>(-exact / count), 1e-15 * longest);
}

TEST(GroupOrderTest, GroupsAreEvenAndKnownToTheKeyAlone) {
  const GroupOrder order("one key");
  const auto groups = order.of_round(3, 1003, 10);
  for (std::int64_t group = 0; group < 10; ++group) {
    const auto size = std::ranges::count(groups, group);
    EXPECT_TRUE(size == 100 || size == 101) << group;
  }
  EXPECT_EQ(order.of_round(3, 1003, 10), groups);
  const auto alike = [&](const std::vector<std::int64_t>& other) {
    std::int64_t same = 0;
    for (std::size_t i = 0; i < other.size(); ++i) same += other[i] == groups[i] ? 1 : 0;
    return same;
  };
  // By chance 100 of 1003 places; 60 is six standard deviations from there.
  EXPECT_NEAR(static_cast<double>(alike(order.of_round(4, 1003, 10))), 100, 60);
  EXPECT_NEAR(static_cast<double>(alike(GroupOrder("other").of_round(3, 1003, 10))), 100, 60);
}

// One device must never end a task: here all of them lie, in each way that the numbers allow.
TEST(RoundLearnerTest, NoReportsEndATaskOrPassItsDomain) {
  for (const auto* mechanism :
       {"privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace", "gaussian"}) {
    for (const auto* method : {"banco", "local-sgd"}) {
      learn::OptionValues more{{"mechanism", mechanism},
                               {"learner", method},
                               {"public-row-count", "4000"},
                               {"batch-size", "1"}};
      if (std::string(method) == "local-sgd") more["step-size"] = "1000";
      const auto task = test::small_task({.largest_norm = 30}, more);
      RoundLearner learner(task, GroupOrder(""));
      for (std::int64_t round = 0; round < task.plan.rounds; ++round) {
        mechanism::Report report;
        report.coordinates.assign(task.layout.coordinates, 0);
        // One direction, then the other, then both in turn.
        const bool up = round < 1500 || (round > 2500 && round % 2 == 0);
        for (auto& x : report.coordinates) x = up ? 2147483647 : -2147483648;
        ASSERT_EQ(learner.add(report), RoundLearner::Step::filled);
        const auto point = learner.point();
        ASSERT_LE(std::sqrt(dot(point, point)), 30) << mechanism << ' ' << method << ' ' << round;
      }
      EXPECT_TRUE(learner.finished());
      EXPECT_GT(learner.bounded().refused, 0) << mechanism << ' ' << method;
      const RoundLearner again(task, GroupOrder(""), learner.bytes());
      EXPECT_EQ(again.bytes(), learner.bytes());
      EXPECT_EQ(again.bounded(), learner.bounded());
    }
  }
}

// The mean of a round hides it: one report of eight is longer than any that is honest.
TEST(RoundLearnerTest, OneReportThatNoHonestDeviceSendsIsCountedWhereverItComes) {
  for (const auto* mechanism : {"privunit", "l2_laplace", "coordinate_laplace", "gaussian"}) {
    const auto task = test::small_task({}, {{"mechanism", mechanism}, {"batch-size", "8"}});
    const std::int64_t cut = mechanism == std::string("privunit") ? 0 : 1;  // reports directions
    std::string bytes;
    for (const int place : {0, 3, 7}) {
      RoundLearner learner(task, GroupOrder(""));
      for (int i = 0; i < 16; ++i) {
        mechanism::Report report;
        report.coordinates.assign(task.layout.coordinates, 0);
        report.coordinates[0] = i == place ? 2147483647 : 1;
        static_cast<void>(learner.add(report));
      }
      EXPECT_EQ(learner.round(), 2);
      EXPECT_EQ(learner.bounded().cut, cut) << mechanism << ' ' << place;
      if (place == 0) bytes = learner.bytes();
      EXPECT_EQ(learner.bytes(), bytes) << mechanism << ' ' << place;
    }
  }
}

}  // namespace round_learner_test
}  // namespace tacet::local
