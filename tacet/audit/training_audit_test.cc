#include "tacet/audit/training_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"

namespace tacet::audit {
namespace training_audit_test {

data::Schema people() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.unit = "person";
  schema.public_row_count = 12;
  return schema;
}

learn::Training one_step(std::int64_t records_per_unit, double epsilon) {
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", epsilon).set("delta", 1e-5).set("knots", "none");
  request.set("steps", 1).set("clipping-norm", 0.25).set("step-size", 0.1);
  return choose::plan(request.set("max-records-per-unit", records_per_unit), people());
}

// All records of the canary's unit come and go together, which shows what the claim allows for:
// nearly all of it, and no more.
TEST(TrainingAudit, TheCanaryIsAWholeUnit) {
  base::ThreadPool threads(2);
  for (const std::int64_t records : {1, 3}) {
    const auto plan = one_step(records, 4);
    EXPECT_EQ(plan.privacy_unit, "person");
    const auto found = audit(training_subject(plan), {.trials = 5000}, threads);
    EXPECT_FALSE(found.refuted) << records;
    EXPECT_GE(found.epsilon_at_least, 0.7 * 4) << records;
  }
  auto sold = training_subject(one_step(3, 4));
  sold.claim.epsilon = 2;
  EXPECT_TRUE(audit(sold, {.trials = 5000}, threads).refuted);
}

// Of few units, whose places are public, any may be the canary.
TEST(TrainingAudit, AUnitThatIsReplacedMayStandInAnyPlace) {
  base::ThreadPool threads(2);
  auto schema = people();
  schema.public_row_count = 6;
  choose::Request request(privacy::Adjacency::replace_one);
  request.set("method", "gradient").set("epsilon", 4).set("delta", 1e-5).set("knots", "none");
  request.set("steps", 1).set("max-records-per-unit", 2);
  const auto found =
      audit(training_subject(choose::plan(request, schema)), {.trials = 2000}, threads);
  EXPECT_FALSE(found.refuted);
  EXPECT_GE(found.epsilon_at_least, 0.5 * 4);
}

// The columns that a model keeps differ from run to run; the numbers that are looked at do not.
TEST(TrainingAudit, ColumnsThatAreChosenKeepTheirPlaces) {
  base::ThreadPool threads(2);
  data::Schema schema;
  schema.columns = {{"x", data::HashedColumn{.bits = 6}}};
  schema.target = {"y", data::MultiClassTarget{{"a", "b", "c"}}};
  schema.public_row_count = 40;
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", 4).set("delta", 1e-5);
  request.set("steps", 1).set("feature-selection", 0.3);
  const auto subject = training_subject(choose::plan(request, schema));
  EXPECT_EQ(subject.width, 3U * 65U);
  EXPECT_FALSE(audit(subject, {.trials = 1000}, threads).refuted);
}

// Tables of coefficients and wide models are attacked too, and no more numbers of a model than can
// be compared with each other.
TEST(TrainingAudit, LooksAtTheNumbersOfEveryKindOfModel) {
  base::ThreadPool threads(2);
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.public_row_count = 40;
  for (const auto* method : {"inference", "wide"}) {
    choose::Request request(privacy::Adjacency::add_remove);
    request.set("method", method).set("epsilon", 4).set("delta", 1e-5);
    if (method == std::string("wide")) request.set("steps", 2);
    // A table of coefficients takes more records.
    schema.public_row_count = method == std::string("inference") ? 150 : 40;
    const auto subject = training_subject(choose::plan(request, schema));
    EXPECT_GT(subject.width, 1U) << method;
    EXPECT_FALSE(audit(subject, {.trials = 700}, threads).refuted) << method;
  }
  schema.columns = {{"x", data::TextColumn{.bits = 14}}};
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", 4).set("delta", 1e-5).set("steps", 1);
  const auto subject = training_subject(choose::plan(request, schema));
  EXPECT_EQ(static_cast<std::int64_t>(subject.width), max_numbers);
  const auto found = audit(subject, {.trials = 5000}, threads);
  EXPECT_FALSE(found.refuted);
  EXPECT_GT(found.epsilon_at_least, 0.5);
}

// Means are released of units too: a whole training shows no more of one than it claims.
TEST(TrainingAudit, UnitsAreStandardisedWithinTheClaim) {
  base::ThreadPool threads(2);
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("method", "gradient").set("epsilon", 4).set("delta", 1e-5).set("knots", "none");
  request.set("steps", 1).set("clipping-norm", 0.25).set("step-size", 0.1);
  request.set("standardise", "private").set("max-records-per-unit", 3);
  const auto plan = choose::plan(request, people());
  ASSERT_TRUE(plan.raw_schema);
  const auto found = audit(training_subject(plan), {.trials = 5000}, threads);
  EXPECT_FALSE(found.refuted);
  // Error rates convert to a mu for Gaussian laws alone, and these are of two releases.
  EXPECT_GE(found.epsilon_at_least, 0.2 * 4);
}

TEST(TrainingAudit, RefusesWhatClaimsNothing) {
  EXPECT_THROW((void)training_subject(one_step(3, INFINITY)), base::UsageError);
}

}  // namespace training_audit_test
}  // namespace tacet::audit
