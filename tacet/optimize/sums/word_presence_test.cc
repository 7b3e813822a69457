#include "tacet/optimize/sums/word_presence.h"

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
#include "tacet/optimize/sums/presence_sum.h"
#include "tests/support/statistics.h"

namespace tacet::optimize {
namespace word_presence_test {

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
                                  data::TextTable{.text_column = "text", .unit_column = "who"}};
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

}  // namespace word_presence_test
}  // namespace tacet::optimize
