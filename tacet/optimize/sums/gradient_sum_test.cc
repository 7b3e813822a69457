#include "tacet/optimize/sums/gradient_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/weight_grid.h"

namespace tacet::optimize {
namespace gradient_sum_test {

using data::Dataset;
using data::Storage;
using privacy::Adjacency;

struct Record {
  std::vector<std::int16_t> features;
  double label;
};

Dataset make_dataset(const std::vector<Record>& records, std::int64_t columns, Storage storage) {
  Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (const auto& record : records) dataset.append_dense(record.features, record.label);
  return dataset;
}

std::vector<std::int64_t> sum_of(const Dataset& dataset, const model::Loss& loss,
                                 std::span<const double> weights, const ContributionLimit& limit,
                                 int threads = 1) {
  base::ThreadPool pool(threads);
  const auto sum = GradientSum({dataset, loss, 1}, limit, pool).at(weights);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

class RecordMaker {
 public:
  RecordMaker(std::size_t columns, std::uint64_t seed) : columns_(columns), bits_(seed) {}

  Record operator()() {
    Record record{std::vector<std::int16_t>(columns_, 0), bits_() % 2 == 0 ? 1.0 : -1.0};
    if (bits_() % 8 == 0) return record;  // a row of zeros
    std::vector<double> direction(columns_);
    double norm = 0;
    for (auto& x : direction) {
      x = bits_() % 3 == 0 ? 0
                           : static_cast<double>(static_cast<std::int64_t>(bits_() % 2001) - 1000);
      norm += x * x;
    }
    if (norm == 0) return record;
    const double length = bits_() % 2 == 0 ? 2048 : 1 + static_cast<double>(bits_() % 2048);
    for (std::size_t j = 0; j < columns_; ++j) {
      record.features[j] =
          static_cast<std::int16_t>(std::trunc(direction[j] / std::sqrt(norm) * length));
    }
    return record;
  }
  std::uint64_t bits() { return bits_(); }

 private:
  std::size_t columns_;
  std::mt19937_64 bits_;
};

double distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    square += std::pow(static_cast<double>(a[j] - b[j]), 2);
  }
  return std::sqrt(square);
}

const std::vector<model::Loss> losses{model::LogisticLoss{}, model::SquaredLoss{},
                                      model::HingeLoss{},    model::AbsoluteLoss{},
                                      model::HuberLoss{0.3}, model::PinballLoss{0.9}};

// Neighbours by brute force under each adjacency: no pair beats the sensitivity that the sum
// states, and some pair comes within a tenth of it.
TEST(GradientSum, NeighboursNeverMoveFurtherThanTheSensitivity) {
  RecordMaker make(3, 11);
  double closest[3] = {0, 0, 0};
  for (int trial = 0; trial < 30000; ++trial) {
    const auto& loss = losses[make.bits() % losses.size()];
    const ContributionLimit limit{.clipping_norm = make.bits() % 2 == 0 ? 1.0 : 0.3,
                                  .norm_bits = static_cast<int>(14 + make.bits() % 17)};
    const double scale = std::pow(10.0, static_cast<double>(make.bits() % 9) - 2);
    std::vector<double> weights;
    for (int j = 0; j < 3; ++j) {
      weights.push_back(scale * (static_cast<double>(make.bits() % 2001) / 1000 - 1));
    }
    std::vector<Record> records;
    for (std::uint64_t i = 0; i < 1 + make.bits() % 4; ++i) records.push_back(make());
    std::vector<Record> removed(records.begin(), records.end() - 1);
    std::vector<Record> replaced = removed;
    replaced.push_back(make());
    std::vector<Record> zeroed = removed;
    zeroed.push_back({{0, 0, 0}, 1.0});
    const auto full = sum_of(make_dataset(records, 3, Storage::dense), loss, weights, limit);
    const double bound = std::ldexp(1.0, limit.norm_bits);
    const auto check = [&](const std::vector<Record>& neighbour, double sensitivity, double& best) {
      const double d =
          distance(full, sum_of(make_dataset(neighbour, 3, Storage::dense), loss, weights, limit));
      ASSERT_LE(d, sensitivity);
      best = std::max(best, d / sensitivity);
    };
    check(removed, bound, closest[0]);
    check(zeroed, bound, closest[1]);
    check(replaced, 2 * bound, closest[2]);
  }
  for (const double best : closest) EXPECT_GE(best, 0.9);
}

// Unconstrained descent on a squared loss may leave the numbers: a prediction of inf - inf is no
// number, and its record moves the sum no further than any other.
TEST(GradientSum, WeightsBeyondTheNumbersStayWithinTheBound) {
  const ContributionLimit limit{.clipping_norm = 1, .norm_bits = 20};
  const std::vector<Record> record{{{1448, 1448, 0}, 1.0}};
  constexpr double most = std::numeric_limits<double>::max();
  for (const std::vector<double>& weights :
       {std::vector<double>{1e300, -1e300, 0}, {1e308, 1e308, 1e308}, {most, -most, most}}) {
    for (const auto& loss : losses) {
      for (const auto storage : {Storage::dense, Storage::sparse}) {
        const auto sum = sum_of(make_dataset(record, 3, storage), loss, weights, limit);
        EXPECT_LE(distance(sum, {0, 0, 0}), std::ldexp(1.0, limit.norm_bits))
            << weights[0] << ' ' << weights[1] << ' ' << model::loss_name(loss);
      }
    }
  }
}

TEST(GradientSum, StatesTheSensitivityOfEachAdjacency) {
  const auto dataset = make_dataset({{{2048}, 1.0}}, 1, Storage::dense);
  base::ThreadPool pool(1);
  const model::Loss loss = model::LogisticLoss{};
  const auto sum = GradientSum({dataset, loss, 1}, {.clipping_norm = 1, .norm_bits = 20}, pool)
                       .at(std::vector<double>{0.0});
  EXPECT_EQ(sum.sensitivity(Adjacency::add_remove), std::ldexp(1.0, 20));
  EXPECT_EQ(sum.sensitivity(Adjacency::zero_out), std::ldexp(1.0, 20));
  EXPECT_EQ(sum.sensitivity(Adjacency::replace_one), std::ldexp(1.0, 21));
  EXPECT_EQ(sum.open(mechanism::AccessKeys::key())[0], -std::int64_t{1} << 19);  // slope -1/2
}

// The shortcut (a clamped integer times the row) against a gradient computed record by record in
// 128-bit integers.
TEST(GradientSum, EqualsTheSumOfSeparatelyClippedRecords) {
  __extension__ using Wide = __int128;
  RecordMaker make(7, 5);
  std::vector<Record> records;
  for (int i = 0; i < 500; ++i) records.push_back(make());
  const std::vector<double> weights{0.5, -3, 0.125, 40, 1e-9, -7.25, 2};
  const ContributionLimit limit{.clipping_norm = 0.75, .norm_bits = 24};
  const auto dataset = make_dataset(records, 7, Storage::dense);
  const auto grid = to_grid(weights, 1);
  std::vector<Wide> truth(7, 0);
  for (const auto& record : records) {
    Wide dot = 0;
    Wide norm = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      dot += static_cast<Wide>(grid.integers[j]) * record.features[j];
      norm += static_cast<Wide>(record.features[j]) * record.features[j];
    }
    const double slope =
        model::LogisticLoss{}.slope(static_cast<double>(dot) * grid.scale, record.label);
    const double wanted = slope * std::ldexp(1.0, 24) / 0.75 / 2048;
    const double factor =
        clamp_scalar(wanted, scalar_bound(1 << 24, static_cast<std::int64_t>(norm)));
    for (std::size_t j = 0; j < 7; ++j) truth[j] += static_cast<Wide>(factor) * record.features[j];
  }
  const auto sum = sum_of(dataset, model::LogisticLoss{}, weights, limit);
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(static_cast<double>(sum[j]), static_cast<double>(truth[j]), 500.0 * 2048 * 1e-9);
  }
}

