#include "tacet/mechanism/noise/lazy_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace lazy_rows_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Gaussian;
using privacy::NoiseMultiplier;
using privacy::RowLayout;
using privacy::RowSelection;
using privacy::RowSum;

const RowLayout layout({{400, 3}, {50, 1}}, 2);

RowSum sum_over_all() {
  return RowSum::from_certified(privacy::Certifier::clipped(),
                                BoundedSum::from_certified(privacy::Certifier::clipped(),
                                                           {7, -7, 9, 1, 2, 3, 50, 4, 5}, 0.25, 16),
                                RowSelection::all(), layout, {2, 399, 449});
}

struct Releases {
  test::Spender spender{9, Gaussian{100}, Adjacency::add_remove, 2};
  std::vector<double> whole =
      release_rows(sum_over_all(), NoiseMultiplier(100), {{}, spender.source, spender.reservation})
          .value()
          .values;
  random::SeededSource again{9};
  privacy::Released<std::unique_ptr<LazyRows>> lazy =
      release_rows_lazily(sum_over_all(), NoiseMultiplier(100), {{}, again, spender.reservation});
};

TEST(LazyRows, ReadInAnyOrderAreTheEagerRelease) {
  Releases releases;
  auto& lazy = *releases.lazy.value();
  EXPECT_EQ(releases.lazy.event(), privacy::Event(Gaussian{100}));
  std::vector<double> numbers(releases.whole.size());
  for (std::int64_t i = 0; i < layout.rows(); ++i) {
    const std::int64_t row = (i * 77) % layout.rows();
    const auto out = std::span(numbers).subspan(static_cast<std::size_t>(layout.first_cell(row)),
                                                static_cast<std::size_t>(layout.width(row)));
    lazy.row(row, out);
    if (i % 3 == 0) lazy.take_row(row, out);
  }
  std::ranges::copy(lazy.dense(), numbers.end() - 2);
  EXPECT_EQ(numbers, releases.whole);
}

TEST(LazyRows, BlocksOfRowsAreTheEagerRelease) {
  Releases releases;
  const auto& lazy = *releases.lazy.value();
  LazyRows::Reading reading(lazy);
  std::vector<double> numbers(releases.whole.size());
  for (std::int64_t first = 0; first < layout.rows(); first += 70) {
    const auto last = std::min(first + 70, layout.rows()) - 1;
    const auto cell = layout.first_cell(first);
    const auto size = layout.first_cell(last) + layout.width(last) - cell;
    reading.rows(
        first, last - first + 1,
        std::span(numbers).subspan(static_cast<std::size_t>(cell), static_cast<std::size_t>(size)));
  }
  std::ranges::copy(lazy.dense(), numbers.end() - 2);
  EXPECT_EQ(numbers, releases.whole);
  EXPECT_THROW(reading.rows(0, 2, std::span(numbers).first(5)), base::InternalError);
  EXPECT_THROW(reading.rows(440, 20, std::span(numbers).first(20)), base::InternalError);
}

TEST(LazyRows, WhatWasTakenIsGone) {
  Releases releases;
  auto& lazy = *releases.lazy.value();
  std::vector<double> out(3);
  lazy.take_row(2, out);
  EXPECT_THROW(lazy.row(2, out), base::InternalError);
  EXPECT_NO_THROW(lazy.row(3, out));
  EXPECT_THROW(lazy.row(450, out), base::InternalError);
  EXPECT_THROW(lazy.row(449, out), base::InternalError);  // of width 1
}

TEST(LazyRows, AreOfAllRowsAndPaidForOnce) {
  test::Spender spender(9, Gaussian{100}, Adjacency::add_remove, 1);
  const auto release = [&](RowSum sum) {
    return release_rows_lazily(std::move(sum), NoiseMultiplier(100),
                               {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_THROW((void)release(RowSum::from_certified(
                   privacy::Certifier::clipped(),
                   BoundedSum::from_certified(privacy::Certifier::clipped(), {1, 2, 3}, 1, 16),
                   RowSelection::cells({1}), layout)),
               base::UsageError);
  EXPECT_NO_THROW((void)release(sum_over_all()));
  EXPECT_THROW((void)release(sum_over_all()), base::BudgetError);
}

}  // namespace lazy_rows_test
}  // namespace tacet::mechanism
