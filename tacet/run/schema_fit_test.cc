#include "tacet/run/schema_fit.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
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
  privacy::MemoryBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(plan.cost.events, plan.cost.guarantee);
  const auto contents = read_for_fit(request, source, nullptr);
  const auto schema = fit(request, plan, contents, {source, reservation, nullptr});
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

TEST(SchemaFit, ARaisedFlagEndsTheFit) {
  random::SeededSource source(1);
  const auto request = request_for("x.csv");
  const auto plan = plan_fit(request, names, source);
  privacy::MemoryBudget budget(privacy::Adjacency::add_remove);
  auto reservation = budget.reserve(plan.cost.events, plan.cost.guarantee);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(static_cast<void>(fit(request, plan, {}, {source, reservation, &cancel})),
               base::Interrupted);
}

}  // namespace schema_fit_test
}  // namespace
}  // namespace tacet::run
