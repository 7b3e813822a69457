#include "tacet/optimize/sums/vector_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {
namespace vector_sum_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using Vector = std::vector<double>;
/// A record and whose it is.
struct Record {
  Vector values;
  std::optional<std::int64_t> unit = std::nullopt;
};

std::vector<std::int64_t> opened(const privacy::BoundedSum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

struct Distance {
  std::int64_t absolute = 0;
  std::int64_t squared = 0;
};

/// How far two sums lie apart, in grid units.
Distance between(const privacy::BoundedSum& a, const privacy::BoundedSum& b) {
  Distance distance;
  const auto x = opened(a);
  const auto y = opened(b);
  for (std::size_t j = 0; j < x.size(); ++j) {
    distance.absolute += std::abs(x[j] - y[j]);
    distance.squared += (x[j] - y[j]) * (x[j] - y[j]);
  }
  return distance;
}

/// Within what the sum says of itself, times `factor`.
void expect_within(const Distance& distance, const privacy::BoundedSum& sum, std::int64_t factor) {
  const auto bound = factor * sum.contribution_bound();
  EXPECT_LE(distance.squared, bound * bound);
  if (sum.absolute_bound()) {
    EXPECT_LE(distance.absolute, factor * *sum.absolute_bound());
  }
}

/// Every data set of up to three records over the values, and its neighbours: a record (or all of a
/// unit) removed, and replaced by each other one.
template <typename Make>
void try_neighbours(const std::vector<Vector>& values, const Make& make) {
  const auto sum_of = [&](const std::vector<Record>& records) { return make(records); };
  const std::vector<Record> none;
  for (const auto& first : values) {
    for (const auto& second : values) {
      const std::vector<Record> both{{first}, {second}};
      const auto sum = sum_of(both);
      expect_within(between(sum, sum_of({{second}})), sum, 1);  // the first one removed
      for (const auto& other : values) {
        expect_within(between(sum, sum_of({{other}, {second}})), sum, 2);  // replaced
      }
      expect_within(between(sum_of({{first}}), sum_of(none)), sum, 1);
    }
  }
}

const std::vector<Vector> difficult{
    {0, 0, 0},
    {1, 0, 0},
    {-1, -1, -1},
    {0.3, -0.7, 0.2},
    {1e300, -1e300, 1e300},
    {1e-320, 1e-310, 0},
    {infinity, 1, -infinity},
    {not_a_number, 2, 0},
    {std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), 1},
    {0.5773502691896258, 0.5773502691896258, 0.5773502691896258},
};

TEST(VectorSum, NeighboursLieWithinTheCertifiedBound) {
  for (const auto norm : {Norm::l1, Norm::l2}) {
    for (const int bits : {4, 12, 26}) {
      for (const double bound : {1.0, 0.1, 3e-9, 1e12}) {
        SCOPED_TRACE(bound);
        try_neighbours(difficult, [&](const std::vector<Record>& records) {
          VectorSum sum(3, norm, bound, {}, bits);
          for (const auto& record : records) sum.add(record.values);
          return std::move(sum).take();
        });
      }
    }
  }
}

TEST(VectorSum, RandomRecordsStayWithinTheBoundAndLoseLittle) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const auto norm : {Norm::l1, Norm::l2}) {
    for (int trial = 0; trial < 2000; ++trial) {
      Vector values(7);
      for (double& v : values) v = normal(random);
      double size = 0;
      for (const double v : values) size += norm == Norm::l1 ? std::fabs(v) : v * v;
      if (norm == Norm::l2) size = std::sqrt(size);
      VectorSum sum(7, norm, 1.5);
      sum.add(values);
      const auto taken = std::move(sum).take();
      const auto units = opened(taken);
      expect_within(between(taken, std::move(VectorSum(7, norm, 1.5)).take()), taken, 1);
      for (std::size_t j = 0; j < values.size(); ++j) {
        const double expected = values[j] * std::min(1.0, 1.5 / size);
        EXPECT_NEAR(static_cast<double>(units[j]) * taken.grid(), expected, 2 * taken.grid());
      }
    }
  }
}