// Wide rows are summed by another path: the same integers in other places, and nothing else.
TEST(GradientSum, IsTheSameForColumnsThatAreFarApart) {
  constexpr std::uint32_t stride = 40000;
  constexpr std::size_t count = 20;
  RecordMaker make(count, 8);
  std::vector<Record> records;
  for (int i = 0; i < 5000; ++i) records.push_back(make());
  std::vector<double> weights(count);
  for (std::size_t j = 0; j < count; ++j) weights[j] = std::sin(static_cast<double>(j)) * 3;
  Dataset wide({.columns = stride * count, .norm_bound = 1, .storage = Storage::sparse});
  data::EncodedRow row;
  for (const auto& record : records) {
    row.clear();
    row.label = record.label;
    for (std::uint32_t j = 0; j < count; ++j) {
      if (record.features[j] == 0) continue;
      row.columns.push_back(j * stride + j);
      row.values.push_back(record.features[j]);
    }
    wide.append(row);
  }
  std::vector<double> wide_weights(stride * count);
  for (std::size_t j = 0; j < count; ++j) wide_weights[j * stride + j] = weights[j];
  const ContributionLimit limit{.clipping_norm = 1, .norm_bits = 30};
  for (const model::Loss& loss : {model::Loss{model::LogisticLoss{}}, losses.back()}) {
    const auto narrow = sum_of(make_dataset(records, count, Storage::dense), loss, weights, limit);
    for (const int threads : {1, 3}) {
      const auto sum = sum_of(wide, loss, wide_weights, limit, threads);
      EXPECT_EQ(std::ranges::count(sum, 0) - static_cast<std::ptrdiff_t>(stride * count - count),
                std::ranges::count(narrow, 0));
      for (std::size_t j = 0; j < count; ++j) EXPECT_EQ(sum[j * stride + j], narrow[j]);
    }
  }
}

