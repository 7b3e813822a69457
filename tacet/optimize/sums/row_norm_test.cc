#include "tacet/optimize/sums/row_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::optimize::internal {
namespace row_norm_test {

TEST(RowNorm, IsRoundedDownExactly) {
  EXPECT_EQ(floor_norm(std::vector<std::int64_t>{}), 0);
  EXPECT_EQ(floor_norm(std::vector<std::int64_t>{3, -4}), 5);
  EXPECT_EQ(floor_norm(std::vector<std::int64_t>{1, 1}), 1);
  // (2^52 + 1)^2 and its neighbour, whose squares are the same doubles.
  const std::int64_t n = (std::int64_t{1} << 52) + 1;
  EXPECT_EQ(floor_norm(std::vector<std::int64_t>{n}), n);
  EXPECT_EQ(floor_norm(std::vector<std::int64_t>{n, 1}), n);
}

// The projection of an integer sum is rounded again, so neighbours' sums may lie further apart than
// min(C, 2 C2): here all coordinates lie next to a half, and one unit more or less in one of them
// turns them all.
TEST(RowNorm, RoundingAfterTheProjectionIsInTheBound) {
  constexpr std::size_t cells = 400;
  std::vector<std::int64_t> a(cells, 1000);
  std::vector<std::int64_t> b = a;
  b[0] -= 1;  // a record of norm 1
  const AggregateClip clip{20 * 100.5, 1, cells};
  const std::int64_t bound = clip_aggregate(a, clip);
  EXPECT_EQ(clip_aggregate(b, clip), bound);
  double square = 0;
  for (std::size_t j = 0; j < cells; ++j) {
    square += static_cast<double>((a[j] - b[j]) * (a[j] - b[j]));
  }
  EXPECT_GT(std::sqrt(square), 19);  // where min(C, 2 C2) is 1
  EXPECT_LE(std::sqrt(square), static_cast<double>(bound));
}

TEST(RowNorm, ShortSumsStayAsTheyAre) {
  std::vector<std::int64_t> sum{300, -400};
  EXPECT_EQ(clip_aggregate(sum, {500, 1 << 20, 2}), 1000 + 3);
  EXPECT_EQ(sum, (std::vector<std::int64_t>{300, -400}));
  for (const double norm : {0.5, 0x1p41, static_cast<double>(NAN)}) {
    EXPECT_THROW((void)clip_aggregate(sum, {norm, 1, 2}), base::UsageError);
  }
}

}  // namespace row_norm_test
}  // namespace tacet::optimize::internal
