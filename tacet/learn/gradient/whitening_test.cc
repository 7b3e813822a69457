#include "tacet/learn/gradient/whitening.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tests/support/scaled_distance.h"

namespace tacet::learn {
namespace whitening_test {

using privacy::Adjacency;

data::Schema numbers_schema(std::int64_t count) {
  data::Schema schema;
  for (std::int64_t k = 0; k < count; ++k) {
    schema.columns.push_back(
        {"x" + std::to_string(k), data::NumericColumn{.lower = -2, .upper = 2}});
  }
  schema.target = {"y", data::RegressionTarget{.lower = -1, .upper = 1}};
  schema.public_row_count = 100;
  return schema;
}

data::Schema standardised(std::int64_t count, double mean, double stddev) {
  auto schema = numbers_schema(count);
  for (auto& column : schema.columns) {
    std::get<data::NumericColumn>(column.rule).standard = data::Standard{mean, stddev};
  }
  return schema;
}

struct Record {
  std::vector<double> shares;  ///< 2 v - 1 of each number
  double label = 0;
};

class RecordMaker {
 public:
  explicit RecordMaker(std::size_t numbers) : numbers_(numbers) {}

  Record operator()() {
    Record record{std::vector<double>(numbers_), 2 * unit_(bits_) - 1};
    const bool ends = bits_() % 2 == 0;
    for (double& x : record.shares) {
      x = ends ? static_cast<double>(bits_() % 3) - 1 : 2 * unit_(bits_) - 1;
    }
    return record;
  }
  std::uint64_t bits() { return bits_(); }
  double unit() { return unit_(bits_); }

 private:
  std::size_t numbers_;
  std::mt19937_64 bits_{17};
  std::uniform_real_distribution<double> unit_{0, 1};
};

data::Dataset raw_records(const data::Schema& schema, const std::vector<Record>& records) {
  data::Dataset out(data::raw_schema(schema).shape());
  std::vector<std::int16_t> row;
  for (const Record& record : records) {
    row.clear();
    for (const double x : record.shares) row.push_back(static_cast<std::int16_t>(2048 * x));
    row.push_back(static_cast<std::int16_t>(2048 * schema.constant));
    out.append_dense(row, record.label);
  }
  return out;
}

privacy::WeightedSum second_moments(const data::Schema& schema, const std::vector<Record>& records,
                                    Adjacency adjacency) {
  base::ThreadPool pool(1);
  const auto rows = data::number_rows(raw_records(schema, records), schema);
  return optimize::gram_sum(rows, 0, adjacency, pool);
}

// 60,000 pairs of neighbours, of added and of replaced records. Standards are those that a release
// could give: the least deviation makes rows as long as they get.
TEST(SecondMoments, NeighboursNeverMoveFurtherThanCertifiedAndSomeAsFar) {
  RecordMaker make(3);
  const auto narrow = standardised(3, 0.3, 0.07);
  const auto wide = standardised(3, -1, 1);
  std::array<double, 2> most{};
  for (int trial = 0; trial < 30000; ++trial) {
    const auto& schema = make.bits() % 2 == 0 ? narrow : wide;
    const auto rest = make();
    const auto one = make();
    const auto other = make();
    const auto sum = [&](const std::vector<Record>& records, Adjacency adjacency) {
      return second_moments(schema, records, adjacency);
    };
    most[0] = std::max(most[0], test::scaled_distance(sum({rest, one}, Adjacency::add_remove),
                                                      sum({rest}, Adjacency::add_remove)));
    most[1] = std::max(most[1], test::scaled_distance(sum({one, rest}, Adjacency::replace_one),
                                                      sum({other, rest}, Adjacency::replace_one)));
  }
  EXPECT_LE(most[0], 1);
  EXPECT_GE(most[0], 0.99);
  EXPECT_LE(most[1], 2);
  EXPECT_GE(most[1], 1.9);
}

TEST(Whitening, MakesNumbersUncorrelatedOfMeanSquareOne) {
  // Correlation .99: the second direction has a hundredth of the first one's variance.
  const std::vector<double> moments{1, 0.99, 0.99, 1};
  const auto whitening = whitening_of(moments, 2, 0);
  EXPECT_EQ(whitening[1], whitening[2]);
  const auto second = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) {
        sum += whitening[2 * i + a] * moments[2 * a + b] * whitening[2 * j + b];
      }
    }
    return sum;
  };
  EXPECT_NEAR(second(0, 0) + second(1, 1), 2, 1e-12);
  EXPECT_LT(std::abs(second(0, 1)), 0.6);  // rho leaves some of the correlation
}

