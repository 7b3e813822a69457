#include "tacet/local/service/fair_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tacet::local {
namespace fair_draw_test {

TEST(FairDrawTest, WhereThereIsRoomForAllNobodyIsLeftOut) {
  FairDraw draw;
  EXPECT_TRUE(draw.pick({}, 3).empty());
  const std::vector<std::int64_t> missed{0, 5, 0};
  EXPECT_EQ(draw.pick(missed, 3).size(), 3U);
  EXPECT_EQ(draw.pick(missed, 0).size(), 0U);
}

TEST(FairDrawTest, EachGetsItsShareAndNobodyTwoPlaces) {
  // 20,000 draws of 3 among 9, none of whom missed a slot: a third each. The deviation allowed is
  // seven standard deviations of a count, so that a fair draw fails once in 10^11.
  FairDraw draw;
  const std::vector<std::int64_t> missed(9, 0);
  std::vector<int> got(9);
  for (int i = 0; i < 20'000; ++i) {
    auto picked = draw.pick(missed, 3);
    std::ranges::sort(picked);
    ASSERT_EQ(picked.size(), 3U);
    ASSERT_EQ(std::ranges::adjacent_find(picked), picked.end());
    for (const auto one : picked) ++got[one];
  }
  for (const int count : got) EXPECT_NEAR(count, 20'000 / 3.0, 7 * 66.7);
}

TEST(FairDrawTest, ASlotThatWasMissedHalvesTheWeight) {
  // One place, weights 1, 1/2 and 1/4: shares 4/7, 2/7 and 1/7.
  FairDraw draw;
  const std::vector<std::int64_t> missed{0, 1, 2};
  std::vector<int> got(3);
  for (int i = 0; i < 20'000; ++i) ++got[draw.pick(missed, 1).front()];
  EXPECT_NEAR(got[0], 20'000 * 4 / 7.0, 7 * 70);
  EXPECT_NEAR(got[1], 20'000 * 2 / 7.0, 7 * 64);
  EXPECT_NEAR(got[2], 20'000 * 1 / 7.0, 7 * 50);
}

}  // namespace fair_draw_test
}  // namespace tacet::local
