// One full pass of a linear model's arithmetic over 8,192 dense rows of 54 small integers:
// products with the weights, then the sum of the rows times a factor each. The baseline is the
// loop one would write, over the same representation.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tacet/numeric/kernels.h"

namespace {

constexpr std::size_t row_count = 8192;
constexpr std::size_t column_count = 54;

struct Rows {
  std::vector<std::int16_t> values;
  std::vector<const std::int16_t*> rows;
  std::vector<double> weights;
  std::vector<double> factors;

  Rows() : values(row_count * column_count), weights(column_count), factors(row_count) {
    std::mt19937_64 generator(20231);
    std::uniform_int_distribution<int> feature(-279, 279);  // norm at most 2048 over 54 columns
    std::uniform_int_distribution<int> weight(-(1 << 20), 1 << 20);
    for (auto& value : values) value = static_cast<std::int16_t>(feature(generator));
    for (auto& value : weights) value = weight(generator);
    for (auto& value : factors) value = weight(generator);
    for (std::size_t row = 0; row < row_count; ++row) {
      rows.push_back(values.data() + row * column_count);
    }
  }
};

void set_items(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(row_count));
}

void tacet_pass(benchmark::State& state) {
  const Rows input;
  std::vector<double> products(row_count);
  std::vector<double> sums(column_count);
  for (auto _ : state) {
    tacet::numeric::exact_dots(input.rows, input.weights, products);
    tacet::numeric::add_exact_multiples(input.rows, input.factors, sums);
    benchmark::DoNotOptimize(products.data());
    benchmark::DoNotOptimize(sums.data());
    benchmark::ClobberMemory();
  }
  set_items(state);
}

void plain_pass(benchmark::State& state) {
  const Rows input;
  std::vector<double> products(row_count);
  std::vector<double> sums(column_count);
  for (auto _ : state) {
    for (std::size_t row = 0; row < row_count; ++row) {
      double product = 0;
      for (std::size_t column = 0; column < column_count; ++column) {
        product += input.rows[row][column] * input.weights[column];
      }
      products[row] = product;
    }
    for (std::size_t row = 0; row < row_count; ++row) {
      for (std::size_t column = 0; column < column_count; ++column) {
        sums[column] += input.rows[row][column] * input.factors[row];
      }
    }
    benchmark::DoNotOptimize(products.data());
    benchmark::DoNotOptimize(sums.data());
    benchmark::ClobberMemory();
  }
  set_items(state);
}

BENCHMARK(tacet_pass)->Name("dense_pass/tacet");
BENCHMARK(plain_pass)->Name("dense_pass/baseline");

}  // namespace
