#include "tacet/run/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace {
namespace summary_test {

using privacy::Adjacency;

constexpr const char* schema_text = R"(
missing = ["", "?"]
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
[[column]]
name = "town"
kind = "categorical"
categories = ["Rome", "Oslo"]
[[column]]
name = "note"
kind = "text"
[target]
column = "income"
lower = 0
upper = 1000
)";

SummaryRequest request_of(const privacy::Guarantee& asked) {
  return {.schema = data::schema_from_toml(schema_text, "inline"), .asked = asked};
}

TEST(Summary, AllAnswersCostWhatWasAskedAndHardlyLess) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    for (const double delta : {0.0, 1e-6}) {
      const auto plan = plan_summary(request_of({0.5, delta, adjacency}));
      EXPECT_LE(plan.guarantee.epsilon, 0.5);
      EXPECT_GT(plan.guarantee.epsilon, 0.495);
      EXPECT_EQ(plan.guarantee.delta, delta);
      EXPECT_EQ(plan.answers.counts_records, adjacency == Adjacency::add_remove);
      ASSERT_EQ(plan.columns.size(), 4U);
      EXPECT_EQ(plan.columns[1].kinds,
                (std::vector<std::string>{"Rome", "Oslo", "(other)", "(missing)"}));
    }
  }
}

TEST(Summary, ADeltaNeverMakesLessOfTheBudget) {
  for (const double epsilon : {0.01, 1.0, 20.0}) {
    const auto pure = plan_summary(request_of({epsilon, 0, Adjacency::add_remove}));
    const auto with_delta = plan_summary(request_of({epsilon, 1e-5, Adjacency::add_remove}));
    EXPECT_GE(with_delta.counts.epsilon.value(), pure.counts.epsilon.value());
  }
}

/// What a table of these lines holds, opened as only a test may.
struct Opened {
  std::vector<std::vector<std::int64_t>> counts;
  std::vector<std::vector<double>> numbers;
};

Opened open(const data::TableCounts& table) {
  const auto access = mechanism::AccessKeys::key();
  Opened result;
  result.counts.push_back(table.records.open(access));
  for (const auto& column : table.columns) {
    result.counts.push_back(column.open(access).counts);
    result.numbers.push_back(column.open(access).numbers);
  }
  return result;
}

Opened read(const std::vector<std::string>& lines, const SummaryRequest& request) {
  const test::ScratchFolder folder;
  const auto file = (folder.path() / "data.csv").string();
  std::string text = "age,town,note,income,who\n";
  for (const auto& line : lines) text += line + "\n";
  base::write_file(file, text, base::Overwrite::refuse);
  random::SeededSource source(1);
  return open(read_for_summary(request, data::csv_records(file, {}), source, nullptr));
}

std::int64_t distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

const std::vector<std::string> lines{"31,Rome,good,10,a", "?,Oslo,,20,b", "200,Bonn,ok,?,c",
                                     "x,?,bad,-5,a", "-3,Rome,a,99,b"};

