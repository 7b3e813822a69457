#include "tacet/run/schema_fit.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace {
namespace schema_fit_test {

FitRequest request_for(const std::string& file) {
  FitRequest request{.data = file,
                     .target = "income",
                     .ignored = {"id"},
                     .asked = {12, 1e-6, privacy::Adjacency::add_remove}};
  request.frame.format.header = true;
  return request;
}

const std::vector<std::string> names{"id", "age", "town", "income"};

TEST(SchemaFit, TheAnswersAboutAllColumnsCostAtMostWhatWasAsked) {
  random::SeededSource source(1);
  const auto plan = plan_fit(request_for("x.csv"), names, source);
  EXPECT_EQ(plan.shares.columns, 3);  // all but the one that is ignored
  EXPECT_LE(plan.cost.guarantee.epsilon, 12);
  EXPECT_GT(plan.cost.guarantee.epsilon, 11.9);
  EXPECT_EQ(plan.cost.guarantee.delta, 1e-6);
  EXPECT_EQ(plan.cost.unit, "record");
  EXPECT_FALSE(plan.cost.unprotected_reason.empty());  // the noise is seeded
}

TEST(SchemaFit, WhatNoSchemaCanSayIsRefusedInThePlan) {
  random::SeededSource source(1);
  const auto refuses = [&](const FitRequest& request) {
    EXPECT_THROW(static_cast<void>(plan_fit(request, names, source)), base::UsageError);
  };
  auto request = request_for("x.csv");
  request.target = "nowhere";
  refuses(request);
  request = request_for("x.csv");
  request.ignored = {"income"};
  refuses(request);
  request = request_for("x.csv");
  request.frame.unit = "income";
  refuses(request);
  request = request_for("x.csv");
  request.target.clear();
  request.ignored = names;  // the schema itself says why
  EXPECT_THROW(static_cast<void>(plan_fit(request, names, source)), base::DataError);
}

data::RecordSource csv_records(const FitRequest& request) {
  return data::csv_records(request.data, request.frame.format);
}

TEST(SchemaFit, EachColumnGetsTheRuleOfItsKindAndTheAnswersAreDebited) {
  const test::ScratchFolder folder;
  const auto file = (folder.path() / "data.csv").string();
  std::string text = "id,age,town,income\n";
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(i) + "," + std::to_string(20 + i % 50) + "," +
            (i % 2 == 0 ? "Rome" : "Oslo") + "," + std::to_string(i % 100) + "\n";
  }
  base::write_file(file, text, base::Overwrite::refuse);
  random::SeededSource source(1);
  const auto request = request_for(file);
  const auto plan = plan_fit(request, names, source);
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(plan.cost.events, plan.cost.guarantee);
  const auto contents = read_for_fit(request, plan, {csv_records(request), source, nullptr});
  const auto found = fit(request, plan, contents, {source, reservation, nullptr});
  EXPECT_TRUE(found.not_found.empty());
  const auto& schema = found.schema;
  ASSERT_EQ(schema.columns.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<data::IgnoredColumn>(schema.columns[0].rule));
  EXPECT_TRUE(std::holds_alternative<data::NumericColumn>(schema.columns[1].rule));
  const auto* town = std::get_if<data::CategoricalColumn>(&schema.columns[2].rule);
  ASSERT_NE(town, nullptr);
  EXPECT_EQ(town->categories.size(), 2U);
  ASSERT_TRUE(schema.target.has_value());
  EXPECT_EQ(schema.target->column, "income");
  ASSERT_TRUE(schema.cost.has_value());
  EXPECT_EQ(schema.cost->events, plan.cost.events);
  EXPECT_THROW(reservation.cancel(), base::BudgetError);  // it was debited
}

