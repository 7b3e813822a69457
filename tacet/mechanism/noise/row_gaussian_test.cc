#include "tacet/mechanism/noise/row_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace row_gaussian_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Gaussian;
using privacy::NoiseMultiplier;
using privacy::RowLayout;
using privacy::RowSelection;
using privacy::RowSum;
using privacy::Sample;

constexpr std::int64_t bound = 1 << 14;
const RowLayout layout({{400, 3}, {50, 1}}, 2);

RowSum chosen(RowSelection selection, const Sample& sample = Sample::all()) {
  const auto size = static_cast<std::size_t>(selection.cell_count(layout) + layout.dense());
  std::vector<std::int64_t> values(size, 0);
  for (std::size_t i = 0; i < 4; ++i) values[i] = static_cast<std::int64_t>(1000 * i);
  return RowSum::from_certified(privacy::Certifier::clipped(),
                                BoundedSum::from_certified(privacy::Certifier::clipped(),
                                                           std::move(values), 0.5, bound, sample),
                                std::move(selection), layout);
}

std::vector<double> noised(RowSum sum, std::uint64_t seed) {
  test::Spender spender(seed, Gaussian{1}, Adjacency::add_remove, 1);
  return release_rows(std::move(sum), NoiseMultiplier(1),
                      {spender.next(), spender.source, spender.reservation})
      .value()
      .values;
}

TEST(RowGaussian, TouchedRowsAndOthersDrawTheSameNoise) {
  // All rows, of which none, some or all are held: the same numbers where they are the same.
  const auto all = [](std::vector<std::int64_t> touched) {
    std::vector<std::int64_t> values;
    for (const auto row : touched) {
      for (std::int64_t j = 0; j < layout.width(row); ++j) {
        values.push_back(row == 7 || row == 420 ? 64 : 0);
      }
    }
    values.push_back(-32);
    values.push_back(0);
    return RowSum::from_certified(
        privacy::Certifier::clipped(),
        BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), 0.5, bound),
        RowSelection::all(), layout, std::move(touched));
  };
  std::vector<std::int64_t> every;
  for (std::int64_t row = 0; row < layout.rows(); ++row) every.push_back(row);
  const auto few = noised(all({7, 340, 341, 420}), 3);
  EXPECT_EQ(few, noised(all(every), 3));
  ASSERT_EQ(std::ssize(few), layout.cells() + 2);
  // The same words as a sum that holds all of it, and as the choice of all rows by their numbers.
  const auto none = noised(all({}), 3);
  for (std::int64_t cell = 0; cell < layout.cells(); ++cell) {
    const auto row = layout.row_of_cell(cell);
    const auto at = static_cast<std::size_t>(cell);
    ASSERT_EQ(few[at] - none[at], row == 7 || row == 420 ? 32 : 0);
  }
  auto values = std::vector<std::int64_t>(few.size(), 0);
  values[few.size() - 2] = -32;
  const auto listed = RowSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), values, 0.5, bound),
      RowSelection::rows(every), layout);
  EXPECT_EQ(none, noised(listed, 3));
}

TEST(RowGaussian, EveryChosenCellGetsNoise) {
  const auto noisy = noised(chosen(RowSelection::rows({0, 3, 399, 449})), 5);
  ASSERT_EQ(noisy.size(), 3U * 3 + 1 + 2);
  for (const double value : noisy) EXPECT_NE(value, 0);
  // Variance over the rows that nobody touched; false alarms below 1e-9.
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 10; row < 390; ++row) rows.push_back(row);
  const auto many = noised(chosen(RowSelection::rows(rows)), 6);
  double square = 0;
  for (std::size_t i = 4; i < many.size(); ++i) square += many[i] * many[i];
  const double variance = square / static_cast<double>(many.size() - 4);
  const double sigma = bound * 0.5;
  EXPECT_NEAR(variance / (sigma * sigma), 1, 6.2 * std::sqrt(2.0 / 1138));
}

TEST(RowGaussian, DebitsTheGaussianUnderItsSample) {
  const privacy::Event noise = Gaussian{1};
  const auto released = [&](const Sample& sample, Adjacency adjacency) {
    test::Spender spender(5, sample.event(noise), adjacency, 1);
    return release_rows(chosen(RowSelection::cells({3, 9, 1249}), sample), NoiseMultiplier(1),
                        {spender.next(), spender.source, spender.reservation})
        .event();
  };
  const auto poisson = Sample::poisson(privacy::SamplingRate(0.25));
  EXPECT_EQ(released(poisson, Adjacency::add_remove),
            privacy::Event(privacy::PoissonSampled{0.25, noise}));
  const auto fixed = Sample::fixed_size({5, 50});
  EXPECT_EQ(released(fixed, Adjacency::replace_one),
            privacy::Event(privacy::FixedSizeSampled{5, 50, noise}));
  // Once more from the same samples.
  EXPECT_THROW(released(poisson, Adjacency::add_remove), base::InternalError);
  EXPECT_THROW(released(fixed, Adjacency::replace_one), base::InternalError);
}

TEST(RowGaussian, NothingLeavesWithoutNoiseOrBudget) {
  test::Spender spender(5, Gaussian{1}, Adjacency::add_remove, 1);
  const auto release = [&](double multiplier) {
    return release_rows(chosen(RowSelection::rows({0, 1})), NoiseMultiplier(multiplier),
                        {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_THROW((void)release(0.5), base::BudgetError);  // costs more than was booked
  EXPECT_NO_THROW((void)release(1));
  EXPECT_THROW((void)release(1), base::BudgetError);
}

TEST(RowGaussian, RefusesASumThatDoesNotFitItsChoice) {
  const auto sum = [](std::size_t size, RowSelection selection,
                      std::vector<std::int64_t> touched = {}) {
    return RowSum::from_certified(
        privacy::Certifier::clipped(),
        BoundedSum::from_certified(privacy::Certifier::clipped(),
                                   std::vector<std::int64_t>(size, 0), 1, bound),
        std::move(selection), layout, std::move(touched));
  };
  EXPECT_NO_THROW((void)sum(5, RowSelection::rows({4})));
  EXPECT_THROW((void)sum(4, RowSelection::rows({4})), base::InternalError);
  EXPECT_THROW((void)sum(5, RowSelection::all()), base::InternalError);
  EXPECT_NO_THROW((void)sum(5, RowSelection::all(), {4}));
}

}  // namespace row_gaussian_test
}  // namespace tacet::mechanism
