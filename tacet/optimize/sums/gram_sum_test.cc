#include "tacet/optimize/sums/gram_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/scaled_distance.h"

namespace tacet::optimize {
namespace gram_sum_test {

using data::Dataset;
using data::Storage;
using privacy::Adjacency;

struct Record {
  std::vector<std::int16_t> features;
  double label;
};
using Records = std::vector<Record>;

Dataset make_dataset(const Records& records, Storage storage = Storage::dense) {
  const auto columns = static_cast<std::int64_t>(records.at(0).features.size());
  Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (const auto& record : records) dataset.append_dense(record.features, record.label);
  return dataset;
}

std::vector<std::int64_t> integers(const privacy::WeightedSum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

privacy::WeightedSum sum_of(const Dataset& dataset, std::int64_t outputs,
                            Adjacency adjacency = Adjacency::add_remove, int threads = 1) {
  base::ThreadPool pool(threads);
  return gram_sum(dataset, outputs, adjacency, pool);
}

class RecordMaker {
 public:
  RecordMaker(std::size_t columns, std::uint64_t seed) : columns_(columns), bits_(seed) {}

  Record operator()(std::int64_t outputs) {
    std::normal_distribution<double> normal;
    std::vector<double> direction(columns_);
    double square = 0;
    for (auto& x : direction) {
      x = bits_() % 3 == 0 ? 0 : normal(bits_);
      square += x * x;
    }
    Record record{std::vector<std::int16_t>(columns_, 0), label(outputs)};
    const double length = bits_() % 2 == 0 ? 2048 : static_cast<double>(bits_() % 2049);
    for (std::size_t j = 0; j < columns_ && square > 0; ++j) {
      record.features[j] =
          static_cast<std::int16_t>(std::trunc(direction[j] / std::sqrt(square) * length));
    }
    return record;
  }
  Records records(std::size_t count, std::int64_t outputs) {
    Records made;
    for (std::size_t i = 0; i < count; ++i) made.push_back((*this)(outputs));
    return made;
  }
  std::uint64_t bits() { return bits_(); }

 private:
  double label(std::int64_t outputs) {
    if (outputs > 1) return static_cast<double>(bits_() % static_cast<std::uint64_t>(outputs));
    return bits_() % 2 == 0 ? (bits_() % 2 == 0 ? 1 : -1)
                            : static_cast<double>(bits_() % 2001) / 1000 - 1;
  }

  std::size_t columns_;
  std::mt19937_64 bits_;
};

double neighbours_apart(const Records& ones, const Records& others, std::int64_t outputs,
                        Adjacency adjacency) {
  return test::scaled_distance(sum_of(make_dataset(ones), outputs, adjacency),
                               sum_of(make_dataset(others), outputs, adjacency));
}

// Neighbours by brute force: none moves the sum further than is certified, under any adjacency,
// with labels, indicators of classes or none.
TEST(GramSum, NeighboursNeverMoveFurtherThanCertified) {
  RecordMaker make(3, 5);
  for (int trial = 0; trial < 20000; ++trial) {
    const auto outputs = static_cast<std::int64_t>(make.bits() % 4);
    const Records rest = make.records(1 + make.bits() % 3, outputs);
    const auto with = [&](const Record& record) {
      Records all = rest;
      all.push_back(record);
      return all;
    };
    const auto record = make(outputs);
    ASSERT_LE(neighbours_apart(with(record), rest, outputs, Adjacency::add_remove), 1);
    ASSERT_LE(neighbours_apart(with(record), with({{0, 0, 0}, 1}), outputs, Adjacency::zero_out),
              1);
    ASSERT_LE(neighbours_apart(with(record), with(make(outputs)), outputs, Adjacency::replace_one),
              2);
  }
}

// Each bound is met, but for the grid: sqrt(2), sqrt(4.5), and 1, sqrt(2) without labels. A bound
// of sqrt(2) or 2 for the Gram matrix under replace_one, or of sqrt(6) with labels, would stay
// below.
TEST(GramSum, ExtremalNeighboursMeetTheBound) {
  const Record along{{2048, 0}, 1};
  const Record across{{0, 2048}, 1};
  const Record slanted{{1024, 1773}, -1};  // at 60 degrees, with the other label
  const Record there{{0, 0}, 0};
  for (const auto& [one, other, outputs, adjacency] :
       {std::tuple{along, there, 1, Adjacency::zero_out},
        std::tuple{along, there, 0, Adjacency::zero_out},
        std::tuple{along, there, 5, Adjacency::zero_out}}) {
    EXPECT_GE(neighbours_apart({one}, {other}, outputs, adjacency), 0.999);
  }
  EXPECT_GE(neighbours_apart({along, slanted}, {slanted}, 1, Adjacency::add_remove), 0.999);
  EXPECT_GE(neighbours_apart({along}, {slanted}, 1, Adjacency::replace_one), 2 * 0.999);
  EXPECT_GE(neighbours_apart({along}, {across}, 0, Adjacency::replace_one), 2 * 0.999);
  const Record opposed{{-1024, 1773}, 1};  // the same class, at 120 degrees
  EXPECT_GE(neighbours_apart({along}, {opposed}, 4, Adjacency::replace_one), 2 * 0.999);
}

// Between the diagonal and what is beside it lies a factor sqrt(2): without it a record of equal
// features would move the released triangle by 1/2 to 1 of what is certified, not by all of it.
TEST(GramSum, TheTrianglesNormIsThatOfTheMatrixForEveryDirection) {
  RecordMaker make(6, 9);
  for (int trial = 0; trial < 500; ++trial) {
    const auto record = make(0);
    std::int64_t square = 0;
    for (const std::int64_t x : record.features) square += x * x;
    const double expected = static_cast<double>(square) / (2048.0 * 2048.0);
    const Record nothing{std::vector<std::int16_t>(6, 0), 0};
    EXPECT_NEAR(neighbours_apart({record}, {nothing}, 0, Adjacency::add_remove), expected,
                1e-12 * expected + 1e-300);
  }
}

std::vector<std::int64_t> brute_force(const Records& records, const GramShape& shape) {
  std::vector<std::int64_t> values(shape.values(), 0);
  for (const auto& [x, label] : records) {
    for (std::int64_t i = 0; i < shape.columns; ++i) {
      const std::int64_t at_i = x[static_cast<std::size_t>(i)];
      for (std::int64_t j = i; j < shape.columns; ++j) {
        values[shape.place(i, j)] += at_i * x[static_cast<std::size_t>(j)];
      }
      for (std::int64_t c = 0; c < shape.outputs; ++c) {
        const std::int64_t y = shape.outputs == 1 ? std::lround(2048 * label)
                                                  : (label == static_cast<double>(c) ? 2048 : 0);
        values[shape.label_place(i, c)] += at_i * y;
      }
    }
  }
  return values;
}

TEST(GramSum, IsTheSumWhateverTheStorageAndTheThreads) {
  for (const auto& [columns, rows, outputs] :
       {std::tuple{1, 3, 1}, std::tuple{5, 129, 1}, std::tuple{33, 127, 3}, std::tuple{40, 9001, 0},
        std::tuple{300, 40, 1}, std::tuple{530, 9, 2}}) {
    RecordMaker make(static_cast<std::size_t>(columns), 21);
    const auto records = make.records(static_cast<std::size_t>(rows), outputs);
    const auto expected = brute_force(records, {columns, outputs});
    for (const auto storage : {Storage::dense, Storage::sparse}) {
      const auto dataset = make_dataset(records, storage);
      for (const int threads : {1, 2, 5}) {
        ASSERT_EQ(integers(sum_of(dataset, outputs, Adjacency::add_remove, threads)), expected)
            << columns << " columns, " << threads << " threads";
      }
    }
  }
}

// Where rows are not scaled a row may be long, but no feature is larger than 1: sums of whole tiles
// of the largest products, of one sign, beside labels of 1.
TEST(GramSum, LongRowsAreAddedExactly) {
  Records records(700, {std::vector<std::int16_t>(40, 2048), 1});
  for (auto& record : records) record.features[7] = -2048;
  const auto expected = brute_force(records, {40, 1});
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    Dataset dataset({.columns = 40, .norm_bound = 7, .storage = storage});
    for (const auto& record : records) dataset.append_dense(record.features, record.label);
    EXPECT_EQ(integers(sum_of(dataset, 1)), expected);
    const std::vector<std::int16_t> larger(40, 2049);
    EXPECT_THROW(dataset.append_dense(larger, 1), base::InternalError);
  }
}

TEST(GramSum, LabelsThatAreNoneCountNothing) {
  const auto labelled = [](double label, std::int64_t outputs) {
    Dataset dataset({.columns = 1, .norm_bound = 1, .storage = Storage::dense});
    dataset.append_dense(std::vector<std::int16_t>{2048}, label);
    const auto values = integers(sum_of(dataset, outputs));
    return std::vector<std::int64_t>(values.begin() + 1, values.end());
  };
  constexpr std::int64_t one = 2048 * 2048;
  EXPECT_EQ(labelled(7, 1), std::vector<std::int64_t>{one});
  EXPECT_EQ(labelled(-1e300, 1), std::vector<std::int64_t>{-one});
  EXPECT_EQ(labelled(5e-324, 1), std::vector<std::int64_t>{0});
  EXPECT_EQ(labelled(2, 2), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(labelled(0.5, 2), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(labelled(1, 2), (std::vector<std::int64_t>{0, one}));
}

TEST(GramSum, RefusesMoreColumnsThanAMatrixHasRoomFor) {
  Dataset dataset({.columns = max_gram_columns + 1, .norm_bound = 1, .storage = Storage::sparse});
  EXPECT_THROW(static_cast<void>(sum_of(dataset, 1)), base::UsageError);
}

TEST(GramSum, LargestMultiplierIsWhatTheSamplerHolds) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const double largest = largest_gram_multiplier(1, true, adjacency);
    const auto sum = sum_of(make_dataset({{{1, 2}, 0.5}}), 1, adjacency);
    for (const auto& block : sum.blocks()) EXPECT_LE(block.scale * largest, 0x1p32);
    EXPECT_GT(largest, 500);
  }
}

// What leaves has the covariance of noise that knows no direction in the space of symmetric
// matrices: variance s^2 on the diagonal, s^2 / 2 beside it, nothing between entries.
TEST(GramSum, NoiseHasTheStatedCovariance) {
  constexpr std::int64_t columns = 4;
  constexpr int releases = 75000;  // 1.05 million draws
  const GramShape shape{columns, 1};
  Dataset dataset({.columns = columns, .norm_bound = 1, .storage = Storage::dense});
  const auto noise = gram_noise(1, true, Adjacency::replace_one);
  EXPECT_NEAR(noise.diagonal, std::sqrt(4.5) / 2, 1e-12);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(privacy::Repeated{releases, privacy::Gaussian{2}},
                                    {1, 1e-6, Adjacency::replace_one});
  random::SeededSource source(77);
  std::vector<double> stddev(shape.values(), 2 * noise.labels);
  for (std::int64_t i = 0; i < columns; ++i) {
    for (std::int64_t j = i; j < columns; ++j) {
      stddev[shape.place(i, j)] = 2 * (i == j ? noise.diagonal : noise.diagonal / std::sqrt(2));
    }
  }
  std::vector<double> products(shape.values() * shape.values(), 0);
  for (int t = 0; t < releases; ++t) {
    const auto values = mechanism::release_gaussian(
                            sum_of(dataset, 1, Adjacency::replace_one), privacy::NoiseMultiplier(2),
                            {{.step = static_cast<std::uint64_t>(t)}, source, reservation})
                            .value();
    for (std::size_t a = 0; a < values.size(); ++a) {
      for (std::size_t b = a; b < values.size(); ++b) {
        products[a * values.size() + b] += values[a] * values[b] / (stddev[a] * stddev[b]);
      }
    }
  }
  // 6.7 standard errors of 105 means: false alarm 3e-9.
  for (std::size_t a = 0; a < shape.values(); ++a) {
    for (std::size_t b = a; b < shape.values(); ++b) {
      EXPECT_NEAR(products[a * shape.values() + b] / releases, a == b ? 1 : 0,
                  6.7 * std::sqrt((a == b ? 2.0 : 1.0) / releases));
    }
  }
}

}  // namespace gram_sum_test
}  // namespace tacet::optimize
