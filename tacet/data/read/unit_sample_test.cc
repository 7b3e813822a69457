#include "tacet/data/read/unit_sample.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"
#include "tacet/data/read/column_contents.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace unit_sample_test {

const std::vector<std::string> missing{"", "NA"};

/// Which of the records (unit, value) are taken.
std::vector<bool> taken(const std::filesystem::path& file,
                        const std::vector<std::array<Value, 2>>& records, std::int64_t most,
                        std::uint64_t seed) {
  random::SeededSource source(seed);
  UnitSample sample({csv_records(file, {}), missing}, {"who", most},
                    source.claim(random::Purpose::sampling, 0, 0));
  std::vector<bool> result;
  for (const auto& record : records) result.push_back(sample.takes_next(record));
  return result;
}

TEST(UnitIndex, BlanksMakeNoOtherPersonAndMissingNamesNone) {
  UnitIndex units(missing);
  EXPECT_EQ(units.number("a"), 0);
  EXPECT_EQ(units.number("b"), 1);
  EXPECT_EQ(units.number(" a\t"), 0);
  for (const auto* nobody : {"", "NA", "  ", " NA "}) {
    EXPECT_EQ(units.number(nobody), Dataset::no_unit);
  }
}

TEST(UnitSample, TakesAllRecordsOfSmallUnitsAndSomeOfLargeOnes) {
  const test::TemporaryFile file("who,x\na,1\nb,1\na,2\na,3\nNA,4\n a ,5\n");
  const std::vector<std::array<Value, 2>> records{{"a", "1"}, {"b", "1"},  {"a", "2"},
                                                  {"a", "3"}, {"NA", "4"}, {" a ", "5"}};
  std::array<int, 6> counts{};
  constexpr int draws = 800;
  for (int seed = 0; seed < draws; ++seed) {
    const auto chosen = taken(file.path(), records, 2, static_cast<std::uint64_t>(seed));
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += chosen[k] ? 1 : 0;
    ASSERT_EQ(chosen[0] + chosen[2] + chosen[3] + chosen[5], 2);
    ASSERT_TRUE(chosen[1]);
    ASSERT_FALSE(chosen[4]);
  }
  // Each of the four with probability 1/2: 6.2 standard deviations of sqrt(draws) / 2 fail once in
  // 10^9.
  for (const auto k : {0U, 2U, 3U, 5U})
    EXPECT_NEAR(counts[k], draws / 2, 6.2 * std::sqrt(draws) / 2);
}

// The subsets are uniform too, not only the records.
TEST(UnitSample, EverySubsetIsAsLikely) {
  const test::TemporaryFile file("who,x\na,1\na,2\na,3\na,4\n");
  const std::vector<std::array<Value, 2>> records(4, {"a", "1"});
  std::map<std::vector<bool>, int> counts;
  constexpr int draws = 900;
  for (int seed = 0; seed < draws; ++seed) {
    ++counts[taken(file.path(), records, 2, static_cast<std::uint64_t>(seed))];
  }
  ASSERT_EQ(counts.size(), 6U);
  // Standard deviation of a count: sqrt(draws 5/36); six counts.
  for (const auto& [subset, count] : counts) {
    EXPECT_NEAR(count, draws / 6, 6.5 * std::sqrt(draws * 5.0 / 36));
  }
}

// A file that changes between both passes cannot break the bound.
TEST(UnitSample, CountsWhatItTakes) {
  const test::TemporaryFile file("who,x\na,1\nb,2\nc,3\n");
  const std::vector<std::array<Value, 2>> others(5, {"a", "1"});
  const auto chosen = taken(file.path(), others, 1, 1);
  EXPECT_EQ(chosen, (std::vector<bool>{true, false, false, false, false}));
}

TEST(UnitSample, NeedsItsColumnAndALimit) {
  const test::TemporaryFile file("who,x,x\na,1,2\n");
  const auto make = [&](const char* column, std::int64_t records) {
    random::SeededSource source(1);
    const UnitSample sample({csv_records(file.path(), {}), missing}, {column, records},
                            source.claim(random::Purpose::sampling, 0, 0));
  };
  EXPECT_NO_THROW(make("who", 1));
  EXPECT_NO_THROW(make("who", records_per_unit_limit));
  EXPECT_THROW(make("nobody", 1), base::DataError);
  EXPECT_THROW(make("x", 1), base::DataError);
  EXPECT_THROW(make("who", 0), base::UsageError);
  EXPECT_THROW(make("who", records_per_unit_limit + 1), base::UsageError);
}

TEST(UnitSample, ContentsHoldTheTakenRecordsOnly) {
  std::string text = "who,x\n";
  for (int i = 0; i < 50; ++i) text += "a,one text\n";
  text += "b,other\n";
  const test::TemporaryFile file(text);
  random::SeededSource source(3);
  UnitSample sample({csv_records(file.path(), {}), missing}, {"who", 4},
                    source.claim(random::Purpose::sampling, 0, 0));
  EXPECT_EQ(read_contents(csv_records(file.path(), {}), missing, {.sample = &sample}).size(), 2U);
  // Contents are private; that no record is left over shows that all were asked for.
  EXPECT_FALSE(sample.takes_next(std::array<Value, 2>{"b", "other"}));
}

// A file whose columns change places between the two passes would be counted by another column.
TEST(UnitSample, ColumnsThatChangeBetweenThePassesAreRefused) {
  const test::TemporaryFile file("who,x\na,1\nb,2\n");
  UnitSample sample({csv_records(file.path(), {}), std::vector<std::string>{""}}, {"who", 1},
                    random::SeededSource(1).claim(random::Purpose::sampling, 0, 0));
  EXPECT_NO_THROW(sample.expect_columns(std::vector<std::string>{"who", "x"}, "f"));
  EXPECT_THROW(sample.expect_columns(std::vector<std::string>{"x", "who"}, "f"), base::DataError);
  const std::vector<std::string> planned{"who", "y"};
  EXPECT_THROW(
      static_cast<void>(read_contents(csv_records(file.path(), {}), std::vector<std::string>{""},
                                      {.expected = planned})),
      base::DataError);
}

}  // namespace unit_sample_test
}  // namespace tacet::data