TEST(GradientSum, IsTheSameForAnyThreadsAndForDenseAndSparse) {
  RecordMaker make(20, 3);
  std::vector<Record> records;
  for (int i = 0; i < 9000; ++i) records.push_back(make());
  std::vector<double> weights;
  for (int j = 0; j < 20; ++j) weights.push_back(std::sin(j) * 3);
  const ContributionLimit limit{.clipping_norm = 1, .norm_bits = 30};
  for (const auto& loss : losses) {
    const auto dense = make_dataset(records, 20, Storage::dense);
    const auto sparse = make_dataset(records, 20, Storage::sparse);
    const auto reference = sum_of(dense, loss, weights, limit, 1);
    for (const int threads : {1, 2, 3, 5}) {
      EXPECT_EQ(sum_of(dense, loss, weights, limit, threads), reference);
      EXPECT_EQ(sum_of(sparse, loss, weights, limit, threads), reference);
    }
  }
}

Dataset dataset_of_units(const std::vector<std::vector<Record>>& units) {
  Dataset dataset({.columns = 3, .norm_bound = 1, .storage = Storage::dense});
  dataset.declare_units();
  std::int64_t unit = 0;
  for (const auto& records : units) {
    for (const auto& record : records) dataset.append_dense(record.features, record.label, unit);
    ++unit;
  }
  return dataset;
}

