// How the time of private steps of a logistic regression grows with records, columns, steps and
// threads. Prints a line "part x seconds" for each setting, the least of three repetitions; run and
// judged by scaling.py.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace {

using namespace tacet;

constexpr std::size_t usual_columns = 54;

/// Records of norm at most 1, a thousand different ones.
data::Dataset records(std::int64_t count, std::size_t columns) {
  data::Dataset made({.columns = static_cast<std::int64_t>(columns),
                      .norm_bound = 1,
                      .storage = data::Storage::dense});
  const int most = static_cast<int>(2000 / std::sqrt(static_cast<double>(columns)));
  std::mt19937_64 generator(5);
  std::uniform_int_distribution<int> feature(-most, most);
  std::vector<std::vector<std::int16_t>> pool(1000, std::vector<std::int16_t>(columns));
  for (auto& row : pool) {
    for (auto& value : row) value = static_cast<std::int16_t>(feature(generator));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    made.append_dense(pool[static_cast<std::size_t>(i % 1000)], i % 3 == 0 ? 1.0 : -1.0);
  }
  return made;
}

double seconds_of(const data::Dataset& data, int thread_count, int steps) {
  base::ThreadPool threads(thread_count);
  const model::Loss loss = model::LogisticLoss{};
  const optimize::GradientSum sum({data, loss, 1}, {.clipping_norm = 1, .norm_bits = 26}, threads);
  const auto source = random::SecureSource::create();
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  const privacy::Gaussian event{.noise_multiplier = 50};
  auto reservation = budget.reserve(privacy::Repeated{.count = 1'000'000, .base = event},
                                    {.epsilon = std::numeric_limits<double>::infinity(),
                                     .delta = 0,
                                     .adjacency = privacy::Adjacency::add_remove});
  std::vector<double> weights(static_cast<std::size_t>(data.columns()));
  std::uint64_t step = 0;
  double least = HUGE_VAL;
  for (int repetition = 0; repetition < 4; ++repetition) {  // the first warms the caches
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < steps; ++k) {
      const auto released = mechanism::release_gaussian(
          sum.at(weights), privacy::NoiseMultiplier(50), {{.step = step++}, *source, reservation});
      for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= 1e-9 * released.value()[j];
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (repetition > 0) least = std::min(least, taken.count());
  }
  return least;
}

void print(const char* part, std::int64_t x, double seconds) {
  fmt::print("{} {} {:.6g}\n", part, x, seconds);
}

}  // namespace

int main() {
  for (const std::int64_t rows : {10'000, 100'000, 1'000'000, 10'000'000}) {
    print("rows", rows, seconds_of(records(rows, usual_columns), 1, 1));
  }
  for (const std::int64_t columns : {10, 30, 100, 300, 1000, 3000, 10'000}) {
    print("columns", columns, seconds_of(records(20'000, static_cast<std::size_t>(columns)), 1, 1));
  }
  const auto some = records(100'000, usual_columns);
  for (const int steps : {1, 10, 100, 1000}) print("steps", steps, seconds_of(some, 1, steps));
  const auto many = records(2'000'000, usual_columns);
  for (int threads = 1; threads <= base::available_threads(); threads *= 2) {
    print("threads", threads, seconds_of(many, threads, 1));
  }
  return 0;
}