/// A schema of invented records, most of whose columns the budget is too small for.
Fitted fit_of(const std::string& text, FitRequest request, double epsilon, std::uint64_t seed) {
  const test::ScratchFolder folder;
  request.data = (folder.path() / "data.csv").string();
  request.asked.epsilon = epsilon;
  base::write_file(request.data, text, base::Overwrite::refuse);
  random::SeededSource source(seed);
  const auto plan = plan_fit(request, names, source);
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(plan.cost.events, plan.cost.guarantee);
  const auto contents = read_for_fit(request, plan, {csv_records(request), source, nullptr});
  return fit(request, plan, contents, {source, reservation, nullptr});
}

std::string people(int count) {
  std::string text = "id,age,town,income\n";
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i) + "," + std::to_string(20 + i % 50) + "," +
            (i % 30 == 0 ? "Oslo" : "") + "," + std::to_string(i % 100) + "\n";
  }
  return text;
}

// A wild guess at a bound would ruin every model: where noise decides, the column is left out and
// named.
TEST(SchemaFit, WhatTheBudgetIsTooSmallForIsLeftOutAndNamed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found = fit_of(people(100), request_for(""), 0.5, seed);
    EXPECT_EQ(found.not_found.size(), 3U);
    EXPECT_FALSE(found.schema.target);
    EXPECT_EQ(found.schema.encoded_column_count(), 3);  // two buckets, which some schema needs
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found = fit_of(people(6000), request_for(""), 1, seed);
    ASSERT_TRUE(found.schema.target);
    const auto& income = std::get<data::RegressionTarget>(found.schema.target->rule);
    EXPECT_GE(income.lower, 0);
    EXPECT_LE(income.upper, 101);
    for (const auto& column : found.schema.columns) {  // 200 towns are too few to tell their kind
      EXPECT_EQ(column.ignored(), column.name != "age") << column.name;
    }
  }
}

TEST(SchemaFit, APublicNumberOfRecordsThatIsTooSmallCostsNothing) {
  random::SeededSource source(1);
  auto request = request_for("x.csv");
  request.asked.epsilon = 1;
  request.frame.public_row_count = 500;
  try {
    static_cast<void>(plan_fit(request, names, source));
    FAIL() << "planned";
  } catch (const base::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("fewer columns (`ignore`)"), std::string::npos);
  }
  request.asked.epsilon = 4;
  EXPECT_NO_THROW(static_cast<void>(plan_fit(request, names, source)));
}

TEST(SchemaFit, AllHashedColumnsTogetherKeepTheirCap) {
  std::string text = "id,age,town,income\n";
  for (int i = 0; i < 4000; ++i) {
    const auto number = std::to_string(i);
    text += number + ",a" + number + ",b" + number + ",word by word by word " + number + "\n";
  }
  auto request = request_for("");
  request.target.clear();
  request.max_hashed = 100;
  const auto found = fit_of(text, request, 8, 1);
  EXPECT_EQ(found.schema.encoded_column_count(), 3 * 32 + 1);
}

TEST(SchemaFit, ManyColumnsGetMoreThanTheirPartOfASum) {
  random::SeededSource source(1);
  std::vector<std::string> many;
  for (int i = 0; i < 60; ++i) many.push_back("c" + std::to_string(i));
  FitRequest request{.data = "x.csv", .asked = {1, 1e-6, privacy::Adjacency::add_remove}};
  const auto plan = plan_fit(request, many, source);
  EXPECT_LE(plan.cost.guarantee.epsilon, 1);
  const auto& shares = plan.shares;
  EXPECT_GT(shares.kind.epsilon.value() + shares.bounds_or_texts.epsilon.value(), 1.4 / 60);
}

TEST(SchemaFit, ARaisedFlagEndsTheFit) {
  random::SeededSource source(1);
  const auto request = request_for("x.csv");
  const auto plan = plan_fit(request, names, source);
  privacy::TrustingBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(plan.cost.events, plan.cost.guarantee);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(static_cast<void>(fit(request, plan, {}, {source, reservation, &cancel})),
               base::Interrupted);
}

}  // namespace schema_fit_test
}  // namespace
}  // namespace tacet::run
