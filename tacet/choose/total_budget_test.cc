#include "tacet/choose/total_budget.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::choose {
namespace total_budget_test {

using privacy::Adjacency;

data::Schema fitted_schema(double epsilon) {
  auto schema = data::schema_from_toml(R"(
    public_row_count = 10000
    [target]
    column = "y"
    positive = "1"
    [[column]]
    name = "x"
    kind = "numeric"
    lower = 0
    upper = 1
  )",
                                       "inline");
  if (epsilon > 0) {
    schema.cost = data::SchemaCost{.id = "0123456789abcdef",
                                   .events = privacy::PureDp{epsilon, Adjacency::add_remove},
                                   .guarantee = {epsilon, 0, Adjacency::add_remove},
                                   .unprotected_reason = ""};
  }
  return schema;
}

double whole(const data::Schema& schema, const learn::Training& plan) {
  return data::with_schema_cost(schema, {plan.events, plan.guarantee, plan.prg_slack})
      .guarantee.epsilon;
}

const ResolvedRequest asked{{{"delta", 1e-6}, {"adjacency", "add_remove"}}};

TEST(TotalBudget, FitAndTrainingTogetherStayWithinTheTotal) {
  for (const double fit : {0.05, 0.3, 0.9}) {
    const auto schema = fitted_schema(fit);
    const auto plan = plan_within(schema, asked, 1);
    EXPECT_LE(whole(schema, plan), 1);
    EXPECT_GT(whole(schema, plan), 0.98);
    EXPECT_GE(plan.guarantee.epsilon, 1 - fit - 0.01);  // adding up is the worst that can happen
  }
}

TEST(TotalBudget, ASchemaThatCostNothingLeavesAllOfIt) {
  const auto plan = plan_within(fitted_schema(0), asked, 0.7);
  auto options = asked.values;
  options.set("epsilon", 0.7);
  EXPECT_EQ(plan.events, choose::plan_training(fitted_schema(0), options).events);
}

TEST(TotalBudget, WhatTheFitUsedUpIsSaid) {
  EXPECT_THROW(static_cast<void>(plan_within(fitted_schema(2), asked, 1)), base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(plan_within(fitted_schema(0), asked, 0)), base::UsageError);
  EXPECT_THROW(static_cast<void>(plan_within(fitted_schema(0), asked, HUGE_VAL)), base::UsageError);
}

}  // namespace total_budget_test
}  // namespace tacet::choose