// Of a unit the first records count, and their bounds add.
TEST(VectorSum, AUnitMovesTheSumByItsShare) {
  const auto with_unit = [](const std::vector<Vector>& of_unit) {
    VectorSum sum(3, Norm::l1, 1, UnitLimit(2), 12);
    sum.add(Vector{1, 0, 0}, 5);
    for (const auto& values : of_unit) sum.add(values, 9);
    sum.add(Vector{0, -1, 0}, 5);
    return std::move(sum).take();
  };
  const auto without = with_unit({});
  EXPECT_EQ(without.contribution_bound(), 2 << 12);
  for (const auto& a : difficult) {
    for (const auto& b : difficult) {
      for (const auto& c : difficult) {
        expect_within(between(with_unit({a, b, c}), without), without, 1);
        EXPECT_EQ(between(with_unit({a, b, c}), with_unit({a, b})).absolute, 0);
      }
    }
  }
}

TEST(VectorSum, RefusesWhatItCannotBound) {
  EXPECT_THROW(VectorSum(0, Norm::l2, 1), base::UsageError);
  EXPECT_THROW(VectorSum(2, Norm::l2, 0), base::UsageError);
  EXPECT_THROW(VectorSum(2, Norm::l2, infinity), base::UsageError);
  EXPECT_THROW(VectorSum(2, Norm::l2, 1, {}, 27), base::UsageError);
  EXPECT_THROW(VectorSum(2, Norm::l2, 1e-320), base::UsageError);  // no grid is so fine
  EXPECT_THROW(MeanSum(0, 1, Norm::l2, {}, 3), base::UsageError);
  EXPECT_THROW(UnitLimit(0), base::UsageError);
  VectorSum single(2, Norm::l2, 1);
  EXPECT_THROW(single.add(Vector{1}), base::UsageError);
  EXPECT_THROW(single.add(Vector{1, 2}, 7), base::UsageError);
  VectorSum units(2, Norm::l2, 1, UnitLimit(1));
  EXPECT_THROW(units.add(Vector{1, 2}), base::UsageError);
}

// What a sum was made of is gone with it: nothing is added to nothing.
TEST(VectorSum, ATakenSumTakesNoRecordsAndIsTakenOnce) {
  const auto refuses = [](auto sum, const auto& add) {
    static_cast<void>(std::move(sum).take());
    EXPECT_THROW(add(sum), base::UsageError);                                  // NOLINT
    EXPECT_THROW(static_cast<void>(std::move(sum).take()), base::UsageError);  // NOLINT
  };
  refuses(VectorSum(2, Norm::l1, 1), [](VectorSum& sum) { sum.add(Vector{}); });
  refuses(VectorSum(2, Norm::l1, 1), [](VectorSum& sum) { sum.add(Vector{1, 0}); });
  refuses(Histogram(3), [](Histogram& sum) { sum.add(1); });
  refuses(MeanSum(0, 1, Norm::l2), [](MeanSum& sum) { sum.add(0.5); });
}

// A coarse grid certifies as well, and leaves more room for noise.
TEST(MeanSum, MayHaveACoarseGrid) {
  MeanSum sum(0, 10, Norm::l2, {}, 8);
  for (const double v : {2.0, 4.0, 9.0}) sum.add(v);
  const auto taken = MeanSum(sum).take();
  EXPECT_EQ(taken.contribution_bound(), 256);
  const auto units = opened(taken);
  const std::array released{static_cast<double>(units[0]) * taken.grid(),
                            static_cast<double>(units[1]) * taken.grid()};
  EXPECT_NEAR(sum.mean(released), 5, 0.1);
}

