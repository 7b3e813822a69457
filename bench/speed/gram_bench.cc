// Time of what method adassp does with records that were read: the sums of products, their release
// and the coefficients. One line of JSON a size; bench/speed/gram.py puts NumPy beside it.
//
//     gram_bench ROWS COLUMNS [dense|sparse NONZEROS]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/ridge/gram_spectrum.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/privacy/trusting_budget.h"

using namespace tacet;

namespace {

data::Dataset make_dataset(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros) {
  data::Dataset dataset({.columns = columns,
                         .norm_bound = 1,
                         .storage = nonzeros > 0 ? data::Storage::sparse : data::Storage::dense});
  const std::int64_t filled = nonzeros > 0 ? nonzeros : columns;
  const int largest = static_cast<int>(2047 / std::sqrt(static_cast<double>(filled)));
  const auto span = static_cast<std::uint64_t>(2 * largest + 1);
  std::mt19937_64 bits(1);
  std::vector<std::int16_t> row(static_cast<std::size_t>(columns), 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::ranges::fill(row, std::int16_t{0});
    for (std::int64_t k = 0; k < filled; ++k) {
      const auto j = nonzeros > 0 ? bits() % static_cast<std::uint64_t>(columns)
                                  : static_cast<std::uint64_t>(k);
      row[j] = static_cast<std::int16_t>(static_cast<int>(bits() % span) - largest);
    }
    dataset.append_dense(row, static_cast<double>(bits() % 2001) / 1000 - 1);
  }
  return dataset;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto rows = std::atoll(words[1]);
  const auto columns = std::atoll(words[2]);
  const auto dataset = make_dataset(rows, columns, count > 3 ? std::atoll(words[3]) : 0);
  constexpr auto adjacency = privacy::Adjacency::add_remove;
  base::ThreadPool threads(1);
  double best = HUGE_VAL;
  double best_sum = HUGE_VAL;
  for (int turn = 0; turn < 5; ++turn) {
    random::SeededSource source(static_cast<std::uint64_t>(turn));
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(privacy::Gaussian{4}, {1, 1e-6, adjacency});
    const auto start = std::chrono::steady_clock::now();
    auto sum = optimize::gram_sum(dataset, 1, adjacency, threads);
    best_sum = std::min(best_sum, seconds_since(start));
    const auto released = mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(4),
                                                      {{}, source, reservation});
    const auto spectrum = learn::gram_spectrum(released.value(), {columns, 1});
    const learn::ReleasedNoise noise{5.7, 5.7};
    const auto found =
        learn::ridge_coefficients(spectrum, learn::likeliest_gains(spectrum, noise), noise);
    best = std::min(best, seconds_since(start) + 0 * found.values[0]);
  }
  fmt::print("{{\"rows\": {}, \"columns\": {}, \"seconds\": {:.6f}, \"sum_seconds\": {:.6f}}}\n",
             rows, columns, best, best_sum);
}
