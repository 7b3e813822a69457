#include "tacet/optimize/sums/record_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/gradient_sum.h"

namespace tacet::optimize {
namespace record_gradient_test {

using data::Dataset;
using data::Storage;

Dataset some_records(Storage storage, std::int64_t count) {
  Dataset dataset({.columns = 5, .norm_bound = 1, .storage = storage});
  std::mt19937_64 bits(20);
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int16_t> row(5);
    for (auto& x : row) x = static_cast<std::int16_t>(static_cast<int>(bits() % 1601) - 800);
    if (i == 0) row.assign(5, 0);
    dataset.append_dense(row, bits() % 2 == 0 ? 1.0 : -1.0);
  }
  return dataset;
}

std::vector<std::int64_t> opened(privacy::PartialSum gradient) {
  const auto access = mechanism::AccessKeys::key();
  return std::move(gradient).take(access).take(access);
}

const std::vector<model::Loss> losses{model::LogisticLoss{}, model::SquaredLoss{},
                                      model::HingeLoss{}, model::HuberLoss{0.3}};

TEST(RecordGradient, SumsToTheSumOverAllRecords) {
  // The other code that clips a record, GradientSum, is held against it.
  const std::vector<double> weights{1.5, -20, 0.25, 3, -0.125};
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const Dataset dataset = some_records(storage, 60);
    for (const auto& loss : losses) {
      for (const int bits : {14, 20, 30}) {
        const ContributionLimit limit{.clipping_norm = 0.5, .norm_bits = bits};
        base::ThreadPool pool(1);
        const auto whole = GradientSum({dataset, loss, 1}, limit, pool).at(weights);
        const RecordGradient gradient(dataset, loss, limit);
        const auto point = gradient.point(weights);
        std::vector<std::int64_t> sum(5, 0);
        for (std::int64_t i = 0; i < dataset.rows(); ++i) {
          const auto values = opened(gradient.at(point, i));
          for (std::size_t j = 0; j < 5; ++j) sum[j] += values[j];
        }
        const auto expected = whole.open(mechanism::AccessKeys::key());
        EXPECT_EQ(sum, std::vector<std::int64_t>(expected.begin(), expected.end())) << bits;
        EXPECT_EQ(gradient.grid(), whole.grid());
      }
    }
  }
}

TEST(RecordGradient, NeverExceedsTheNormWhateverTheWeights) {
  // Huge, denormal and zero weights.
  const Dataset dataset = some_records(Storage::dense, 40);
  const model::Loss loss = model::SquaredLoss{};
  const RecordGradient gradient(dataset, loss, {.clipping_norm = 1, .norm_bits = 20});
  for (const double size : {0.0, 5e-324, 1e-300, 1.0, 1e150, 1e300}) {
    const std::vector<double> weights{size, -size, size, -size, size};
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      auto part = gradient.at(weights, i);
      EXPECT_EQ(std::get<privacy::OneRecord>(part.part()).record, i);
      __extension__ using Wide = __int128;
      Wide square = 0;
      for (const auto value : opened(std::move(part))) square += Wide{value} * value;
      EXPECT_LE(square, Wide{1} << 40);
    }
  }
}

TEST(RecordGradient, ASlopeThatIsNoNumberIsZero) {
  // A prediction beyond the doubles; the report is made all the same.
  Dataset dataset({.columns = 2, .norm_bound = 1, .storage = Storage::dense});
  dataset.append_dense(std::vector<std::int16_t>{1448, 1448}, 1);
  const model::Loss loss = model::SquaredLoss{};
  const RecordGradient gradient(dataset, loss, {.clipping_norm = 1, .norm_bits = 20});
  EXPECT_EQ(opened(gradient.at(std::vector<double>{1.7e308, 1.7e308}, 0)),
            (std::vector<std::int64_t>{0, 0}));
  EXPECT_NE(opened(gradient.at(std::vector<double>{1e300, 1e300}, 0)),
            (std::vector<std::int64_t>{0, 0}));
}

TEST(RecordGradient, RefusesUnitsAndWrongWeights) {
  Dataset units({.columns = 1, .norm_bound = 1, .storage = Storage::dense});
  units.declare_units();
  const model::Loss loss = model::LogisticLoss{};
  EXPECT_THROW(RecordGradient(units, loss, {}), base::UsageError);
  const Dataset dataset = some_records(Storage::dense, 2);
  EXPECT_THROW(RecordGradient(dataset, loss, {.max_records_per_unit = 2}), base::UsageError);
  EXPECT_THROW(RecordGradient(dataset, loss, {.clipping_norm = -1}), base::UsageError);
  const RecordGradient gradient(dataset, loss, {});
  EXPECT_THROW(static_cast<void>(gradient.point(std::vector<double>{1})), base::InternalError);
}

}  // namespace record_gradient_test
}  // namespace tacet::optimize