std::vector<std::int64_t> sum_of_units(const std::vector<std::vector<Record>>& units,
                                       std::int64_t outputs, const ContributionLimit& limit,
                                       std::span<const double> weights) {
  const auto dataset = dataset_of_units(units);
  base::ThreadPool pool(1);
  const model::Loss loss = model::SquaredLoss{};
  const auto sum = GradientSum({dataset, loss, outputs}, limit, pool).at(weights);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

// A unit is all of its records, however many: one unit more, less or another moves the sum by no
// more than the bound, for one output and for several.
TEST(GradientSum, UnitsOfManyRecordsStayWithinTheBoundTogether) {
  RecordMaker make(3, 21);
  double closest = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const auto outputs = static_cast<std::int64_t>(1 + make.bits() % 4);
    const ContributionLimit limit{
        .clipping_norm = 1,
        .norm_bits = static_cast<int>(14 + make.bits() % 17),
        .max_records_per_unit = static_cast<std::int64_t>(1 + make.bits() % 5)};
    std::vector<double> weights;
    for (std::int64_t j = 0; j < 3 * outputs; ++j) {
      weights.push_back(static_cast<double>(make.bits() % 2001) - 1000);
    }
    const auto make_unit = [&] {
      std::vector<Record> unit;
      const auto alike = make();
      for (std::uint64_t r = 0; r < 1 + make.bits() % 8; ++r) {
        unit.push_back(make.bits() % 2 == 0 ? alike : make());
        if (outputs > 1) {
          unit.back().label =
              static_cast<double>(make.bits() % static_cast<std::uint64_t>(outputs));
        }
      }
      return unit;
    };
    std::vector<std::vector<Record>> units{make_unit(), make_unit()};
    const auto full = sum_of_units(units, outputs, limit, weights);
    auto other = units;
    other[1] = make_unit();
    const double bound = std::ldexp(1.0, limit.norm_bits);
    ASSERT_LE(distance(full, sum_of_units({units[0]}, outputs, limit, weights)), bound);
    ASSERT_LE(distance(full, sum_of_units({units[1]}, outputs, limit, weights)), bound);
    const double moved = distance(full, sum_of_units(other, outputs, limit, weights));
    ASSERT_LE(moved, 2 * bound);
    closest = std::max(closest, moved / (2 * bound));
  }
  EXPECT_GE(closest, 0.9);
}

TEST(GradientSum, ASampleSumsItsRecordsAndIsNamed) {
  RecordMaker make(3, 8);
  std::vector<Record> records;
  for (int i = 0; i < 60; ++i) records.push_back(make());
  random::SeededSource source(1);
  const auto claim = [&](std::uint64_t step) {
    return source.claim(random::Purpose::sampling, step, 0);
  };
  const auto poisson =
      privacy::DrawnSample::poisson(claim(0), random::PoissonRate::at_least(0.125), 60);
  const auto fixed = privacy::DrawnSample::fixed_size(claim(1), {5, 60});
  const auto other = privacy::DrawnSample::fixed_size(claim(2), {5, 61});
  const auto chosen = [&](const privacy::DrawnSample& sample) {
    std::vector<Record> in;
    for (const auto i : sample.rows()) in.push_back(records[static_cast<std::size_t>(i)]);
    return in;
  };
  const std::vector<double> weights{0.3, -0.2, 1};
  const ContributionLimit limit{};
  const model::Loss loss = model::LogisticLoss{};
  base::ThreadPool pool(2);
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const auto dataset = make_dataset(records, 3, storage);
    const GradientSum sums({dataset, loss, 1}, limit, pool);
    const auto sum = sums.at(weights, poisson);
    const auto values = sum.open(mechanism::AccessKeys::key());
    EXPECT_EQ(std::vector<std::int64_t>(values.begin(), values.end()),
              sum_of(make_dataset(chosen(poisson), 3, storage), loss, weights, limit));
    EXPECT_EQ(sum.sample(), poisson.sample());
    EXPECT_EQ(sum.sample().rate()->value(), 0.125);
    const auto of_fixed = sums.partial(weights, fixed);
    EXPECT_EQ(std::get<privacy::Sample>(of_fixed.part()), fixed.sample());
    const auto taken = sums.partial(weights, fixed)
                           .take(mechanism::AccessKeys::key())
                           .take(mechanism::AccessKeys::key());
    EXPECT_EQ(taken, sum_of(make_dataset(chosen(fixed), 3, storage), loss, weights, limit));
    EXPECT_THROW((void)sums.at(weights, fixed), base::UsageError);
    EXPECT_THROW((void)sums.partial(weights, poisson), base::UsageError);
    EXPECT_THROW((void)sums.partial(weights, other), base::UsageError);
    const auto empty =
        sums.at(weights, privacy::DrawnSample::poisson(claim(storage == Storage::dense ? 3 : 4),
                                                       random::PoissonRate::at_least(0), 60));
    for (const auto value : empty.open(mechanism::AccessKeys::key())) EXPECT_EQ(value, 0);
  }
}

