#include "tacet/optimize/sums/presence_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tests/support/statistics.h"

namespace tacet::optimize {
namespace presence_sum_test {

using data::Dataset;
using data::Storage;

constexpr std::int64_t columns = 40;
const std::vector<data::ColumnRange> ranges{{2, 20}, {30, 39}};

using Row = std::vector<std::int16_t>;

Row random_row(std::mt19937_64& bits) {
  Row row(columns, 0);
  const auto often = 1 + bits() % 6;
  for (auto& v : row) {
    if (bits() % often == 0) v = static_cast<std::int16_t>(static_cast<int>(bits() % 601) - 300);
  }
  return row;
}

std::map<std::int64_t, std::int64_t> sum_of(const std::vector<Row>& rows,
                                            Storage storage = Storage::dense) {
  Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (const auto& row : rows) dataset.append_dense(row, 1);
  const auto sum = presence_sum(dataset, ranges);
  EXPECT_EQ(sum.size(), columns);
  EXPECT_EQ(sum.contribution_bound(), presence_norm);
  std::map<std::int64_t, std::int64_t> values;
  for (const auto& item : sum.open(mechanism::AccessKeys::key())) values[item.index] = item.score;
  return values;
}

double distance(std::map<std::int64_t, std::int64_t> a,
                const std::map<std::int64_t, std::int64_t>& b) {
  for (const auto& [index, score] : b) a[index] -= score;
  double square = 0;
  for (const auto& [index, score] : a) {
    square += static_cast<double>(score) * static_cast<double>(score);
  }
  return std::sqrt(square);
}

// A record more or less moves the sum by at most presence_norm, one for another by at most sqrt 2
// of it: no coordinate is ever lowered by a record. Both are reached.
TEST(PresenceSum, NeighboursNeverMoveFurtherThanTheBound) {
  std::mt19937_64 bits(31);
  double longest = 0;
  double exchanged = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Row> rows(1 + bits() % 5);
    for (auto& row : rows) row = random_row(bits);
    auto others = rows;
    others.push_back(random_row(bits));
    longest = std::max(longest, distance(sum_of(others), sum_of(rows)));
    auto replaced = rows;
    replaced[0] = random_row(bits);
    exchanged = std::max(exchanged, distance(sum_of(replaced), sum_of(rows)));
  }
  const auto bound = static_cast<double>(presence_norm);
  EXPECT_LE(longest, bound);
  EXPECT_GE(longest, 0.999 * bound);
  EXPECT_LE(exchanged, std::sqrt(2.0) * bound);
  EXPECT_GE(exchanged, 1.2 * bound);
}

TEST(PresenceSum, CountsColumnsOfTheRangesAlone) {
  Row row(columns, 0);
  row[0] = 700;   // outside
  row[5] = 1;     // however small
  row[19] = -30;  // whatever its sign
  row[20] = 5;    // the range's end
  row[30] = 100;
  row[38] = 100;
  row[39] = 9;  // the intercept
  const auto share = static_cast<std::int64_t>(0x1p20 / 2);
  const std::map<std::int64_t, std::int64_t> expected{
      {5, 2 * share}, {19, 2 * share}, {30, 2 * share}, {38, 2 * share}};
  EXPECT_EQ(sum_of({row, row}), expected);
  EXPECT_TRUE(sum_of({Row(columns, 0)}).empty());
  EXPECT_TRUE(sum_of({}).empty());
}

TEST(PresenceSum, IsTheSameForDenseAndSparse) {
  std::mt19937_64 bits(7);
  std::vector<Row> rows(300);
  for (auto& row : rows) row = random_row(bits);
  EXPECT_EQ(sum_of(rows), sum_of(rows, Storage::sparse));
}

using Unit = std::vector<std::string>;  // its texts
using Counts = std::map<std::string, std::int64_t>;

/// Numbers of its own for each unit, whoever stands beside it.
struct Named {
  Unit texts;
  std::uint64_t random_draws;
};

data::OpenCorpus corpus_of(const std::vector<Named>& units) {
  std::string table = "who\ttext\n";
  // Texts of different units stand in turn.
  for (std::size_t place = 0; place < 3; ++place) {
    for (std::size_t u = 0; u < units.size(); ++u) {
      if (place >= units[u].texts.size()) continue;
      table += "u" + std::to_string(u) + "\t" + units[u].texts[place] + "\n";
    }
  }
  data::CorpusOptions options{.table =
                                  data::CorpusTable{.text_column = "text", .unit_column = "who"}};
  options.table->format.separator = '\t';
  return data::read_open_corpus(data::memory_source(table, "t"), "t", options);
}

Counts counts_of(const std::vector<Named>& units, std::int64_t most) {
  const auto texts = corpus_of(units);
  // Units are numbered as the file first names them, which is their order here.
  const WordPresenceRule rule{
      most, [&](std::int64_t unit) { return units[static_cast<std::size_t>(unit)].random_draws; }};
  const auto counts = word_presence(texts, rule);
  EXPECT_EQ(counts.norm(), presence_norm);
  EXPECT_EQ(counts.max_per_unit(), most);
  const auto access = mechanism::AccessKeys::key();
  Counts found;
  for (std::size_t k = 0; k < counts.names(access).size(); ++k) {
    if (counts.open(access)[k] != 0) found[counts.names(access)[k]] = counts.open(access)[k];
  }
  return found;
}

Named random_unit(std::mt19937_64& bits) {
  Named unit{{}, bits()};
  for (auto texts = 1 + bits() % 3; texts > 0; --texts) {
    std::string text;
    for (auto words = 1 + bits() % 6; words > 0; --words) {
      text += "w" + std::to_string(bits() % 12) + " ";
    }
    unit.texts.push_back(text);
  }
  return unit;
}

// A unit more moves the counts of at most `most` words, up, by a vector of norm at most 2^20 with
// equal numbers, and nobody else's.
TEST(WordPresence, AUnitMovesItsOwnWordsWithinTheBound) {
  std::mt19937_64 bits(17);
  double longest = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto most = static_cast<std::int64_t>(1 + bits() % 8);
    std::vector<Named> units(1 + bits() % 4);
    for (auto& unit : units) unit = random_unit(bits);
    auto without = units;
    // In front of the others, so that all words may have other numbers.
    units.insert(units.begin(), random_unit(bits));
    auto moved = counts_of(units, most);
    for (const auto& [word, count] : counts_of(without, most)) moved[word] -= count;
    double square = 0;
    std::int64_t words = 0;
    for (const auto& [word, count] : moved) {
      ASSERT_GE(count, 0);
      words += count > 0 ? 1 : 0;
      square += static_cast<double>(count) * static_cast<double>(count);
    }
    ASSERT_LE(words, most);
    ASSERT_LE(square, 0x1p40);
    longest = std::max(longest, square);
    for (const auto& [word, count] : moved) {
      if (count > 0) {
        ASSERT_EQ(count, static_cast<std::int64_t>(
                             std::floor(0x1p20 / std::sqrt(static_cast<double>(words)))));
      }
    }
  }
  EXPECT_EQ(longest, 0x1p40);
}