TEST(Summary, ReadsEveryValueAsTheSchemaSays) {
  const auto found = read(lines, request_of({1, 0, Adjacency::add_remove}));
  EXPECT_EQ(found.counts[0], (std::vector<std::int64_t>{5}));
  EXPECT_EQ(found.counts[1], (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(found.counts[2], (std::vector<std::int64_t>{2, 1, 1, 1}));
  EXPECT_EQ(found.counts[3], (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(found.counts[4], (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(found.numbers[0], (std::vector<double>{31, 100, 0}));
  EXPECT_EQ(found.numbers[3], (std::vector<double>{10, 20, 0, 99}));
}

// Every record removed, replaced by every other one, or emptied: no column moves further than its
// cost was planned for.
TEST(Summary, NeighboursMoveEachColumnByAtMostTheirChanges) {
  const auto request = request_of({1, 0, Adjacency::replace_one});
  const auto base = read(lines, request);
  auto others = lines;
  others.emplace_back("?,?,?,?,?");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const auto removed = read(fewer, request);
    for (std::size_t k = 0; k < base.counts.size(); ++k) {
      EXPECT_LE(distance(base.counts[k], removed.counts[k]), 1);
    }
    for (const auto& other : others) {
      auto changed = lines;
      changed[i] = other;
      const auto replaced = read(changed, request);
      for (std::size_t k = 0; k < base.counts.size(); ++k) {
        EXPECT_LE(distance(base.counts[k], replaced.counts[k]), 2);
      }
    }
  }
}

TEST(Summary, OfAUnitNoMoreRecordsCountThanAreAllowed) {
  auto request = request_of({1, 0, Adjacency::add_remove});
  request.schema.unit = "who";
  EXPECT_EQ(read(lines, request).counts[0], (std::vector<std::int64_t>{3}));
  request.max_records_per_unit = 2;
  EXPECT_EQ(read(lines, request).counts[0], (std::vector<std::int64_t>{5}));
  const auto plan = plan_summary(request);
  EXPECT_EQ(plan.privacy_unit, "who");
  EXPECT_EQ(plan.counts.changes(), 2);
  request.asked.adjacency = Adjacency::replace_one;
  EXPECT_TRUE(plan_summary(request).answers.counts_records);  // how many count is secret
}

TEST(Summary, SharesAndQuartilesComeCloseWhereTheBudgetIsLarge) {
  std::vector<std::string> many;
  for (int i = 0; i < 4000; ++i) {
    many.push_back(std::to_string(i % 80) + (i % 4 == 0 ? ",Rome" : ",Oslo") + ",n,500,a");
  }
  const auto request = request_of({20, 0, Adjacency::add_remove});
  const auto plan = plan_summary(request);
  const test::ScratchFolder folder;
  const auto file = (folder.path() / "data.csv").string();
  std::string text = "age,town,note,income,who\n";
  for (const auto& line : many) text += line + "\n";
  base::write_file(file, text, base::Overwrite::refuse);
  random::SeededSource source(3);
  privacy::TrustingBudget budget(Adjacency::add_remove);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  const auto counts = read_for_summary(request, data::csv_records(file, {}), source, nullptr);
  const auto found = summarise(request, plan, counts, {source, reservation, nullptr});
  EXPECT_THROW(reservation.debit(plan.counts.counts_event()), base::BudgetError);  // all were asked
  EXPECT_NEAR(static_cast<double>(found.records), 4000, 40);
  EXPECT_NEAR(found.share(1, 0), 0.25, 0.01);
  EXPECT_NEAR(found.share(1, 1), 0.75, 0.01);
  ASSERT_TRUE(found.columns[0].quartiles);
  EXPECT_NEAR((*found.columns[0].quartiles)[0], 20, 1);
  EXPECT_NEAR((*found.columns[0].quartiles)[1], 40, 1);
  EXPECT_NEAR((*found.columns[0].quartiles)[2], 60, 1);
  EXPECT_FALSE(found.columns[1].quartiles);
}

TEST(Summary, WhatNoNoiseIsFineEnoughForIsRefusedInThePlan) {
  auto request = request_of({1, 0, Adjacency::add_remove});
  request.schema.unit = "who";
  request.max_records_per_unit = 200000;
  EXPECT_THROW(static_cast<void>(plan_summary(request)), base::UsageError);
  EXPECT_THROW(static_cast<void>(plan_summary(request_of({1e-6, 0, Adjacency::add_remove}))),
               base::UsageError);
}

TEST(Summary, TheNumberOfRecordsIsExactWhereItIsPublic) {
  const auto request = request_of({5, 0, Adjacency::replace_one});
  const auto plan = plan_summary(request);
  const test::ScratchFolder folder;
  const auto file = (folder.path() / "data.csv").string();
  base::write_file(file, "age,town,note,income\n1,Rome,x,2\n3,Oslo,y,4\n", base::Overwrite::refuse);
  random::SeededSource source(3);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  const auto counts = read_for_summary(request, data::csv_records(file, {}), source, nullptr);
  EXPECT_EQ(summarise(request, plan, counts, {source, reservation, nullptr}).records, 2);
  EXPECT_THROW(static_cast<void>(mechanism::public_count(counts.records, Adjacency::add_remove)),
               base::UsageError);
}

TEST(Summary, FilesWithoutNamedColumnsAreRefused) {
  auto request = request_of({1, 0, Adjacency::add_remove});
  request.schema.features = data::UniformFeatures{.count = 3};
  EXPECT_THROW(static_cast<void>(plan_summary(request)), base::UsageError);
}

}  // namespace summary_test
}  // namespace
}  // namespace tacet::run
