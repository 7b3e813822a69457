#include "tacet/optimize/sums/moment_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/mechanism/access_keys.h"
#include "tests/support/mixed_records.h"

namespace tacet::optimize {
namespace moment_sum_test {

using test::all_records;
using test::encode;
using test::Fields;
using test::mixed_schema;

std::vector<std::int64_t> sum_of(const std::vector<Fields>& records, int norm_bits,
                                 Moments moments = {}) {
  const auto schema = mixed_schema();
  const auto sum =
      moment_sum(encode(data::raw_schema(schema), records), schema, norm_bits, moments);
  const auto values = sum.open(mechanism::AccessKeys::key());
  EXPECT_EQ(sum.contribution_bound(), std::int64_t{1} << norm_bits);
  return {values.begin(), values.end()};
}

std::int64_t squared_distance(const std::vector<std::int64_t>& a,
                              const std::vector<std::int64_t>& b) {
  std::int64_t squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
  return squared;
}

TEST(MomentSum, NeighboursDifferByNoMoreThanTheBound) {
  auto records = all_records();
  for (std::size_t k = 0; k < records.size(); k += 3) records[k].back() = "1";
  const std::vector<Fields> others{records[3], records[17]};
  for (const Moments moments : {Moments{}, Moments{.categories = true}, Moments{.target = true},
                                Moments{.categories = true, .target = true}}) {
    for (const int bits : {14, 21, 30}) {
      const std::int64_t bound = std::int64_t{1} << (2 * bits);
      const auto base = sum_of(others, bits, moments);
      std::vector<std::vector<std::int64_t>> with;
      for (const auto& record : records) {
        auto all = others;
        all.insert(all.begin() + 1, record);
        with.push_back(sum_of(all, bits, moments));
        EXPECT_LE(squared_distance(with.back(), base), bound);
      }
      std::int64_t most = 0;
      for (const auto& one : with) {
        for (const auto& other : with) most = std::max(most, squared_distance(one, other));
      }
      EXPECT_LE(most, 4 * bound);
    }
  }
}

std::vector<std::int64_t> sum_of_units(const std::vector<Fields>& records,
                                       const std::vector<std::int64_t>& units, int norm_bits,
                                       Moments moments) {
  const auto schema = mixed_schema();
  const auto sum = moment_sum(test::encode_units(data::raw_schema(schema), records, units), schema,
                              norm_bits, moments);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

/// Units of one to five records, each of another kind.
template <typename Visit>
void for_units(const Visit& visit) {
  const auto all = all_records();
  for (std::size_t size = 1; size <= 5; ++size) {
    for (std::size_t first = 0; first + size <= all.size(); first += 3) {
      visit(std::vector<Fields>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                all.begin() + static_cast<std::ptrdiff_t>(first + size)));
    }
  }
}

TEST(MomentSum, AUnitMovesItByNoMoreThanOneRecord) {
  const std::vector<Fields> others{all_records()[3], all_records()[17], all_records()[40]};
  for (const int bits : {14, 21, 30}) {
    for (const std::int64_t most : {1, 2, 3, 7}) {
      const Moments moments{.categories = true, .target = true, .records_per_unit = most};
      const auto without = sum_of_units(others, {0, 0, 1}, bits, moments);
      for_units([&](const std::vector<Fields>& unit) {
        // The unit's records stand between those of others, which count as without them.
        auto records = unit;
        records.insert(records.begin() + 1, others.begin(), others.end());
        std::vector<std::int64_t> units(records.size(), 0);
        units[1] = units[2] = 1;
        units[3] = 2;
        const auto with = sum_of_units(records, units, bits, moments);
        EXPECT_LE(squared_distance(with, without), std::int64_t{1} << (2 * bits));
      });
    }
  }
}

TEST(MomentSum, AUnitAddsTheMeanOfItsFirstRecords) {
  const Moments of_units{.categories = true, .target = true, .records_per_unit = 3};
  const Moments of_records{.categories = true, .target = true};
  for_units([&](std::vector<Fields> unit) {
    const auto found = sum_of_units(unit, std::vector<std::int64_t>(unit.size(), 0), 30, of_units);
    if (unit.size() > 3) unit.resize(3);
    // The same numbers but for the unit's own count, for which the grid is coarser.
    auto whole = sum_of(unit, 30, of_records);
    const auto place = place_of_count(mixed_schema(), of_units);
    ASSERT_EQ(found.size(), whole.size() + 1);
    whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(place), 0);
    const double grid = std::sqrt(7.0 / 8);  // three pairs and a mark, and the count
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i == place) continue;
      const double mean = static_cast<double>(whole[i]) / static_cast<double>(unit.size());
      EXPECT_NEAR(static_cast<double>(found[i]), grid * mean, 8);  // grid units
    }
    EXPECT_NEAR(static_cast<double>(found[place]), std::ldexp(1 / std::sqrt(8.0), 30), 8);
  });
}

struct Table {
  std::vector<Fields> records;
  std::vector<std::int64_t> units;

  /// The records of a further unit, each at a place drawn at random.
  void add_unit(std::int64_t size, std::mt19937_64& bits) {
    const auto all = all_records();
    const std::int64_t unit = units.empty() ? 0 : std::ranges::max(units) + 1;
    for (std::int64_t k = 0; k < size; ++k) {
      const auto place = static_cast<std::ptrdiff_t>(bits() % (records.size() + 1));
      auto record = all[bits() % all.size()];
      record.back() = bits() % 2 == 0 ? "1" : "";
      records.insert(records.begin() + place, record);
      units.insert(units.begin() + place, unit);
    }
  }
};