TEST(WordPresence, OfManyWordsAUniformSubsetCounts) {
  constexpr int draws = 20000;
  Named unit{{"a b c a a a"}, 0};
  std::vector<std::int64_t> seen(3);
  std::mt19937_64 bits(3);
  for (int i = 0; i < draws; ++i) {
    unit.random_draws = bits();
    const auto counts = counts_of({unit}, 2);
    ASSERT_EQ(counts.size(), 2U);
    for (int k = 0; k < 3; ++k) {
      if (!counts.contains(std::string(1, static_cast<char>('a' + k)))) {
        ++seen[static_cast<std::size_t>(k)];
      }
    }
  }
  const std::vector<double> expected(3, draws / 3.0);
  EXPECT_GT(test::chi_square_p_value(seen, expected), test::false_alarm_rate);
}

TEST(WordPresence, WordsCountOncePerUnitHoweverOften) {
  const auto counts = counts_of({{{"a a b", "b a"}, 1}, {{"b"}, 2}, {{""}, 3}}, 8);
  const auto half = static_cast<std::int64_t>(std::floor(0x1p20 / std::sqrt(2.0)));
  EXPECT_EQ(counts, (Counts{{"a", half}, {"b", half + presence_norm}}));
}

TEST(WordPresence, RefusesBoundsOutOfRange) {
  for (const std::int64_t most : {std::int64_t{0}, (std::int64_t{1} << 20) + 1}) {
    EXPECT_THROW((void)counts_of({{{"a"}, 1}}, most), base::UsageError);
  }
}

}  // namespace presence_sum_test

}  // namespace tacet::optimize
