#include "tacet/mechanism/select/scores.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::mechanism {
namespace scores_test {

using privacy::Adjacency;

const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Scores, RefuseWhatCannotBeSelectedFrom) {
  const auto adjacency = Adjacency::add_remove;
  const std::array<double, 2> broken{1, nan};
  EXPECT_THROW((void)Scores::rounded(broken, 1, Movement::any, adjacency), base::NumericError);
  EXPECT_THROW((void)Scores::rounded({}, 1, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({}, 1, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({1}, 0, Movement::any, adjacency), base::UsageError);
  const std::array<double, 1> one{1};
  EXPECT_THROW((void)Scores::rounded(one, 0, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::rounded(one, nan, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({1}, 1, Movement::one_way, Adjacency::replace_one),
               base::UsageError);
}

TEST(Scores, RoundingMovesNoFurtherThanTheSensitivityItStates) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> any(-1000, 1000);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto access = AccessKeys::key();
  for (int trial = 0; trial < 10000; ++trial) {
    const double sensitivity = std::exp2(any(generator) / 100);
    const std::array<double, 1> a{any(generator)};
    const std::array<double, 1> b{a[0] + sensitivity * part(generator)};
    const auto left = Scores::rounded(a, sensitivity, Movement::any, Adjacency::replace_one);
    const auto right = Scores::rounded(b, sensitivity, Movement::any, Adjacency::replace_one);
    EXPECT_LE(std::abs(left.open(access)[0] - right.open(access)[0]), left.sensitivity());
    EXPECT_LE(static_cast<double>(left.sensitivity()) * left.unit(), sensitivity * (1 + 0x1p-18));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 2> far{-infinity, 1e300};
  const auto clamped = Scores::rounded(far, 1, Movement::any, Adjacency::replace_one);
  EXPECT_EQ(clamped.open(access)[0], -clamped.open(access)[1]);
}

// With one more record losses grow, all of them; their differences go either way.
TEST(Scores, DifferencesAreNeverOneWay) {
  const auto losses = Scores::integers({9, 5, 4}, 3, Movement::one_way, Adjacency::add_remove);
  const auto gains = losses.differences();
  EXPECT_EQ(gains.movement(), Movement::any);
  EXPECT_EQ(gains.sensitivity(), 3);
  const auto replaced = Scores::integers({9, 5, 4}, 3, Movement::any, Adjacency::replace_one);
  EXPECT_EQ(replaced.differences().sensitivity(), 6);
  const auto access = AccessKeys::key();
  EXPECT_EQ(gains.open(access)[0], 4);
  EXPECT_EQ(gains.open(access)[1], 1);
  EXPECT_THROW((void)Scores::integers({1}, 3, Movement::any, Adjacency::replace_one).differences(),
               base::UsageError);
}

}  // namespace scores_test
}  // namespace tacet::mechanism
