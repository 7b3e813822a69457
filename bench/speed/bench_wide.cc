// Full-batch epochs of logistic regression over very many columns, on one thread: 100,000 records
// with 60 features each.
//
// projected_epoch: 2^30 columns, read through a countsketch of 4,096 places; beside the same epoch
// without privacy: the same rows, no clipping, no grid, no noise. `memory_ratio` is what the data
// set holds over what sparse rows of 2^30 columns would.
//
// wide_epoch: 2^24 columns as they are; beside the sum of what cannot be saved, the epoch without
// privacy and 2^24 draws of rounded noise: the noise, not the gradient, is the cost there.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace {

using namespace tacet;

constexpr std::int64_t row_count = 100'000;
constexpr std::uint32_t nonzeros = 60;
constexpr std::int64_t projected_from = std::int64_t{1} << 30;
constexpr std::int64_t width = 4096;
constexpr std::int64_t wide = std::int64_t{1} << 24;
constexpr double noise_multiplier = 50;

data::Schema schema_of(std::int64_t count, bool projected) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = count, .lower = 0, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  schema.intercept = false;
  if (projected) schema.projection = data::Projection{.width = width, .seed = 3};
  return schema;
}

// Columns as often as words are: the k-th about 1/k of the times of the first.
data::Dataset records(const data::Schema& schema) {
  data::Dataset made(schema.shape());
  data::NarrowRows narrow(schema);
  std::mt19937_64 generator(24);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto slice = static_cast<std::uint32_t>(schema.full_column_count() / nonzeros);
  data::EncodedRow row;
  for (std::int64_t i = 0; i < row_count; ++i) {
    row.clear();
    for (std::uint32_t k = 0; k < nonzeros; ++k) {
      const auto place = std::pow(static_cast<double>(slice), uniform(generator)) - 1;
      row.columns.push_back(k * slice + static_cast<std::uint32_t>(place));
      row.values.push_back(264);  // 2048 / sqrt(60)
    }
    row.label = (generator() & 1) != 0 ? 1.0 : -1.0;
    narrow.narrow(row);
    made.append(row);
  }
  return made;
}

const data::Dataset& projected_records() {
  static const data::Dataset made = records(schema_of(projected_from, true));
  return made;
}
const data::Dataset& wide_records() {
  static const data::Dataset made = records(schema_of(wide, false));
  return made;
}

std::vector<double> some_weights(std::int64_t count) {
  std::vector<double> weights(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = 0.01 * static_cast<double>(j % 7);
  return weights;
}

void private_epoch(benchmark::State& state, const data::Dataset& data) {
  base::ThreadPool threads(1);
  const model::Loss loss = model::LogisticLoss{};
  const optimize::GradientSum sum({data, loss, 1}, {.clipping_norm = 1, .norm_bits = 26}, threads);
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(
      privacy::Repeated{.count = 1'000'000, .base = privacy::Gaussian{noise_multiplier}},
      {.epsilon = std::numeric_limits<double>::infinity(),
       .delta = 0,
       .adjacency = privacy::Adjacency::add_remove});
  const auto weights = some_weights(data.columns());
  std::uint64_t step = 0;
  std::vector<double> storage(weights.size());  // as training lends it from step to step
  for (auto _ : state) {
    auto released =
        mechanism::release_gaussian(sum.at(weights), privacy::NoiseMultiplier(noise_multiplier),
                                    {{.step = step++}, *source, reservation}, std::move(storage));
    benchmark::DoNotOptimize(released.value().data());
    storage = std::move(released).take();
  }
}

void add_plain_gradient(const data::Dataset& data, const std::vector<double>& weights,
                        std::vector<double>& gradient) {
  constexpr double unit = 1.0 / data::Dataset::feature_scale;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::int64_t i = 0; i < data.rows(); ++i) {
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
}

void plain_epoch(benchmark::State& state, const data::Dataset& data, bool with_noise) {
  const auto weights = some_weights(data.columns());
  std::vector<double> gradient(weights.size());
  std::vector<std::int64_t> noise(with_noise ? weights.size() : 0);
  random::SeededSource source(4);
  std::uint64_t step = 0;
  for (auto _ : state) {
    add_plain_gradient(data, weights, gradient);
    benchmark::DoNotOptimize(gradient.data());
    if (!with_noise) continue;
    random::add_rounded_gaussian(source.claim(random::Purpose::noise, step++, 0),
                                 noise_multiplier * 0x1p26, noise);
    benchmark::DoNotOptimize(noise.data());
  }
}

void projected_private(benchmark::State& state) {
  private_epoch(state, projected_records());
  // A column's number and value, and what a data set holds a record besides.
  constexpr double sparse_bytes = row_count * (nonzeros * 6.0 + 28);
  state.counters["memory_ratio"] =
      static_cast<double>(projected_records().memory_bytes()) / sparse_bytes;
}
void projected_plain(benchmark::State& state) { plain_epoch(state, projected_records(), false); }
void wide_private(benchmark::State& state) { private_epoch(state, wide_records()); }
void wide_plain(benchmark::State& state) { plain_epoch(state, wide_records(), true); }

BENCHMARK(projected_private)
    ->Name("projected_epoch_100000x2^30/tacet")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(projected_plain)
    ->Name("projected_epoch_100000x2^30/baseline")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(wide_private)->Name("wide_epoch_100000x2^24/tacet")->Unit(benchmark::kMillisecond);
BENCHMARK(wide_plain)->Name("wide_epoch_100000x2^24/baseline")->Unit(benchmark::kMillisecond);

}  // namespace
