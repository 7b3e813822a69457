#include "tacet/report/epsilon_grid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::report::epsilon_grid_test {

using privacy::Adjacency;

data::Schema schema_of(const std::string& target) {
  return data::schema_from_toml(R"(
    public_row_count = 4000
    [target]
    column = "answer"
    )" + target + R"(
    [[column]]
    name = "age"
    kind = "numeric"
    lower = 0
    upper = 100
    [[column]]
    name = "sex"
    kind = "categorical"
    categories = ["f", "m"]
  )",
                                "test");
}

data::Schema classes() { return schema_of("positive = \"yes\""); }
data::Schema numbers() { return schema_of("lower = 0\nupper = 10"); }

constexpr std::array<double, 3> epsilons{0.5, 1, 4};

TEST(EpsilonGrid, MoreEpsilonBuysLessNoiseAndNeedsFewerRecords) {
  for (const auto* method : {"output", "objective", "gradient", "regularized-output"}) {
    choose::Request request(Adjacency::replace_one);
    request.set("method", method);
    const auto grid = plan_epsilons(request, classes(), epsilons);
    ASSERT_EQ(grid.size(), epsilons.size());
    for (std::size_t k = 0; k < grid.size(); ++k) {
      EXPECT_EQ(grid[k].epsilon, epsilons[k]);
      ASSERT_TRUE(grid[k].noise) << method;
      ASSERT_TRUE(grid[k].records_for_small_noise) << method;
      EXPECT_GT(grid[k].noise->standardised, 0);
      EXPECT_GT(grid[k].noise->at_most, 0);
      if (k == 0) continue;
      EXPECT_LT(grid[k].noise->standardised, grid[k - 1].noise->standardised) << method;
      EXPECT_LT(*grid[k].records_for_small_noise, *grid[k - 1].records_for_small_noise) << method;
    }
  }
}

/// Two digits below it.
std::int64_t number_before(std::int64_t records) {
  std::int64_t unit = 1;
  while (records / unit > 100) unit *= 10;
  return records - unit;
}

TEST(EpsilonGrid, FromTheNumberOfRecordsOnTheNoiseIsSmall) {
  for (const auto* method : {"output", "gradient"}) {
    choose::Request request(Adjacency::replace_one);
    request.set("method", method);
    const auto grid = plan_epsilons(request, numbers(), epsilons);
    for (const auto& at : grid) {
      const auto noise_with = [&](std::int64_t records) {
        auto with = request;
        with.set("epsilon", at.epsilon).set("public-row-count", records);
        return planned_noise(choose::plan(with, numbers()))->standardised;
      };
      SCOPED_TRACE(testing::Message() << method << " " << at.epsilon << " "
                                      << at.records_for_small_noise.value_or(-1));
      ASSERT_TRUE(at.records_for_small_noise);
      EXPECT_LT(noise_with(*at.records_for_small_noise), small_noise);
      if (*at.records_for_small_noise == 10) continue;  // fewer are not tried
      EXPECT_GE(noise_with(number_before(*at.records_for_small_noise)), small_noise);
    }
  }
}

TEST(EpsilonGrid, ABoundOfTheExcessRiskIsThereWhereOneIsProved) {
  choose::Request request(Adjacency::replace_one);
  request.set("method", "output");
  const auto grid = plan_epsilons(request, classes(), epsilons);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    ASSERT_TRUE(grid[k].excess);
    if (k == 0) continue;
    EXPECT_LT(*grid[k].excess, *grid[k - 1].excess);
  }
  EXPECT_FALSE(plan_epsilons(request.set("l2", 0.1), classes(), epsilons).front().excess);
  choose::Request descent(Adjacency::add_remove);
  EXPECT_FALSE(plan_epsilons(descent, classes(), epsilons).front().excess);
}

TEST(EpsilonGrid, NoNoiseIsStatedWhereNoLawIsKnown) {
  const auto stated = [](const char* name, const char* value) {
    choose::Request request(Adjacency::add_remove);
    request.set("method", "gradient").set("epsilon", 1).set(name, std::string(value));
    return planned_noise(choose::plan(request, classes())).has_value();
  };
  EXPECT_TRUE(stated("averaging", "suffix"));
  EXPECT_TRUE(stated("averaging", "last"));
  EXPECT_FALSE(stated("averaging", "polynomial"));
  EXPECT_FALSE(stated("l2", "0.1"));
  EXPECT_FALSE(stated("radius", "2"));
  choose::Request unprotected(Adjacency::add_remove);
  unprotected.set("epsilon", std::numeric_limits<double>::infinity());
  EXPECT_FALSE(planned_noise(choose::plan(unprotected, classes())));
}

TEST(EpsilonGrid, WhatCannotBeProvedIsRefused) {
  choose::Request request(Adjacency::add_remove);
  request.set("method", "output");
  EXPECT_THROW(static_cast<void>(plan_epsilons(request, classes(), epsilons)),
               base::GuaranteeError);
  choose::Request any(Adjacency::add_remove);
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(static_cast<void>(plan_epsilons(any, classes(), std::vector<double>{wrong})),
                 base::UsageError);
  }
}

}  // namespace tacet::report::epsilon_grid_test
