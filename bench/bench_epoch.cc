// One step of full-batch training over 500,000 dense rows of 54 features, on one thread: the
// clipped integer sum of all gradients and its noise. The baseline is the same pass without
// privacy over the same representation, with the same vector kernels: products, logistic slopes,
// sum; no clipping, no grid, no noise.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/mechanism/gaussian.h"
#include "tacet/model/loss.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/gradient_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/random/source.h"

namespace {

using namespace tacet;

constexpr std::int64_t row_count = 500'000;
constexpr std::size_t column_count = 54;
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

std::vector<double> some_weights() {
  std::vector<double> weights(column_count);
  for (std::size_t j = 0; j < column_count; ++j) weights[j] = std::sin(static_cast<double>(j));
  return weights;
}

void private_step(benchmark::State& state) {
  base::ThreadPool threads(1);
  base::LocalReducer reducer;
  const model::Loss loss = model::LogisticLoss{};
  const optimize::GradientSum sum(dataset(), loss, {.clipping_norm = 1, .norm_bits = 26}, threads,
                                  reducer);
  const auto source = random::SecureSource::create();
  privacy::MemoryBudget budget(privacy::Adjacency::add_remove);
  const privacy::Gaussian event{.noise_multiplier = noise_multiplier};
  const auto most = std::int64_t{1'000'000};
  auto reservation = budget.reserve(privacy::Repeated{.count = most, .base = event},
                                    {.epsilon = std::numeric_limits<double>::infinity(),
                                     .delta = 0,
                                     .adjacency = privacy::Adjacency::add_remove});
  const auto weights = some_weights();
  std::uint64_t step = 0;
  for (auto _ : state) {
    const auto released =
        mechanism::release_gaussian(sum.at(weights), privacy::NoiseMultiplier(noise_multiplier),
                                    {.step = step++}, *source, reservation);
    benchmark::DoNotOptimize(released.value().data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * row_count);
}

void plain_step(benchmark::State& state) {
  constexpr std::int64_t batch = 256;  // as many rows as stay in the cache between the two kernels
  const auto& data = dataset();
  const auto weights = some_weights();
  std::vector<const std::int16_t*> rows(batch);
  std::vector<double> values(batch);
  std::vector<double> gradient(column_count);
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

BENCHMARK(private_step)->Name("dense_epoch_500000x54/tacet")->Unit(benchmark::kMillisecond);
BENCHMARK(plain_step)->Name("dense_epoch_500000x54/baseline")->Unit(benchmark::kMillisecond);

}  // namespace
