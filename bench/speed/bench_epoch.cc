// Epochs of training a logistic regression on one thread, each beside the same without privacy:
// the same representation, no clipping, no grid, no noise.
//
// dense_epoch: one full-batch step over 500,000 dense rows of 54 features. The baseline uses the
// same vector kernels: products, slopes, sum.
//
// sparse_epoch: 32,561 rows with 15 of 109 features, as the Adult census has; as many secret
// Poisson samples of 256 expected rows as make an epoch, each with its noise and a step. The
// baseline takes shuffled batches of 256.
//
// Both again with hat functions in place of numbers (`knots = 8`): 500,000 dense rows of 12
// numbers, each with two of its 8 hat functions beside it, and the census with 27 of 157 features.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/loss/loss.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace {

using namespace tacet;

constexpr std::int64_t row_count = 500'000;
constexpr std::size_t column_count = 54;
constexpr std::size_t columns_of_hat functions = 12 * 9;
constexpr double noise_multiplier = 50;  // of one step among some hundred at epsilon 1

const data::Dataset& dataset() {
  static const data::Dataset instance = [] {
    data::Dataset made({.columns = column_count, .norm_bound = 1, .storage = data::Storage::dense});
    std::mt19937_64 generator(54);
    std::uniform_int_distribution<int> feature(-270, 270);  // 54 of them stay within norm 2048
    std::vector<std::int16_t> row(column_count);
    for (std::int64_t i = 0; i < row_count; ++i) {
      for (auto& value : row) value = static_cast<std::int16_t>(feature(generator));
      made.append_dense(row, (generator() & 1) != 0 ? 1.0 : -1.0);
    }
    return made;
  }();
  return instance;
}

const data::Dataset& dataset_of_hat functions() {
  static const data::Dataset instance = [] {
    data::Dataset made(
        {.columns = columns_of_hat functions, .norm_bound = 1, .storage = data::Storage::dense});
    std::mt19937_64 generator(108);
    std::uniform_int_distribution<int> number(-270, 270);
    std::uniform_int_distribution<std::size_t> knot(0, 6);
    for (std::int64_t i = 0; i < row_count; ++i) {
      std::vector<std::int16_t> row(columns_of_hat functions);
      for (std::size_t j = 0; j < columns_of_hat functions; j += 9) {
        const int value = number(generator);
        const std::size_t left = j + 1 + knot(generator);
        row[j] = static_cast<std::int16_t>(value);
        row[left] = static_cast<std::int16_t>(135 + value / 2);
        row[left + 1] = static_cast<std::int16_t>(135 - value / 2);
      }
      made.append_dense(row, (generator() & 1) != 0 ? 1.0 : -1.0);
    }
    return made;
  }();
  return instance;
}

std::vector<double> some_weights(const data::Dataset& data) {
  std::vector<double> weights(static_cast<std::size_t>(data.columns()));
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = std::sin(static_cast<double>(j));
  return weights;
}

using MakeDataset = const data::Dataset& (*)();

