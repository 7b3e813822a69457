// Time of a fit by method inference beside what method adassp does with the same records: its sums,
// their release and the coefficients. One line of JSON a mean; bench/speed/inference.py judges
// them.
//
//     inference_bench ROWS COLUMNS

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tacet/learn/ridge/gram_spectrum.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tests/support/simulated_regression.h"

using namespace tacet;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double adassp_seconds(const data::Dataset& records, std::uint64_t seed) {
  constexpr auto adjacency = privacy::Adjacency::add_remove;
  base::ThreadPool threads(1);
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(privacy::Gaussian{4}, {1, 1e-6, adjacency});
  const auto start = Clock::now();
  const auto released =
      mechanism::release_gaussian(optimize::gram_sum(records, 1, adjacency, threads),
                                  privacy::NoiseMultiplier(4), {{}, source, reservation});
  const auto spectrum = learn::gram_spectrum(released.value(), {records.columns(), 1});
  const learn::ReleasedNoise noise{5.7, 5.7};
  const auto found =
      learn::ridge_coefficients(spectrum, learn::likeliest_gains(spectrum, noise), noise);
  return seconds_since(start) + 0 * found.values[0];
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void measure(optimize::MeanModel mean, std::int64_t rows, int columns) {
  const test::SimulatedRegression regression(mean, rows, columns, .3);
  const auto records = regression.draw(1);
  const auto setup = regression.setup(1);
  std::vector<double> plain;
  std::vector<double> ours;
  for (std::uint64_t turn = 0; turn < 5; ++turn) {
    plain.push_back(adassp_seconds(records, turn));
    const auto start = Clock::now();
    const auto found = test::fit(records, setup, turn);
    ours.push_back(seconds_since(start) + 0 * found.coefficients[0]);
  }
  fmt::print(
      "{{\"mean\": \"{}\", \"rows\": {}, \"columns\": {}, \"adassp_seconds\": {:.6f}, "
      "\"inference_seconds\": {:.6f}}}\n",
      mean == optimize::MeanModel::logistic ? "logistic" : "linear", rows, columns, median(plain),
      median(ours));
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto rows = std::atoll(words[1]);
  const auto columns = std::atoi(words[2]);
  for (const auto mean : {optimize::MeanModel::identity, optimize::MeanModel::logistic}) {
    measure(mean, rows, columns);
  }
}