TEST(Histogram, ARecordIsOneWhateverTheNumberOfBins) {
  for (const std::int64_t bins : {1, 2, 100}) {
    const auto of = [&](const std::vector<std::int64_t>& records) {
      Histogram histogram(bins);
      for (const auto bin : records) histogram.add(bin);
      return std::move(histogram).take();
    };
    const auto sum = of({0, bins - 1, -4, bins + 7});
    EXPECT_EQ(sum.contribution_bound(), 1);
    EXPECT_EQ(*sum.absolute_bound(), 1);
    EXPECT_EQ(sum.grid(), 1);
    for (std::int64_t bin = -1; bin <= bins; ++bin) {
      const auto more = of({0, bins - 1, -4, bins + 7, bin});
      EXPECT_EQ(between(more, sum).absolute, 1);
      for (std::int64_t other = -1; other <= bins; ++other) {
        expect_within(between(more, of({0, bins - 1, -4, bins + 7, other})), sum, 2);
      }
    }
  }
}

// Two counts move by 1 where a record is replaced: sqrt(2) in L2 norm, where noise is made for 2.
TEST(Histogram, AReplacedRecordMovesTwoCountsAndNoiseIsMadeForMore) {
  const auto of = [](std::int64_t bin) {
    Histogram histogram(5);
    histogram.add(bin);
    return std::move(histogram).take();
  };
  const auto moved = between(of(0), of(4));
  EXPECT_EQ(moved.absolute, 2);
  EXPECT_EQ(moved.squared, 2);
  const auto bound = 2 * of(0).contribution_bound();
  EXPECT_EQ(bound * bound, 2 * moved.squared);
}

TEST(Histogram, CountsRecordsAndWhatHasNoBinAmongTheLast) {
  Histogram histogram(3, UnitLimit(2));
  for (const std::int64_t bin : {0, 0, 0}) histogram.add(bin, 1);  // the third is one too many
  histogram.add(1, 2);
  histogram.add(9, 2);
  histogram.add(-1, 3);
  const auto sum = std::move(histogram).take();
  EXPECT_EQ(opened(sum), (std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(sum.contribution_bound(), 2);
  EXPECT_EQ(*sum.absolute_bound(), 2);
}

TEST(MeanSum, IsTheMeanWithinTheGridAndBounded) {
  for (const auto norm : {Norm::l1, Norm::l2}) {
    const auto of = [&](const std::vector<double>& numbers) {
      MeanSum sum(10, 30, norm);
      for (const double v : numbers) sum.add(v);
      return std::move(sum).take();
    };
    const auto sum = of({12, 25, 31, not_a_number});  // 12, 25, 30, 20
    const auto units = opened(sum);
    const std::array released{static_cast<double>(units[0]) * sum.grid(),
                              static_cast<double>(units[1]) * sum.grid()};
    EXPECT_NEAR(released[0], 4, 1e-6);
    EXPECT_NEAR(MeanSum(10, 30, norm).mean(released), 21.75, 1e-5);
    for (const double a : {10.0, 30.0, -1e300, infinity, 17.3}) {
      const auto more = of({12, 25, 31, not_a_number, a});
      expect_within(between(more, sum), sum, 1);
      for (const double b : {10.0, 30.0, 1e300}) {
        expect_within(between(more, of({12, 25, 31, not_a_number, b})), sum, 2);
      }
    }
  }
}

// What noise makes of the two numbers is a mean within the bounds all the same.
TEST(MeanSum, AnyNoiseGivesAMeanWithinTheBounds) {
  const MeanSum sum(-1, 3, Norm::l2);
  EXPECT_EQ(sum.mean(std::array{-2.0, 1.0}), 1);
  EXPECT_EQ(sum.mean(std::array{0.0, 0.0}), 1);
  EXPECT_EQ(sum.mean(std::array{1.0, 50.0}), 3);
  EXPECT_EQ(sum.mean(std::array{1e-300, -50.0}), -1);
  EXPECT_EQ(sum.mean(std::array{2.0, 0.0}), 1);
  EXPECT_THROW(MeanSum(1, 1, Norm::l2), base::UsageError);
  EXPECT_THROW(MeanSum(-1e308, 1e308, Norm::l2), base::UsageError);
}

}  // namespace vector_sum_test
}  // namespace tacet::optimize
