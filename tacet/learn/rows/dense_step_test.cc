#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/learn/rows/row_optimizer.h"
#include "tacet/mechanism/noise/lazy_rows.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::learn {
namespace dense_step_test {

using privacy::NoiseMultiplier;
using privacy::RowSelection;
using enum RowOptimizerKind;

// Longer than the blocks in which rows lie, and no multiple of what is drawn at once.
const privacy::RowLayout layout({{.rows = 1100, .width = 7}, {.rows = 30, .width = 50}}, 3);

// Of the step's own touched rows, in units of `grid`.
privacy::RowSum sum_over_all(std::uint64_t step, double grid) {
  std::mt19937_64 bits(step);
  std::vector<std::int64_t> touched;
  std::vector<std::int64_t> values;
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    if (bits() % 16 != 0) continue;
    touched.push_back(row);
    for (std::int64_t j = 0; j < layout.width(row); ++j) {
      values.push_back(static_cast<std::int64_t>(bits() % 2001) - 1000);
    }
  }
  for (int j = 0; j < 3; ++j) values.push_back(j);
  return privacy::RowSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), grid,
                                          1 << 20),
      RowSelection::all(), layout, std::move(touched));
}

void start_anywhere(std::int64_t row, std::span<float> out) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = static_cast<float>(row % 13) - static_cast<float>(j);
  }
}

struct Releases {
  mechanism::NoisyRows whole;
  std::unique_ptr<mechanism::LazyRows> by_blocks;
  std::unique_ptr<mechanism::LazyRows> later;
};

// The same noise three times: of sources with one seed.
class Releaser {
 public:
  Releases release(std::uint64_t step, double grid) {
    const NoiseMultiplier multiplier(0.01);
    const auto context = [&](test::Spender& spender) {
      return mechanism::ReleaseContext{{.step = step}, spender.source, spender.reservation};
    };
    return {mechanism::release_rows(sum_over_all(step, grid), multiplier, context(whole_)).value(),
            mechanism::release_rows_lazily(sum_over_all(step, grid), multiplier, context(blocks_))
                .take(),
            mechanism::release_rows_lazily(sum_over_all(step, grid), multiplier, context(later_))
                .take()};
  }

 private:
  static test::Spender spender() {
    return {5, privacy::Gaussian{0.01}, privacy::Adjacency::add_remove, 20};
  }
  test::Spender whole_ = spender();
  test::Spender blocks_ = spender();
  test::Spender later_ = spender();
};

void expect_same_bits(const RowOptimizer& a, const RowOptimizer& b, const std::string& what) {
  std::vector<float> room(a.room_size());
  std::vector<float> other(b.room_size());
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    const auto x = a.read(row, room);
    const auto y = b.read(row, other);
    for (std::size_t j = 0; j < x.size(); ++j) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(x[j]), std::bit_cast<std::uint32_t>(y[j]))
          << what << ", row " << row;
    }
  }
}

// Whether the unit of the integers is a power of two, as it is for a clipping norm of 1, or not.
TEST(DenseStep, HasTheBitsOfTheWholeReleaseByBlocksAndWhenPutOff) {
  for (const double grid : {0x1p-20, 0.3e-6}) {
    for (const auto kind : {sgd, momentum, adagrad, adam, adam_dense_zero}) {
      const RowOptimizerSettings settings{.kind = kind, .step_size = .1, .fall = 10};
      RowOptimizer whole(layout, start_anywhere, settings);
      RowOptimizer by_blocks(layout, start_anywhere, settings);
      RowOptimizer later(layout, start_anywhere, settings);
      Releaser releaser;
      for (std::uint64_t step = 0; step < 5; ++step) {
        auto releases = releaser.release(step, grid);
        whole.step(releases.whole, 19.7);
        by_blocks.step(*releases.by_blocks, 19.7);
        if (step == 3) later.catch_up(std::vector<std::int64_t>{5, 600, 1110});
        later.defer(std::move(releases.later), 19.7);
      }
      later.catch_up();
      const std::string what(row_optimizer_names.of(kind));
      expect_same_bits(whole, by_blocks, what);
      expect_same_bits(whole, later, what + ", put off");
    }
  }
}

}  // namespace dense_step_test
}  // namespace tacet::learn
