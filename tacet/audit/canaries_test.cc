#include "tacet/audit/canaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::audit {
namespace canaries_test {

using enum privacy::Adjacency;

/// 2^bits columns without an intercept, of which a record has one.
data::Schema columns(int bits) {
  data::Schema schema;
  schema.columns = {{"id", data::HashedColumn{.bits = bits}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.public_row_count = 1000;
  return schema;
}

learn::Training planned(const data::Schema& schema, double epsilon, privacy::Adjacency adjacency,
                        std::int64_t steps = 1) {
  choose::Request request(adjacency);
  request.set("method", "gradient").set("epsilon", epsilon).set("delta", 1e-5);
  request.set("loss", "hinge").set("steps", steps).set("clipping-norm", 1.0);
  return choose::plan(request.set("knots", "none").set("standardise", "none"), schema);
}

/// What one training proves of its epsilon.
double bound_of(const learn::Training& plan, std::int64_t count, std::int64_t made,
                std::uint64_t seed) {
  data::RandomDraws draws(seed);
  const Canaries canaries(plan, count, draws);
  data::Dataset records(plan.reading_schema().shape());
  canaries.insert(records);
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  const auto trained = plan.run(records, plan.schema, {source, reservation, threads});
  return one_run_bound(canaries.guess(trained.model, made), plan.guarantee.delta, 0.05);
}

double median_of_nine(double epsilon) {
  const auto plan = planned(columns(10), epsilon, add_remove);
  std::vector<double> bounds;
  for (std::uint64_t run = 0; run < 9; ++run) bounds.push_back(bound_of(plan, 1000, 200, run));
  std::ranges::nth_element(bounds, bounds.begin() + 4);
  return bounds[4];
}

// One step of the hinge, whose gradient at 0 is the record itself: medians of nine runs.
TEST(Canaries, OneStepGivesAwayWhatAThousandOfThemCanSee) {
  EXPECT_GE(median_of_nine(2), 0.5);
  EXPECT_GE(median_of_nine(4), 1.3);
  EXPECT_GE(median_of_nine(8), 2.2);
}

// Of noise divided by three: it is made for an epsilon at which the noise is a third of that at 1.
TEST(CanariesLong, AThirdOfTheNoiseIsFoundInNinetyNineOfAHundredRuns) {
  const privacy::Delta delta(1e-5);
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), delta);
  const auto sold = accounting::account(privacy::Gaussian{1 / (3 * mu)}, add_remove, delta);
  const auto weak = planned(columns(14), sold.epsilon, add_remove);
  int found = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    found += bound_of(weak, 10000, 400, run) > 1 ? 1 : 0;
  }
  EXPECT_GE(found, 99);
}

// Every method that has a proof where records may be left out, with so little noise that its model
// shows them: the claim holds all the same.
TEST(Canaries, AreSeenThroughEveryMethodThatMayLeaveRecordsOut) {
  for (const std::string method :
       {"gradient", "objective", "regularized-output", "wide", "adassp"}) {
    SCOPED_TRACE(method);
    auto schema = columns(6);
    schema.public_row_count = 64;
    if (method == "adassp") schema.target = {"y", data::RegressionTarget{-1, 1}};
    choose::Request request(add_remove);
    request.set("method", method).set("epsilon", 64).set("delta", 1e-5);
    if (method == "wide") request.set("model", "wide").set("steps", std::int64_t{5});
    const double bound = bound_of(choose::plan(request, schema), 64, 32, 9);
    EXPECT_GT(bound, 0.3);
    EXPECT_LE(bound, 64);
  }
}

// Where nothing of a canary is in the model, guesses are fair Bernoulli draws.
TEST(Canaries, ThoseThatContributeNothingUnderZeroOutAreCounted) {
  auto schema = columns(7);
  schema.public_row_count = 100;
  const auto plan = planned(schema, 8, zero_out);
  data::RandomDraws draws(3);
  const Canaries canaries(plan, 100, draws);
  data::Dataset records(plan.reading_schema().shape());
  canaries.insert(records);
  EXPECT_EQ(records.rows(), 100);
  EXPECT_GT(bound_of(plan, 100, 40, 5), 0);
}

TEST(Canaries, RefuseWhatProvesNothing) {
  data::RandomDraws draws(1);
  const auto few = columns(3);
  EXPECT_THROW(Canaries(planned(few, 1, add_remove), 9, draws), base::UsageError);
  EXPECT_THROW(Canaries(planned(few, 1, add_remove), 0, draws), base::UsageError);
  EXPECT_THROW(Canaries(planned(few, 1, replace_one), 5, draws), base::UsageError);
}

}  // namespace canaries_test
}  // namespace tacet::audit
