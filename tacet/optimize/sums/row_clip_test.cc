#include "tacet/optimize/sums/row_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::optimize::internal {
namespace row_clip_test {

/// A record of two rows of two numbers, which stands at places 1 and 4 of a sum of six.
struct Clipped {
  std::vector<double> values;
  std::vector<double> sum = std::vector<double>(6, 10);

  /// Adds it as if its squared norm were `square`.
  double add(double square, double clipping_norm = 1, int exponent = 0) {
    const std::vector<std::int64_t> rows{1, 2};
    const std::vector<double> squares{square, 0, 0};
    const RowRecord record{rows, values, squares, exponent, -1};
    const RecordPlaces places{{{0, 1, 2, square}, {2, 4, 2, 0}}};
    add_clipped(record, places, square, RowScale::of(clipping_norm, {.max_rows = 2}), sum);
    double norm = 0;
    for (const double total : sum) norm += (total - 10) * (total - 10);
    return std::sqrt(norm);
  }
};

TEST(RowClip, ScalesTruncatesAndLeavesOtherPlacesAlone) {
  Clipped record{{0.5, -0.25, 0x1p-26, -0x1.8p-26}};
  EXPECT_LE(record.add(0.3125), 0x1p26);
  EXPECT_EQ(record.sum, (std::vector<double>{10, 10 + 0x1p25, 10 - 0x1p24, 10, 10 + 1, 10 - 1}));
}

// Whatever a wrong norm, or a wrong norm's factor, would add: the integers are counted, and what is
// too long adds nothing at all.
TEST(RowClip, AWrongNormAddsNothing) {
  const double bound = 0x1p26;
  for (const double lie : {0.0, 1e-300, 0.1, 1.0}) {
    for (const double size : {0.6, 1.0, 1e10, 1e150, 1e300}) {
      Clipped record{{size, size, -size, size}};
      EXPECT_EQ(record.add(lie), 0) << lie << " " << size;
    }
  }
  // One that only just fits is kept, one unit more is not.
  Clipped full{{1, 0, 0, 0}};
  EXPECT_EQ(full.add(0), bound);
  Clipped beyond{{1, 0x1p-26, 0, 0}};
  EXPECT_EQ(beyond.add(0), 0);
}

// The same of products, together with the pieces: rows 0 and 2 of the dense block, which is at 2.
TEST(RowClip, ProductsAreHeldToTheNormWithThePieces) {
  const std::vector<double> values{0.5, 0};
  const std::vector<std::uint32_t> places{0, 2};
  const RecordPlaces placed{{{0, 0, 2, 0.25}}, 2};
  const auto scale = RowScale::of(1, {.max_rows = 1});
  const auto sum_of = [&](const std::vector<double>& numbers, double square) {
    const std::vector<std::int64_t> rows{1};
    const auto all = std::span(numbers);
    const DenseProducts products{0, {places, all.first(2)}, all.last(2)};
    const RowRecord record{rows, values, {}, 0, -1, {}, {&products, 1}};
    std::vector<double> sum(8, 10);
    add_clipped(record, placed, square, scale, sum);
    for (double& total : sum) total = (total - 10) * 0x1p-26;
    return sum;
  };
  // Factors 1 and -2, the vector (0.25, 0.125): a squared norm of 0.640625 with the piece.
  EXPECT_EQ(sum_of({1, -2, 0.25, 0.125}, 0.640625),
            (std::vector<double>{0.5, 0, 0.25, 0.125, 0, 0, -0.5, -0.25}));
  EXPECT_NEAR(sum_of({2, -4, 0.5, 0.25}, 6.5)[6], -2 / std::sqrt(6.5), 0x1p-24);
  const std::vector<double> nothing(8, 0);
  for (const double lie : {0.0, 1e-300, 0.25, 1.0}) {
    for (const double size : {2.0, 1e10, 1e150, 1e300}) {
      EXPECT_EQ(sum_of({1, -2, 0.25 * size, 0.125 * size}, lie), nothing) << lie << " " << size;
    }
  }
}

TEST(RowClip, LongRecordsAreScaledToTheirNorm) {
  Clipped record{{3e100, 0, -4e100, 0}};
  EXPECT_NEAR(record.add(25e200), 0x1p26, 4);
  Clipped tiny{{5e-324, -5e-324, 0, 0}};
  EXPECT_EQ(tiny.add(0), 0);
  // 2^600 times the values, as the arena keeps what has no square.
  Clipped huge{{0.3, 0, 0.4, 0}};
  EXPECT_NEAR(huge.add(0.25, 1, 600), 0x1p26, 4);
  // Among the smallest and the largest norms that can be asked for.
  Clipped small{{1, 1, 1, 1}};
  EXPECT_NEAR(small.add(4, 1e-100), 0x1p26, 4);
  Clipped large{{1e99, 0, 0, 0}};
  EXPECT_NEAR(large.add(1e198, 1e100), 0.1 * 0x1p26, 8);
}

TEST(RowClip, SharesTheNormAmongRecordsOfAUnit) {
  const auto scale = RowScale::of(2, {.max_rows = 1, .max_records_per_unit = 3, .norm_bits = 20});
  EXPECT_EQ(scale.share, 349525);  // 2^20 / 3 rounded down
  EXPECT_EQ(scale.per_unit, 0x1p19);
  for (const double norm : {0.0, -1.0, 1e101, static_cast<double>(NAN)}) {
    EXPECT_THROW((void)RowScale::of(norm, {.max_rows = 1}), base::UsageError);
  }
}

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

}  // namespace row_clip_test

}  // namespace tacet::optimize::internal
