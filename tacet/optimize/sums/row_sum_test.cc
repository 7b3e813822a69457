#include "tacet/optimize/sums/row_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tests/support/row_records.h"

namespace tacet::optimize {
namespace row_sum_test {

using privacy::Adjacency;
using privacy::RowLayout;
using privacy::RowSelection;
using test::RowGradient;
using test::RowRecordMaker;

const RowLayout& two_tables() {
  static const RowLayout layout({{9, 3}, {5, 1}}, 2);
  return layout;
}

constexpr RowLimit small_limit{.max_rows = 4, .max_records_per_unit = 1, .norm_bits = 20};

/// The whole sum by cell number, the dense block behind the tables.
std::map<std::int64_t, std::int64_t> cells_of(const privacy::RowSum& sum) {
  const auto access = mechanism::AccessKeys::key();
  const auto values = sum.open(access).open(access);
  const auto& layout = sum.layout();
  std::vector<std::int64_t> cells;
  if (const auto* chosen = sum.selection().cells()) {
    cells = *chosen;
  } else {
    const auto touched = sum.touched(access);
    const auto* rows = sum.selection().rows();
    for (const auto row : rows ? std::span<const std::int64_t>(*rows) : touched) {
      for (std::int64_t j = 0; j < layout.width(row); ++j) {
        cells.push_back(layout.first_cell(row) + j);
      }
    }
  }
  for (std::int64_t j = 0; j < layout.dense(); ++j) cells.push_back(layout.cells() + j);
  std::map<std::int64_t, std::int64_t> result;
  for (std::size_t i = 0; i < cells.size(); ++i) result[cells[i]] = values[i];
  return result;
}

template <typename Map>
double distance(Map a, const Map& b) {
  for (const auto& [key, value] : b) a[key] -= value;
  double square = 0;
  for (const auto& [key, value] : a)
    square += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(square);
}

/// A batch over the records on one thread.
struct Filled {
  explicit Filled(std::span<const RowGradient> records, const RowLimit& limit = small_limit,
                  int workers = 1)
      : pool(workers), batch(two_tables(), limit, pool) {
    test::fill(batch, records, pool.size());
  }
  base::ThreadPool pool;
  RowBatch batch;
};

RowSelection some_selection(RowRecordMaker& make) {
  const std::uint64_t kind = make.below(3);
  if (kind == 0) return RowSelection::all();
  std::vector<std::int64_t> chosen;
  const std::int64_t count = kind == 1 ? two_tables().rows() : two_tables().cells();
  for (std::int64_t i = 0; i < count; ++i) {
    if (make.below(2) == 0) chosen.push_back(i);
  }
  return kind == 1 ? RowSelection::rows(chosen) : RowSelection::cells(chosen);
}

/// Records, and neighbours with one more and with another one in its place.
struct Neighbours {
  explicit Neighbours(RowRecordMaker& make) : fewer(make.records(make.below(4))) {
    more = fewer;
    more.push_back(make.record());
    replaced = fewer;
    replaced.push_back(make.record());
  }
  std::vector<RowGradient> fewer;
  std::vector<RowGradient> more;
  std::vector<RowGradient> replaced;
};

TEST(RowSum, TenThousandNeighboursNeverBeatTheBound) {
  RowRecordMaker make(two_tables(), 7);
  double farthest = 0;
  for (int i = 0; i < 10000; ++i) {
    const Neighbours neighbours(make);
    const auto selection = some_selection(make);
    const RowClip clip{std::ldexp(1.0, static_cast<int>(make.below(5)) - 2),
                       static_cast<SecondClip>(make.below(3)),
                       std::ldexp(1.0, static_cast<int>(make.below(6)) - 3)};
    const auto without = Filled(neighbours.fewer).batch.sum(selection, clip);
    const auto with = Filled(neighbours.more).batch.sum(selection, clip);
    const auto other = Filled(neighbours.replaced).batch.sum(selection, clip);
    const auto bound = static_cast<double>(with.contribution_bound());
    ASSERT_EQ(without.contribution_bound(), with.contribution_bound());
    ASSERT_LE(distance(cells_of(without), cells_of(with)), bound) << i;
    ASSERT_LE(distance(cells_of(other), cells_of(with)), 2 * bound) << i;
    farthest = std::max(farthest, distance(cells_of(without), cells_of(with)) / bound);
  }
  EXPECT_GT(farthest, 0.99);  // the bound is no larger than it must be
}

TEST(RowSum, TenThousandNeighboursNeverBeatThePresenceBound) {
  RowRecordMaker make(two_tables(), 8);
  const auto access = mechanism::AccessKeys::key();
  const auto counts = [&](const privacy::SparseBoundedSum& sum) {
    std::map<std::int64_t, std::int64_t> result;
    for (const auto& item : sum.open(access)) result[item.index] = item.score;
    return result;
  };
  double farthest = 0;
  for (int i = 0; i < 10000; ++i) {
    const Neighbours neighbours(make);
    const Filled without(neighbours.fewer);
    const Filled with(neighbours.more);
    const Filled other(neighbours.replaced);
    const auto among = RowSelection::rows({0, 2, 3, 9, 12});
    const auto bound = static_cast<double>(with.batch.presence().contribution_bound());
    const auto check = [&](const auto& sum) {
      ASSERT_LE(distance(counts(sum(without)), counts(sum(with))), bound) << i;
      ASSERT_LE(distance(counts(sum(other)), counts(sum(with))), 2 * bound) << i;
      farthest = std::max(farthest, distance(counts(sum(without)), counts(sum(with))) / bound);
    };
    check([](const Filled& f) { return f.batch.presence(); });
    check([&](const Filled& f) { return f.batch.presence(among); });
  }
  EXPECT_GT(farthest, 0.99);
}

TEST(RowSum, MasksBeforeItClipsTheRecord) {
  // A record that is long where nobody looks keeps all of what was chosen.
  const std::vector<RowGradient> records{{{{0, {100, 0, 0}}, {1, {0.25, 0, -0.25}}}, {0.5, 0}}};
  const Filled filled(records);
  const auto chosen = RowSelection::rows({1, 4});
  constexpr double unit = 0x1p-20;
  const auto masked = cells_of(filled.batch.sum(chosen, {.clipping_norm = 1}));
  EXPECT_EQ(masked.at(3), static_cast<std::int64_t>(0.25 / unit));
  EXPECT_EQ(masked.at(5), -static_cast<std::int64_t>(0.25 / unit));
  EXPECT_EQ(masked.at(12), 0);  // chosen, touched by nobody
  EXPECT_EQ(masked.at(32), static_cast<std::int64_t>(0.5 / unit));
  const auto whole =
      cells_of(filled.batch.sum(chosen, {.clipping_norm = 1, .second = SecondClip::none}));
  EXPECT_NEAR(static_cast<double>(whole.at(3)) * unit, 0.0025, 1e-6);
}

TEST(RowSum, ClipsTheSumWhereThePaperDoes) {
  std::vector<RowGradient> records(8, {{{0, {1, 0, 0}}}, {}});
  const Filled filled(records);
  const RowClip clip{.clipping_norm = 1, .second = SecondClip::aggregate, .aggregate = 3};
  const auto sum = filled.batch.sum(RowSelection::rows({0}), clip);
  EXPECT_EQ(cells_of(sum).at(0), std::int64_t{3} << 20);
  // min(C, 2 * 3) and the rounding of 5 cells.
  EXPECT_GE(sum.contribution_bound(), (1 << 20) + 2);
  EXPECT_LE(sum.contribution_bound(), (1 << 20) + 5);
  const RowClip tight{.clipping_norm = 1, .second = SecondClip::aggregate, .aggregate = 0.25};
  EXPECT_LE(filled.batch.sum(RowSelection::rows({0}), tight).contribution_bound(), (1 << 19) + 5);
}

TEST(RowSum, CountsNothingOfARecordThatIsNoNumber) {
  const std::vector<RowGradient> good{{{{1, {1, 2, 3}}}, {1, 1}}};
  auto bad = good;
  bad.push_back({{{2, {1, NAN, 1}}}, {1, 1}});
  bad.push_back({{{2, {1, 1, 1}}}, {1, HUGE_VAL}});
  bad.push_back({});
  const auto of = [](std::span<const RowGradient> records) {
    return cells_of(Filled(records).batch.sum(RowSelection::all(), {.clipping_norm = 5}));
  };
  EXPECT_EQ(of(good), of(bad));
}

TEST(RowSum, HugeGradientsKeepTheirDirection) {
  const std::vector<RowGradient> records{{{{1, {3e307, 0, -4e307}}}, {0, 0}}};
  const auto cells = cells_of(Filled(records).batch.sum(RowSelection::all(), {.clipping_norm = 1}));
  EXPECT_NEAR(static_cast<double>(cells.at(3)), 0.6 * 0x1p20, 2);
  EXPECT_NEAR(static_cast<double>(cells.at(5)), -0.8 * 0x1p20, 2);
}

TEST(RowSum, HasTheSameBitsForAnyNumberOfThreads) {
  RowRecordMaker make(two_tables(), 9);
  const auto records = make.records(300);
  const Filled one(records, small_limit, 1);
  for (const int workers : {2, 3}) {
    const Filled several(records, small_limit, workers);
    for (const auto& selection :
         {RowSelection::all(), RowSelection::rows({0, 5, 11}), RowSelection::cells({1, 2, 20})}) {
      EXPECT_EQ(cells_of(one.batch.sum(selection, {})), cells_of(several.batch.sum(selection, {})));
    }
  }
}

TEST(RowSum, RecordsOfAUnitShareItsBound) {
  constexpr RowLimit two{.max_rows = 4, .max_records_per_unit = 2, .norm_bits = 20};
  const RowGradient record{{{0, {7, 0, 0}}}, {}, 5};
  const std::vector<RowGradient> both{record, record};
  const auto cells = cells_of(Filled(both, two).batch.sum(RowSelection::all(), {}));
  EXPECT_LE(cells.at(0), 1 << 20);
  EXPECT_NEAR(static_cast<double>(cells.at(0)), 0x1p20, 4);
  // A unit that brings more than it may counts nothing at all.
  const std::vector<RowGradient> three{record, record, record, {{{1, {1, 0, 0}}}, {}, 6}};
  const Filled surplus(three, two);
  const auto rest = cells_of(surplus.batch.sum(RowSelection::all(), {}));
  EXPECT_FALSE(rest.contains(0));
  EXPECT_TRUE(rest.contains(3));
  const auto access = mechanism::AccessKeys::key();
  const auto presence = surplus.batch.presence();
  ASSERT_EQ(presence.open(access).size(), 1U);
  EXPECT_EQ(presence.open(access)[0].index, 1);
  EXPECT_EQ(presence.open(access)[0].score, 1 << 19);
}

TEST(RowSum, IsRefusedForASampleOfOtherUnits) {
  base::ThreadPool pool(1);
  RowBatch batch(two_tables(), {.max_rows = 4, .max_records_per_unit = 2}, pool);
  const privacy::SamplingRate rate(0.5);
  EXPECT_THROW(batch.start(privacy::Sample::poisson(rate)), base::InternalError);
  EXPECT_THROW(batch.start(privacy::Sample::poisson(rate, 3)), base::InternalError);
  EXPECT_NO_THROW(batch.start(privacy::Sample::poisson(rate, 2)));
}

TEST(RowSum, AnEmptyStepIsASumOfZeros) {
  const Filled filled({});
  for (const auto& [cell, value] : cells_of(filled.batch.sum(RowSelection::rows({3, 12}), {}))) {
    EXPECT_EQ(value, 0) << cell;
  }
  EXPECT_EQ(filled.batch.presence().size(), 14);
}

TEST(RowSum, EveryRecordOfASampleCounts) {
  // Far more than a sample was expected to hold: none is pushed out by another one.
  const std::vector<RowGradient> records(5000, {{{0, {0.5, 0, 0}}}, {}});
  const Filled filled(records);
  const auto cells = cells_of(filled.batch.sum(RowSelection::rows({0}), {}));
  EXPECT_EQ(cells.at(0), std::int64_t{5000} << 19);
}

TEST(RowSum, TablesOfAnyHeightTakeNoMemory) {
  const RowLayout layout({{100000000, 16}, {1000000000, 100}}, 3);
  base::ThreadPool pool(1);
  RowBatch batch(layout, {.max_rows = 4}, pool);
  const RowGradient record{
      {{99999999, std::vector<double>(16, 1)}, {1099999999, std::vector<double>(100, 1)}}, {}};
  test::fill(batch, {&record, 1});
  EXPECT_EQ(cells_of(batch.sum(RowSelection::all(), {})).size(), 16U + 100 + 3);
  EXPECT_EQ(batch.presence().size(), 1100000000);
  const auto scores = batch.scores({Granularity::coordinate, 1, 1}, Adjacency::add_remove);
  EXPECT_EQ(scores.population(), 101600000000);
}

TEST(RowSum, RefusesChoicesAndNormsOutOfRange) {
  const Filled filled({});
  const auto sum = [&](const RowSelection& selection, const RowClip& clip) {
    static_cast<void>(filled.batch.sum(selection, clip));
  };
  EXPECT_THROW(sum(RowSelection::rows({14}), {}), base::UsageError);
  EXPECT_THROW(sum(RowSelection::cells({32}), {}), base::UsageError);
  EXPECT_THROW(static_cast<void>(RowSelection::rows({1, 1})), base::UsageError);
  for (const double norm : {0.0, -1.0, 1e-101, 1e101, static_cast<double>(NAN)}) {
    EXPECT_THROW(sum(RowSelection::all(), {.clipping_norm = norm}), base::UsageError);
  }
  EXPECT_THROW(sum(RowSelection::all(), {.second = SecondClip::aggregate}), base::UsageError);
  EXPECT_THROW(static_cast<void>(filled.batch.presence(RowSelection::all())), base::UsageError);
}

}  // namespace row_sum_test
}  // namespace tacet::optimize