void private_step(benchmark::State& state, MakeDataset make) {
  base::ThreadPool threads(1);
  const model::Loss loss = model::LogisticLoss{};
  const optimize::GradientSum sum({make(), loss, 1}, {.clipping_norm = 1, .norm_bits = 26},
                                  threads);
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  const privacy::Gaussian event{.noise_multiplier = noise_multiplier};
  const auto most = std::int64_t{1'000'000};
  auto reservation = budget.reserve(privacy::Repeated{.count = most, .base = event},
                                    {.epsilon = std::numeric_limits<double>::infinity(),
                                     .delta = 0,
                                     .adjacency = privacy::Adjacency::add_remove});
  const auto weights = some_weights(make());
  std::uint64_t step = 0;
  for (auto _ : state) {
    const auto released =
        mechanism::release_gaussian(sum.at(weights), privacy::NoiseMultiplier(noise_multiplier),
                                    {{.step = step++}, *source, reservation});
    benchmark::DoNotOptimize(released.value().data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * row_count);
}

void plain_step(benchmark::State& state, MakeDataset make) {
  constexpr std::int64_t batch = 256;  // as many rows as stay in the cache between the two kernels
  const auto& data = make();
  const auto weights = some_weights(data);
  std::vector<const std::int16_t*> rows(batch);
  std::vector<double> values(batch);
  std::vector<double> gradient(weights.size());
  for (auto _ : state) {
    for (std::int64_t first = 0; first < row_count; first += batch) {
      const auto count = static_cast<std::size_t>(std::min(batch, row_count - first));
      for (std::size_t i = 0; i < count; ++i) {
        rows[i] = data.dense_row(first + static_cast<std::int64_t>(i)).data();
      }
      const auto slice = std::span(rows).first(count);
      const auto factors = std::span(values).first(count);
      numeric::exact_dots(slice, weights, factors);
      for (std::size_t i = 0; i < count; ++i) {
        const double label = data.label(first + static_cast<std::int64_t>(i));
        const double margin = label * factors[i] / data::Dataset::feature_scale;
        factors[i] = -label / (1 + std::exp(margin));
      }
      numeric::add_exact_multiples(slice, factors, gradient);
    }
    benchmark::DoNotOptimize(gradient.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * row_count);
}

constexpr std::int64_t sparse_rows = 32'561;
constexpr std::int64_t batch_size = 256;
constexpr double step_size = 1e-3;

data::Dataset made_of_groups(std::uint32_t columns, std::uint32_t nonzeros, std::int16_t value) {
  data::Dataset made({.columns = columns, .norm_bound = 1, .storage = data::Storage::sparse});
  std::mt19937_64 generator(columns);
  data::EncodedRow row;
  for (std::int64_t i = 0; i < sparse_rows; ++i) {
    row.clear();
    for (std::uint32_t k = 0; k < nonzeros; ++k) {
      const auto group = columns / nonzeros;
      row.columns.push_back(k * group + static_cast<std::uint32_t>(generator() % group));
      row.values.push_back(value);
    }
    row.label = (generator() & 1) != 0 ? 1.0 : -1.0;
    made.append(row);
  }
  return made;
}

const data::Dataset& sparse_dataset() {
  static const data::Dataset instance = made_of_groups(109, 15, 528);  // 2048 / sqrt(15)
  return instance;
}

const data::Dataset& sparse_dataset_of_hat functions() {
  static const data::Dataset instance = made_of_groups(157, 27, 394);  // 2048 / sqrt(27)
  return instance;
}

void private_epoch(benchmark::State& state, MakeDataset make) {
  base::ThreadPool threads(1);
  const model::Loss loss = model::LogisticLoss{};
  const auto& data = make();
  const optimize::GradientSum sum({data, loss, 1}, {.clipping_norm = 1, .norm_bits = 26}, threads);
  const auto source = random::SecureSource::create();
  const auto rate = random::PoissonRate::at_least(static_cast<double>(batch_size) / sparse_rows);
  const privacy::Gaussian noise{.noise_multiplier = 1};
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(
      privacy::Repeated{.count = 100'000'000,
                        .base = privacy::PoissonSampled{.rate = rate.value(), .base = noise}},
      {.epsilon = std::numeric_limits<double>::infinity(),
       .delta = 0,
       .adjacency = privacy::Adjacency::add_remove});
  std::vector<double> weights(static_cast<std::size_t>(data.columns()));
  std::uint64_t step = 0;
  for (auto _ : state) {
    for (std::int64_t seen = 0; seen < sparse_rows; seen += batch_size, ++step) {
      const auto sample = privacy::DrawnSample::poisson(
          source->claim(random::Purpose::sampling, step, 0), rate, sparse_rows);
      const auto released = mechanism::release_gaussian(
          sum.at(weights, sample), privacy::NoiseMultiplier(noise.noise_multiplier),
          {{.step = step}, *source, reservation});
      for (std::size_t j = 0; j < weights.size(); ++j) {
        weights[j] -= step_size * released.value()[j];
      }
    }
    benchmark::DoNotOptimize(weights.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * sparse_rows);
}

void plain_batch(const data::Dataset& data, std::span<const std::int64_t> rows,
                 std::span<double> weights, std::span<double> gradient) {
  constexpr double unit = 1.0 / data::Dataset::feature_scale;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (const auto i : rows) {
    const auto row = data.sparse_row(i);
    double prediction = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      prediction += weights[row.columns[k]] * row.values[k];
    }
    const double slope = -data.label(i) / (1 + std::exp(data.label(i) * prediction * unit));
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      gradient[row.columns[k]] += slope * row.values[k];
    }
  }
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= step_size * unit * gradient[j];
}

void plain_epoch(benchmark::State& state, MakeDataset make) {
  const auto& data = make();
  std::vector<std::int64_t> order(static_cast<std::size_t>(sparse_rows));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 generator(7);
  std::vector<double> weights(static_cast<std::size_t>(data.columns()));
  std::vector<double> gradient(weights.size());
  for (auto _ : state) {
    std::shuffle(order.begin(), order.end(), generator);
    for (std::size_t first = 0; first < order.size(); first += batch_size) {
      const auto count = std::min<std::size_t>(batch_size, order.size() - first);
      plain_batch(data, std::span(order).subspan(first, count), weights, gradient);
    }
    benchmark::DoNotOptimize(weights.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * sparse_rows);
}

void add(const char* name, void (*measure)(benchmark::State&, MakeDataset), MakeDataset make) {
  benchmark::RegisterBenchmark(name, measure, make)->Unit(benchmark::kMillisecond);
}

const bool added = [] {
  add("dense_epoch_500000x54/tacet", private_step, dataset);
  add("dense_epoch_500000x54/baseline", plain_step, dataset);
  add("dense_spline_epoch_500000x108/tacet", private_step, dataset_of_hat functions);
  add("dense_spline_epoch_500000x108/baseline", plain_step, dataset_of_hat functions);
  add("sparse_epoch_batch256/tacet", private_epoch, sparse_dataset);
  add("sparse_epoch_batch256/baseline", plain_epoch, sparse_dataset);
  add("sparse_spline_epoch_batch256/tacet", private_epoch, sparse_dataset_of_hat functions);
  add("sparse_spline_epoch_batch256/baseline", plain_epoch, sparse_dataset_of_hat functions);
  return true;
}();

}  // namespace
