#include "tacet/data/owner/split_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace split_records_test {

struct Parts {
  std::string train;
  std::string test;
  SplitCounts counts;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class SplitRecords : public testing::Test {
 protected:
  Parts split(const std::string& text, const SplitOptions& options) {
    const auto file = folder_.path() / "data.csv";
    base::write_file(file, text, base::Overwrite::allow);
    Parts parts;
    parts.counts = split_records(
        file, options, [&](std::string_view piece) { parts.train += piece; },
        [&](std::string_view piece) { parts.test += piece; });
    return parts;
  }

  test::TemporaryFolder folder_;
};

// The same choice from records as they are read.
TEST_F(SplitRecords, PlacesOfRecordsAreThoseOfTheFile) {
  std::string text = "who,x\n";
  for (int k = 0; k < 300; ++k) {
    text += "p" + std::to_string(k % 40) + "," + std::to_string(k % 3) + "\n";
  }
  for (const SplitOptions& options :
       {SplitOptions{}, SplitOptions{.test_share = 0.3, .seed = 4, .together = "who"},
        SplitOptions{.seed = 2, .stratify = "x"}}) {
    const auto parts = split(text, options);
    const auto places = split_places(csv_records(folder_.path() / "data.csv", {}), options);
    ASSERT_EQ(places.size(), 300U);
    EXPECT_EQ(std::ranges::count(places, true), parts.counts.test);
    std::string test = "who,x\n";
    const auto lines = lines_of(text);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k]) test += lines[k + 1] + "\n";
    }
    EXPECT_EQ(test, parts.test);
  }
}

/// 1000 records of 40 persons and two answers, one of them rare.
std::string survey() {
  std::string text = "person,answer,note\n";
  for (int i = 0; i < 1000; ++i) {
    text += "p" + std::to_string(i % 40) + (i % 20 == 7 ? ",yes" : ",no") + ",\"n " +
            std::to_string(i) + ", \"\"quoted\"\"\"\n";
  }
  return text;
}

TEST_F(SplitRecords, EveryRecordIsInOnePartAsItWas) {
  const auto parts = split(survey(), {});
  EXPECT_EQ(parts.counts.test, 200);
  EXPECT_EQ(parts.counts.train, 800);
  auto both = lines_of(parts.train);
  const auto test = lines_of(parts.test);
  EXPECT_EQ(both.front(), test.front());
  both.insert(both.end(), test.begin() + 1, test.end());
  auto all = lines_of(survey());
  std::ranges::sort(both);
  std::ranges::sort(all);
  EXPECT_EQ(both, all);
}

TEST_F(SplitRecords, ASeedIsASplit) {
  const auto first = split(survey(), {.seed = 3});
  EXPECT_EQ(first.test, split(survey(), {.seed = 3}).test);
  EXPECT_NE(first.test, split(survey(), {.seed = 4}).test);
}

TEST_F(SplitRecords, APersonStaysOnOneSide) {
  const auto parts = split(survey(), {.test_share = 0.3, .together = "person"});
  std::set<std::string> train;
  std::set<std::string> test;
  for (const auto& line : lines_of(parts.train)) train.insert(line.substr(0, line.find(',')));
  for (const auto& line : lines_of(parts.test)) test.insert(line.substr(0, line.find(',')));
  EXPECT_EQ(train.size() + test.size(), 42U);  // the line of names is in both
  EXPECT_GT(test.size(), 3U);
  EXPECT_LT(test.size(), 25U);
}

TEST_F(SplitRecords, EachStratumIsSplitByTheShare) {
  const auto parts = split(survey(), {.test_share = 0.2, .stratify = "answer"});
  const auto yes = [](const std::string& text) {
    const auto lines = lines_of(text);
    return std::ranges::count_if(lines,
                                 [](const auto& line) { return line.find(",yes") < line.size(); });
  };
  EXPECT_EQ(yes(parts.test), 10);
  EXPECT_EQ(yes(parts.train), 40);
}

// Over 400 seeds each record is in the test about one time in five.
TEST_F(SplitRecords, EveryPlaceIsDrawnAlike) {
  std::string text = "x\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + "\n";
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const auto& line : lines_of(split(text, {.seed = seed}).test)) ++drawn[line];
  }
  EXPECT_EQ(drawn["x"], 400);
  for (int i = 0; i < 10; ++i) {
    // Binomial(400, 0.2): standard deviation 8, so 48 is six of them, once in 5e8.
    EXPECT_NEAR(drawn[std::to_string(i)], 80, 48) << i;
  }
}

TEST_F(SplitRecords, LinesOfLibsvmAreSplitByTheirLabel) {
  std::string text = "# a comment\n";
  for (int i = 0; i < 100; ++i) text += i % 10 == 0 ? "+1 1:0.5\n" : "-1 2:1\n";
  FileFormat format;
  format.kind = &file_kind("libsvm");
  const auto parts = split(text, {.stratify = "label", .format = format});
  const auto lines = lines_of(parts.test);
  EXPECT_EQ(parts.counts.test, 20);
  EXPECT_EQ(std::ranges::count(lines, "+1 1:0.5"), 2);
  EXPECT_THROW((void)split(text, {.stratify = "class", .format = format}), base::UsageError);
  EXPECT_THROW((void)split(text, {.together = "person", .format = format}), base::UsageError);
}

TEST_F(SplitRecords, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_THROW((void)split(survey(), {.test_share = 0}), base::UsageError);
  EXPECT_THROW((void)split(survey(), {.test_share = 1}), base::UsageError);
  EXPECT_THROW((void)split(survey(), {.together = "person", .stratify = "answer"}),
               base::UsageError);
  EXPECT_THROW((void)split(survey(), {.together = "nobody"}), base::DataError);
}

}  // namespace split_records_test
}  // namespace tacet::data