// A sample's event must stand for as many records of a unit as take part: for fewer it misses some,
// for more it promises that each adds less, and says too small an epsilon. Samples of fixed size
// have no proof for units at all.
TEST(GradientSum, SamplesOfUnitsAreThoseOfTheirEvent) {
  RecordMaker make(3, 8);
  const std::vector<std::vector<Record>> units{
      {make(), make(), make()}, {make()}, {make(), make()}};
  const auto dataset = dataset_of_units(units);
  random::SeededSource source(1);
  const auto sample = [&](std::uint64_t step, std::int64_t records) {
    return privacy::DrawnSample::poisson(source.claim(random::Purpose::sampling, step, 0),
                                         random::PoissonRate::at_least(0.5), 6, records);
  };
  const std::vector<double> weights{0.3, -0.2, 1};
  const model::Loss loss = model::LogisticLoss{};
  base::ThreadPool pool(2);
  const GradientSum sums({dataset, loss, 1}, {.max_records_per_unit = 2}, pool);
  const auto two = sums.at(weights, sample(0, 2));
  EXPECT_EQ(two.sample().event(privacy::Gaussian{1}),
            privacy::Event(privacy::PoissonSampled{0.5, privacy::Gaussian{1}, 2}));
  EXPECT_THROW((void)sums.at(weights, sample(1, 3)), base::InternalError);
  EXPECT_THROW((void)sums.at(weights, sample(2, 1)), base::InternalError);
  // A record that is a unit by itself is one of no more than any number of them.
  Dataset records({.columns = 3, .norm_bound = 1, .storage = Storage::dense});
  for (int i = 0; i < 6; ++i) records.append_dense(make().features, 1);
  const GradientSum alone({records, loss, 1}, {.max_records_per_unit = 2}, pool);
  EXPECT_NO_THROW((void)alone.at(weights, sample(5, 1)));
  EXPECT_NO_THROW((void)alone.at(weights, sample(6, 2)));
  EXPECT_THROW((void)alone.at(weights, sample(7, 3)), base::InternalError);
  EXPECT_THROW((void)sample(3, 0), base::UsageError);
  const auto fixed =
      privacy::DrawnSample::fixed_size(source.claim(random::Purpose::sampling, 4, 0), {2, 6});
  EXPECT_THROW((void)sums.partial(weights, fixed), base::UsageError);
  EXPECT_THROW((void)sums.partial(weights, std::vector<std::int64_t>{0, 1}, privacy::PassBlock{0}),
               base::UsageError);
}

TEST(WeightGrid, InnerProductsAreExactInAnyOrder) {
  __extension__ using Wide = __int128;
  std::mt19937_64 bits(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t columns = 1 + bits() % 300;
    const double scale = std::pow(10.0, static_cast<double>(bits() % 25) - 12);
    std::vector<double> weights;
    for (std::size_t j = 0; j < columns; ++j) {
      weights.push_back(scale * static_cast<double>(static_cast<std::int64_t>(bits()) >> 20));
    }
    const auto grid = to_grid(weights, 1);
    // The worst row: aligned with the weights, of norm 2048.
    double norm = 0;
    for (const double w : weights) norm += w * w;
    double absolute = 0;
    Wide sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double x = std::trunc(2048 * weights[j] / std::sqrt(norm));
      absolute += std::fabs(grid.integers[j] * x);
      sum += static_cast<Wide>(grid.integers[j]) * static_cast<Wide>(x);
      EXPECT_NEAR(grid.integers[j] * grid.scale * 2048, weights[j], 2048 * grid.scale / 2);
    }
    ASSERT_LT(absolute, 0x1p53);
    EXPECT_GT(absolute, columns == 1 ? 0x1p47 : 0x1p40);
    EXPECT_TRUE(static_cast<Wide>(absolute) == sum);
  }
}

}  // namespace gradient_sum_test
}  // namespace tacet::optimize
