#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/run/train.h"
#include "tests/support/berkeley_records.h"
#include "tests/support/parts_in_process.h"

namespace tacet::run {
namespace train_over_parts_test {

std::vector<optimize::PartRecords> berkeley_parts(const learn::Training& plan, std::int64_t count) {
  const train_test::InMemory data;
  return test::divided_at_random(
      dataset_of(data.table(), plan.reading_schema(), data::TargetUse::required), count, 3);
}

TEST(TrainOverParts, IsTheModelOfTheRecordsInMemory) {
  const train_test::InMemory data;
  const auto plan = choose::plan_over_parts(train_test::quick(), data.schema, {.parts = 3});
  random::SeededSource source(3);
  const auto whole = train(plan, data.table(), {.source = &source});
  test::PartsInProcess parts(berkeley_parts(plan, 3), plan.reading_schema());
  optimize::RemoteParts remote(parts.run());
  random::SeededSource again(3);
  const auto found = train_over_parts(plan, remote, {.source = &again});
  EXPECT_EQ(model::model_to_json(found), model::model_to_json(whole));
}

// Whatever is wrong with a part shows before anything is released.
TEST(TrainOverParts, AFaultOfAPartCostsNothingBeforeTheFirstRelease) {
  const train_test::InMemory data;
  const auto plan = choose::plan_over_parts(train_test::quick(), data.schema, {.parts = 3});
  for (const int faulty_round : {1, 3}) {
    test::PartsInProcess parts(berkeley_parts(plan, 3), plan.reading_schema());
    int round = 0;
    parts.on_the_way = [&](std::vector<std::string>& answers) {
      if (++round == faulty_round) answers.pop_back();
    };
    optimize::RemoteParts remote(parts.run());
    accounting::MemoryBudget budget(plan.guarantee.adjacency);
    EXPECT_THROW((void)train_over_parts(plan, remote, {.budget = &budget}), base::DataError);
    if (faulty_round == 1) {
      EXPECT_EQ(budget.spent().epsilon, 0);
    } else {
      EXPECT_GT(budget.spent().epsilon, 0);
    }
  }
}

TEST(TrainOverParts, WhatCannotRunIsRefusedByThePlan) {
  const train_test::InMemory data;
  const auto refused = [&](choose::Request request, const choose::PartsLayout& layout,
                           const data::Schema& schema) {
    EXPECT_THROW((void)choose::plan_over_parts(request, schema, layout), base::UsageError);
  };
  auto boosted = train_test::quick();
  boosted.set("boost", "0.1");
  refused(boosted, {.parts = 2}, data.schema);
  auto tuned = train_test::quick();
  tuned.tune({.grid = "steps = [10, 20]"});
  refused(tuned, {.parts = 2}, data.schema);
  refused(train_test::quick(), {.parts = 2, .whole = "who"}, data.schema);
  auto of_units = data.schema;
  of_units.unit = "who";
  refused(train_test::quick(), {.parts = 2}, of_units);
  EXPECT_NO_THROW(
      (void)choose::plan_over_parts(train_test::quick(), of_units, {.parts = 2, .whole = "who"}));
  refused(train_test::quick(), {.parts = std::int64_t{1} << 40}, data.schema);
  // Units are compared in rounds of their own.
  auto many = train_test::quick();
  many.set("public-row-count", "1000000");
  const auto alone =
      choose::plan_over_parts(many, of_units, {.parts = 1, .whole = "who"}).part_rounds;
  const auto plan =
      choose::plan_over_parts(many, of_units, {.parts = 64, .whole = "who"}).part_rounds;
  EXPECT_GT(plan.rounds, alone.rounds + 30);
  refused(many, {.parts = 100'000, .whole = "who"}, of_units);
}

}  // namespace train_over_parts_test
}  // namespace tacet::run
