#include "tacet/local/service/round_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/local_task.h"

namespace tacet::local {
namespace round_learner_test {

TEST(RoundMeanTest, LyingDevicesMoveAMeanByTwiceTheirWeight) {
  const auto task = test::small_task();
  const double weight = *task.randomizer().noise().norm;
  const auto mean_with = [&](std::int32_t sign, std::int64_t groups) {
    RoundMean mean(static_cast<std::size_t>(task.plan.columns), groups);
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
      mean.add(estimate);
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

TEST(RoundMeanTest, MedianOfMeansIsTheMedian) {
  RoundMean mean(1, 3);
  for (const double x : {1.0, 2.0, 100.0, 3.0, 4.0}) mean.add(std::vector<double>{x});
  EXPECT_EQ(mean.mean().front(), -3);  // of (1 + 3) / 2, (2 + 4) / 2, 100
  mean.clear();
  EXPECT_EQ(mean.count(), 0);
}

}  // namespace round_learner_test
}  // namespace tacet::local