// Whole units of 1 to 1,024 records, wherever these stand between those of others: with and
// without, and one in the place of another.
TEST(MomentSum, LargeUnitsMoveItByNoMoreThanOneRecord) {
  std::mt19937_64 bits(57);
  for (const std::int64_t most : {1, 30, 1024}) {
    const Moments moments{.categories = true, .target = true, .records_per_unit = most};
    for (const int norm_bits : {14, 24, 30}) {
      const std::int64_t bound = std::int64_t{1} << (2 * norm_bits);
      Table others;
      for (const std::int64_t size : {1, 2, 40}) others.add_unit(size, bits);
      const auto without = sum_of_units(others.records, others.units, norm_bits, moments);
      std::vector<std::vector<std::int64_t>> with;
      for (const std::int64_t size : {1, 2, 31, 700, 1024, 1100}) {
        auto table = others;
        table.add_unit(size, bits);
        with.push_back(sum_of_units(table.records, table.units, norm_bits, moments));
        EXPECT_LE(squared_distance(with.back(), without), bound) << size;
        EXPECT_LE(squared_distance(with.back(), with.front()), 4 * bound) << size;
      }
    }
  }
}

TEST(MomentSum, RecordsWithoutAUnitTakeNoPart) {
  const std::vector<Fields> records{all_records()[3], all_records()[40]};
  const Moments moments{.records_per_unit = 2};
  EXPECT_EQ(sum_of_units(records, {0, data::Dataset::no_unit}, 20, moments),
            sum_of_units({records[0]}, {0}, 20, moments));
  EXPECT_THROW((void)sum_of_units(records, {0, 1}, 20, {}), base::InternalError);
}

TEST(MomentSum, HasMeanAndSquareOfTheTarget) {
  const std::vector<Fields> records{{"20", "u", "1", "0"}, {"40", "v", "0", "1"}};
  const auto schema = mixed_schema();
  const auto raw = encode(data::raw_schema(schema), records);
  const auto sum = moment_sum(raw, schema, 30, {.target = true});
  const auto values = sum.open(mechanism::AccessKeys::key());
  const auto last = values.size() - 2;
  const double mean = raw.label(0) + raw.label(1);
  const double square = raw.label(0) * raw.label(0) + raw.label(1) * raw.label(1);
  EXPECT_NEAR(2 * static_cast<double>(values[last]) * sum.grid(), mean, 1e-6);
  EXPECT_NEAR(static_cast<double>(values[last + 1]) * sum.grid() + 1, square, 1e-6);
}

TEST(MomentSum, CountsCategories) {
  const std::vector<Fields> records{
      {"20", "u", "1", "0"}, {"40", "v", "0", "0"}, {"40", "v", "0", "0"}, {"40", "w", "0", "0"}};
  const auto schema = mixed_schema();
  const auto sum =
      moment_sum(encode(data::raw_schema(schema), records), schema, 30, {.categories = true});
  const auto values = sum.open(mechanism::AccessKeys::key());
  ASSERT_EQ(values.size(), 6);
  EXPECT_NEAR(2 * static_cast<double>(values[4]) * sum.grid(), 1, 1e-6);
  EXPECT_NEAR(2 * static_cast<double>(values[5]) * sum.grid(), 2, 1e-6);
}

TEST(MomentSum, HoldsMeansAndSquares) {
  const std::vector<Fields> records{{"20", "u", "1", "0"}, {"40", "v", "0", "0"}};
  const auto schema = mixed_schema();
  const auto sum = moment_sum(encode(data::raw_schema(schema), records), schema, 30);
  const auto values = sum.open(mechanism::AccessKeys::key());
  const auto real = [&](std::size_t i) { return static_cast<double>(values[i]) * sum.grid(); };
  EXPECT_NEAR(2 * real(0), -1.5, 1e-6);        // -1 and -0.5
  EXPECT_NEAR(real(1) + 2 * 0.5, 1.25, 1e-6);  // 1 and 0.25
  EXPECT_NEAR(2 * real(2), 0, 1e-6);
  EXPECT_NEAR(real(3) + 2 * 0.5, 2, 1e-6);
}

TEST(MomentSum, OfPartsIsCertifiedAsOfAllRecords) {
  const auto records = all_records();
  const auto schema = mixed_schema();
  const auto raw = data::raw_schema(schema);
  const Moments moments{.categories = true};
  const std::vector<Fields> first(records.begin(), records.begin() + 7);
  const std::vector<Fields> second(records.begin() + 7, records.end());
  auto integers = moment_integers(encode(raw, first), schema, 24, moments);
  const auto others = moment_integers(encode(raw, second), schema, 24, moments);
  ASSERT_EQ(std::ssize(integers), moment_terms(schema, moments));
  for (std::size_t i = 0; i < integers.size(); ++i) integers[i] += others[i];
  const auto joined = certified_moments(integers, schema, 24, moments);
  const auto whole = moment_sum(encode(raw, records), schema, 24, moments);
  const auto key = mechanism::AccessKeys::key();
  EXPECT_TRUE(std::ranges::equal(joined.open(key), whole.open(key)));
  EXPECT_EQ(joined.grid(), whole.grid());
  EXPECT_EQ(joined.contribution_bound(), whole.contribution_bound());
  integers.pop_back();
  EXPECT_THROW((void)certified_moments(integers, schema, 24, moments), base::InternalError);
}

}  // namespace moment_sum_test
}  // namespace tacet::optimize
