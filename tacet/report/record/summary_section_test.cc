#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/text/cells.h"
#include "tests/support/example_receipt.h"

namespace tacet::report::summary_section_test {

/// What is drawn of a column with these counts.
Picture drawn(const std::vector<double>& counts) {
  auto values = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    values.push_back(
        {{"value", fmt::format("v{}", k)}, {"noisy_count", counts[k]}, {"share", 0.1}});
  }
  const nlohmann::ordered_json summary{
      {"records", 1000},
      {"count_margin", 3},
      {"columns", {{{"name", "country"}, {"values", values}}}},
      {"receipt",
       nlohmann::ordered_json::parse(privacy::receipt_to_json(test::example_receipt()))}};
  base::WorkMeter work(60);
  const auto report = gather({.results = {{"s.json", summary.dump()}}, .only = {"summary"}}, work);
  Picture found;
  each_picture(report.sections.at(0).blocks, [&](const Picture& one) { found = one; });
  return found;
}

TEST(SummarySection, OfManyValuesTheMostFrequentAreDrawnWhereverTheyStand) {
  std::vector<double> counts(42, 5);
  counts[40] = 900;
  counts[3] = 70;
  const auto picture = drawn(counts);
  ASSERT_EQ(picture.plots.size(), 1U);
  const auto& levels = picture.plots[0].levels;
  EXPECT_EQ(levels.size(), 30U);
  EXPECT_EQ(levels.back(), "v40");
  EXPECT_NE(std::ranges::find(levels, "v3"), levels.end());
  EXPECT_EQ(picture.plots[0].bars.back().value, 900);
  EXPECT_EQ(picture.numbers.rows.size(), 42U);
  EXPECT_NE(picture.finding.find("'v40'"), std::string::npos);
  EXPECT_NE(picture.finding.find("30 most frequent of 42"), std::string::npos);
}

TEST(SummarySection, FewValuesKeepTheirOrder) {
  const auto picture = drawn({3, 9, 1});
  EXPECT_EQ(picture.plots.at(0).levels, (std::vector<std::string>{"v0", "v1", "v2"}));
  EXPECT_EQ(picture.finding.find("are drawn"), std::string::npos);
}

}  // namespace tacet::report::summary_section_test