TEST(Whitening, LeavesAloneWhatNoiseDrowns) {
  for (const auto& moments :
       {std::vector<double>{1, 0.5, 0.5, 1}, std::vector<double>{-3, 0.5, 0.5, -2},
        std::vector<double>{0, 0, 0, 0}}) {
    for (const double noise : {0.0, 1.0, 1e6}) {
      for (const double value : whitening_of(moments, 2, noise)) EXPECT_TRUE(std::isfinite(value));
    }
  }
  const auto much = whitening_of(std::vector<double>{1, 0.5, 0.5, 1}, 2, 1e6);
  EXPECT_NEAR(much[0], 1, 1e-3);
  EXPECT_NEAR(much[1], 0, 1e-3);
}

/// A schema with curves of public numbers, as training makes it.
data::Schema curved_schema() {
  auto schema = standardised(2, 0.1, 0.3);
  auto& curves = schema.curves.emplace();
  curves.share = 0.45;
  curves.directions = 8;
  curves.frequencies = 20;
  curves.whitening = {1.5, -0.7, -0.7, 1.5};
  curves.target = {.mean = 0.2, .stddev = 0.4};
  base::ThreadPool threads(1);
  schema.curves = data::with_directions(curves, data::curve_shape(schema), threads);
  schema.constant = std::sqrt(data::curve_scales(data::curve_shape(schema), 0.45).constant);
  return schema;
}

// 10^5 pairs of neighbours through map, whitening, the row's certificate and a step: a record moves
// the sum of gradients by no more than the bound, wherever the weights are, and some by all of it.
TEST(CurveSteps, NeighboursNeverMoveFurtherThanCertifiedAndSomeAsFar) {
  const auto schema = curved_schema();
  RecordMaker make(2);
  base::ThreadPool pool(1);
  const model::Loss loss = model::SquaredLoss{};
  constexpr int bits = 20;
  const double bound = 1 << bits;
  double most = 0;
  for (int batch = 0; batch < 500; ++batch) {
    std::vector<double> weights(static_cast<std::size_t>(schema.encoded_column_count()));
    const double size = batch % 5 == 0 ? 1e6 : 3;
    for (double& weight : weights) weight = size * (2 * make.unit() - 1);
    std::vector<Record> records;
    for (int k = 0; k < 201; ++k) records.push_back(make());
    const auto rows = data::with_curves(raw_records(schema, records), schema,
                                        data::CurveLabels::standardised, pool);
    const optimize::ContributionLimit limit{.clipping_norm = 0.5, .norm_bits = bits};
    // Sums of one record each: what it adds to any other.
    for (std::int64_t k = 0; k < rows.rows(); ++k) {
      data::Dataset one(rows.shape());
      one.append_dense(rows.dense_row(k), rows.label(k));
      const optimize::GradientSum sum({one, loss, 1}, limit, pool);
      double square = 0;
      const auto at = sum.at(weights);
      for (const auto value : at.open(mechanism::AccessKeys::key())) {
        square += static_cast<double>(value) * static_cast<double>(value);
      }
      most = std::max(most, std::sqrt(square));
    }
  }
  EXPECT_LE(most, bound);
  EXPECT_GE(most, 0.999 * bound);
}

}  // namespace whitening_test
}  // namespace tacet::learn
