// One step of a model with one table, without its gradients: the draw of the sample, the selection,
// the sum and the noise. 200,000 records, 20 of them a step on average, 10 rows of 100 numbers
// each. 20 epochs are 200,000 such steps, on one thread (`s_of_20_epochs`).
//
// The argument is the number of rows of the table: what is not chosen and not touched costs
// nothing.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace {

using namespace tacet;
using privacy::RowSelection;

constexpr std::int64_t records = 200000;
constexpr double sampling_rate = 1e-4;
constexpr std::int64_t rows_per_record = 10;
constexpr std::int64_t width = 100;
constexpr double clipping_norm = 15;
constexpr auto adjacency = privacy::Adjacency::add_remove;
const privacy::NoiseMultiplier noise(0.5);
const privacy::NoiseMultiplier counting_noise(5);
const privacy::Epsilon each_draw(0.28378695);

mechanism::SparseVectorOptions published() {
  return mechanism::zhang2021_sparse_vector(100, 1e8, {16, 1.25e-7, adjacency});
}

/// All that stays from one step to the next.
struct Bench {
  explicit Bench(std::int64_t height)
      : layout({{height, width}}), batch(layout, limit, pool), source(1) {
    for (std::int64_t j = 0; j < rows_per_record * width; ++j) {
      gradient.push_back(std::sin(1.0 + static_cast<double>(j)));
    }
  }

  privacy::DrawnSample draw() {
    const auto rate = random::PoissonRate::at_least(sampling_rate);
    auto drawn = privacy::DrawnSample::poisson(source.claim(random::Purpose::sampling, step, 0),
                                               rate, records);
    batch.start(drawn.sample());
    auto& arena = batch.arena(0);
    for (const auto record : drawn.rows()) {
      std::uint64_t state = static_cast<std::uint64_t>(record) * 2654435761U + 12345;
      arena.start();
      for (std::int64_t k = 0; k < rows_per_record; ++k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const auto row = (state >> 20) % static_cast<std::uint64_t>(layout.rows());
        const auto sum = arena.row(static_cast<std::int64_t>(row));
        const double* from = gradient.data() + k * width;
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += from[j];
      }
      arena.finish();
    }
    return drawn;
  }

  const optimize::RowLimit limit{.max_rows = rows_per_record};
  privacy::RowLayout layout;
  base::ThreadPool pool{1};
  optimize::RowBatch batch;
  random::SeededSource source;
  privacy::TrustingBudget budget{adjacency};
  std::vector<double> gradient;
  std::uint64_t step = 0;
};

/// Steps of which each pays for `parts` and chooses by choose(bench, means).
template <typename Choose>
void run_steps(benchmark::State& state, std::vector<privacy::Event> parts, const Choose& choose) {
  Bench bench(state.range(0));
  const auto rate = random::PoissonRate::at_least(sampling_rate);
  const auto sample = privacy::Sample::poisson(privacy::SamplingRate(rate.value()));
  auto reservation = bench.budget.reserve(
      privacy::Repeated{100000000, mechanism::SamplePermit::event(sample, parts)},
      {std::numeric_limits<double>::infinity(), 0, adjacency});
  for (auto _ : state) {
    const auto drawn = bench.draw();
    mechanism::SamplePermit permit(drawn.sample(), parts, reservation);
    const mechanism::PermitContext means{{bench.step, 0}, bench.source, permit};
    const RowSelection chosen = choose(bench, means);
    const auto sum = bench.batch.sum(chosen, {.clipping_norm = clipping_norm});
    benchmark::DoNotOptimize(mechanism::release_rows(sum, noise, means).value().values.data());
    ++bench.step;
  }
  state.counters["s_of_20_epochs"] = benchmark::Counter(
      1.0 / 200000, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

optimize::RowScoreRule score_rule() {
  return {optimize::Granularity::coordinate, clipping_norm, 2.0};
}

void step_adafest(benchmark::State& state) {
  // Rows that cross by noise alone: a tenth of a row in 10^8.
  const auto threshold = static_cast<std::int64_t>(6.0 * counting_noise.value() *
                                                   static_cast<double>(std::int64_t{1} << 20));
  run_steps(
      state, {privacy::Gaussian{counting_noise.value()}, privacy::Gaussian{noise.value()}},
      [&](Bench& bench, const mechanism::PermitContext& means) {
        return RowSelection::rows(
            mechanism::release_crossings(bench.batch.presence(), counting_noise, threshold, means)
                .value());
      });
}

void step_exponential(benchmark::State& state) {
  const privacy::RowLayout layout({{state.range(0), width}});
  const auto bounds =
      optimize::row_score_bounds(layout, {.max_rows = rows_per_record}, score_rule(), adjacency);
  run_steps(state, {mechanism::top_event(bounds, 100, each_draw), privacy::Gaussian{noise.value()}},
            [&](Bench& bench, const mechanism::PermitContext& means) {
              return RowSelection::cells(
                  mechanism::select_top(bench.batch.scores(score_rule(), adjacency), 100, each_draw,
                                        means)
                      .value());
            });
}

void step_sparse_vector(benchmark::State& state) {
  run_steps(
      state,
      {mechanism::sparse_vector_event(published(), adjacency), privacy::Gaussian{noise.value()}},
      [&](Bench& bench, const mechanism::PermitContext& means) {
        const auto found = mechanism::release_sparse_vector(
            bench.batch.scores(score_rule(), adjacency), published(), means);
        std::vector<std::int64_t> cells;
        for (const auto& positive : found.value().positives) cells.push_back(positive.index);
        return RowSelection::cells(std::move(cells));
      });
}

void step_all(benchmark::State& state) {
  run_steps(state, {privacy::Gaussian{noise.value()}},
            [](Bench&, const mechanism::PermitContext&) { return RowSelection::all(); });
}

BENCHMARK(step_adafest)->Arg(1000)->Arg(100000000)->Unit(benchmark::kMicrosecond);
BENCHMARK(step_exponential)->Arg(1000)->Arg(100000000)->Unit(benchmark::kMicrosecond);
BENCHMARK(step_sparse_vector)->Arg(1000)->Arg(100000000)->Unit(benchmark::kMicrosecond);
BENCHMARK(step_all)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
