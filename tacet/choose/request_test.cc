#include "tacet/choose/request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/parameters.h"
#include "tests/support/data_sets.h"

namespace tacet::choose {
namespace request_test {

template <typename... Given>
concept MakesARequest = requires(Given... given) {
  Request(given...);
};

TEST(Request, AsksForAnAdjacency) {
  static_assert(!MakesARequest<>);
  static_assert(MakesARequest<privacy::Adjacency>);
  const Request request(privacy::Adjacency::replace_one);
  EXPECT_EQ(request.values().text("adjacency"), "replace_one");
  EXPECT_FALSE(Request(usual_for_method).values().given("adjacency"));
}

TEST(Request, KeepsNumbersToTheLastBit) {
  Request request(usual_for_method);
  const double third = 1.0 / 3;
  request.set("epsilon", third).set("steps", 7).set("radius", 0x1.8p-20).set("method", "gradient");
  EXPECT_EQ(request.values().real("epsilon"), third);
  EXPECT_EQ(request.values().integer("steps"), 7);
  EXPECT_EQ(request.values().real("radius"), 0x1.8p-20);
  EXPECT_EQ(request.value("method"), "gradient");
}

TEST(Request, RefusesUnknownNamesAndTwoBudgets) {
  Request request(usual_for_method);
  EXPECT_THROW(request.set("epsilom", 1), base::UsageError);
  EXPECT_THROW(request.set("steps", "many"), base::UsageError);
  EXPECT_THROW(request.set("total-epsilon", "much"), base::UsageError);
  request.set("epsilon", 1).set("total-epsilon", 2);
  EXPECT_THROW(static_cast<void>(request.values()), base::UsageError);
}

// The library plans what the command line plans where no method is named: by the rules of auto.
TEST(Request, WithoutAMethodIsPlannedByAuto) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  Request request(privacy::Adjacency::add_remove);
  request.set("epsilon", 1);
  const auto automatic = plan(request, schema);
  request.set("method", "gradient");
  const auto named = plan(request, schema);
  EXPECT_EQ(automatic.method, named.method);
  EXPECT_TRUE(automatic.first.has_value() || automatic.schema.columns.empty() ||
              automatic.reasons.size() > named.reasons.size());
  EXPECT_EQ(adjacency_of(request, schema), privacy::Adjacency::add_remove);
}

// A total that the schema's fit leaves nothing of is refused; without a fit it is all of it.
TEST(Request, ATotalIsTheEpsilonOfASchemaThatCostNothing) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  Request whole(privacy::Adjacency::add_remove);
  whole.set("total-epsilon", 1);
  Request alone(privacy::Adjacency::add_remove);
  alone.set("epsilon", 1);
  EXPECT_EQ(plan(whole, schema).events, plan(alone, schema).events);
}

}  // namespace request_test
}  // namespace tacet::choose
