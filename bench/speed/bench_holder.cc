// One pass of output perturbation over a million dense records of a hundred columns, the same loop
// without privacy, and the time that memory alone needs for the records; and the sensitivity of ten
// million steps.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "tacet/data/dataset.h"
#include "tacet/learn/output_perturbation/output.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sgd/sgd.h"
#include "tacet/optimize/sgd/sgd_kernels.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

constexpr std::int64_t rows = 1000000;
constexpr std::int64_t columns = 100;

const data::Schema& schema() {
  static const data::Schema schema = [] {
    data::Schema made;
    made.name = "bench";
    made.features = data::UniformFeatures{.count = columns, .lower = -1, .upper = 1};
    made.intercept = false;
    made.target = data::Target{"", data::BinaryTarget{{"1"}, {"-1"}}};
    made.format.kind = &data::file_kind("npy");
    made.public_row_count = rows;
    return made;
  }();
  return schema;
}

const data::Dataset& records() {
  static const data::Dataset dataset = [] {
    data::Dataset made({.columns = columns, .norm_bound = 1});
    std::vector<std::int16_t> row(columns);
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (auto& value : row) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        value = static_cast<std::int16_t>(static_cast<std::int64_t>(state >> 56) - 128);
      }
      made.append_dense(row, (state >> 40) % 2 == 0 ? 1 : -1);
    }
    return made;
  }();
  return dataset;
}

const learn::OutputPlan& plan() {
  static const auto made =
      learn::plan_output(schema(), {.method = "output",
                                    .epsilon = 1,
                                    .delta = 1e-7,
                                    .adjacency = privacy::Adjacency::replace_one,
                                    .loss = model::HingeLoss{}});
  return made;
}

void output_pass(benchmark::State& state) {
  base::ThreadPool threads(1);
  (void)records();
  (void)plan();
  for (auto _ : state) {
    random::SeededSource source(1);
    privacy::TrustingBudget budget(privacy::Adjacency::replace_one);
    auto reservation = budget.reserve(plan().events, plan().guarantee);
    benchmark::DoNotOptimize(
        learn::train_output(records(), schema(), plan(), {source, reservation, threads}));
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 2);
}

// Stochastic gradient descent with the same rows, order and kernels, and nothing for privacy: no
// bounds of slopes, no certificate, no grid, no noise.
void loop_without_privacy(benchmark::State& state) {
  const auto& dataset = records();
  const auto& order = plan().sgd->schedule().order;
  const double step = plan().sgd->schedule().step_size(1) / data::Dataset::feature_scale;
  const model::HingeLoss loss;
  for (auto _ : state) {
    constexpr auto padding = static_cast<std::int64_t>(optimize::internal::row_padding);
    std::vector<double> weights((columns + padding - 1) / padding * padding, 0.0);
    std::vector<double> mean(weights);
    std::vector<double> row(weights);
    double dot = optimize::internal::row_dot(dataset.dense_row(order[0]), weights);
    optimize::internal::expand_row(dataset.dense_row(order[0]), row);
    for (std::size_t t = 0; t < order.size(); ++t) {
      if (t + 16 < order.size()) dataset.fetch_ahead(order[t + 16]);
      if (t + 8 < order.size()) {
        const auto* ahead = dataset.dense_row(order[t + 8]).data();
        for (int line = 0; line < 4; ++line) __builtin_prefetch(ahead + 32 * line);
      }
      const double move =
          step * loss.slope(dot / data::Dataset::feature_scale, dataset.label(order[t]));
      const double later = 1 - static_cast<double>(t + 1) / static_cast<double>(rows);
      const auto next = dataset.dense_row(order[t + 1 < order.size() ? t + 1 : t]);
      dot = optimize::internal::advance(row, move, move * later, weights, mean, next);
    }
    benchmark::DoNotOptimize(mean.data());
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 2);
}

// Every byte of every row once, in the order of storage.
void memory_read(benchmark::State& state) {
  const auto& dataset = records();
  for (auto _ : state) {
    std::uint64_t sums[5] = {0, 0, 0, 0, 0};
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto* row = dataset.dense_row(i).data();
      for (int k = 0; k < 5; ++k) {
        std::uint64_t words[5];
        std::memcpy(words, row + 20 * k, sizeof(words));
        for (int j = 0; j < 5; ++j) sums[j] += words[j];
      }
    }
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 2);
}

// The same rows, each read whole, in the order of the pass.
void memory_read_in_order(benchmark::State& state) {
  const auto& dataset = records();
  const auto& order = plan().sgd->schedule().order;
  for (auto _ : state) {
    std::uint64_t sums[5] = {0, 0, 0, 0, 0};
    for (std::size_t t = 0; t < order.size(); ++t) {
      if (t + 16 < order.size()) {
        const auto* ahead = dataset.dense_row(order[t + 16]).data();
        for (int line = 0; line < 4; ++line) __builtin_prefetch(ahead + 32 * line);
      }
      const auto* row = dataset.dense_row(order[t]).data();
      for (int k = 0; k < 5; ++k) {
        std::uint64_t words[5];
        std::memcpy(words, row + 20 * k, sizeof(words));
        for (int j = 0; j < 5; ++j) sums[j] += words[j];
      }
    }
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 2);
}

void sensitivity_of_ten_million_steps(benchmark::State& state) {
  random::SeededSource source(1);
  constexpr std::int64_t steps = 10000000;
  const optimize::SgdSchedule schedule{
      .records = rows,
      .order =
          optimize::draw_order(optimize::RecordOrder::with_replacement, {rows, 1, steps}, source),
      .step_sizes = {1e-3}};
  const double growth = state.range(0) == 0 ? 0 : 1e-3;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        optimize::sgd_sensitivity(schedule, {.steps = steps},
                                  {.growth = {growth},
                                   .distance = {2},
                                   .diameter = std::numeric_limits<double>::infinity()}));
  }
}

BENCHMARK(output_pass)->Name("output_pass/tacet")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(loop_without_privacy)
    ->Name("output_pass/baseline")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(output_pass)->Name("output_memory/tacet")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(memory_read)
    ->Name("output_memory/baseline")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(memory_read_in_order)
    ->Name("output_memory/in_order")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(sensitivity_of_ten_million_steps)
    ->Name("sensitivity_1e7/tacet")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
