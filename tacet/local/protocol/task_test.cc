#include "tacet/local/protocol/task.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tests/support/local_task.h"

namespace tacet::local {
namespace task_test {

data::Schema people() { return data::schema_from_toml(test::people_schema, "people.toml"); }

const learn::OptionValues usual{{"epsilon", "4"}, {"batch-size", "4"}};

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TaskTest, IsReadAsItWasWritten) {
  for (const learn::OptionValues& values : std::initializer_list<learn::OptionValues>{
           usual,
           {{"epsilon", "0.1"}, {"mechanism", "l2_laplace"}, {"weight-scale", "3"}},
           {{"epsilon", "1"}, {"mechanism", "gaussian"}, {"averaging", "uniform"}},
           {{"epsilon", "2"}, {"loss", "huber_margin"}, {"class-weights", "yes=2,no=1"}},
           {{"epsilon", "2"}, {"learner", "local-sgd"}, {"step-size", "0.01"}}}) {
    Task task;
    try {
      task = make_task(people(), values, {.contact = "data@example.org"});
    } catch (const base::UsageError& error) {
      if (values.contains("loss")) continue;  // a name that this version lacks
      FAIL() << error.what();
    }
    const auto read = task_from_text(task.text, "task.json");
    EXPECT_EQ(read.digest, task.digest);
    EXPECT_EQ(read.digest.size(), 64U);
    EXPECT_EQ(read.terms.contact, "data@example.org");
    EXPECT_EQ(read.plan.rounds, task.plan.rounds);
    EXPECT_EQ(read.plan.guarantee.epsilon, task.plan.guarantee.epsilon);
    EXPECT_EQ(read.layout.bytes(), task.layout.bytes());
    EXPECT_EQ(read.layout.task, task.layout.task);
    EXPECT_EQ(read.plan.learner.index(), task.plan.learner.index());
    if (const auto* banco = std::get_if<BancoSettings>(&task.plan.learner)) {
      const auto& other = std::get<BancoSettings>(read.plan.learner);
      EXPECT_EQ(other.initial_wealth, banco->initial_wealth);
      EXPECT_EQ(other.certificate.range, banco->certificate.range);
      EXPECT_EQ(other.certificate.constant, banco->certificate.constant);
    }
  }
}

TEST(TaskTest, SettlesWhatThePlanSettles) {
  const auto task = make_task(people(), usual, {});
  auto options = local_options(usual);
  const auto plan = plan_local(people(), options);
  EXPECT_EQ(task.plan.rounds, plan.rounds);
  EXPECT_EQ(task.randomizer().noise().variance, plan.randomizer->noise().variance);
  EXPECT_EQ(std::get<BancoSettings>(task.plan.learner).initial_wealth,
            std::get<BancoSettings>(plan.learner).initial_wealth);
}

TEST(TaskTest, WhatWasEditedIsRefused) {
  const auto text = make_task(people(), usual, {}).text;
  for (const auto& edited :
       {changed(text, R"("tacet_task": 1)", R"("tacet_task": 2)"),
        changed(text, R"("tacet_task": 1)", R"("tacet_task": true)"),
        changed(text, R"("tacet_task": 1)", R"("tacet_task": 1.5)"),
        changed(text, R"("rounds": 10)", R"("rounds": 11)"),
        changed(text, R"("epsilon": "4")", R"("epsilon": "5")"),
        changed(text, R"("epsilon": "4")", R"("epsilon": "4.0")"),
        changed(text, R"("epsilon": "4")", R"("epsilon": 4)"),
        changed(text, R"("mechanism": "privunit")", R"("mechanics": "privunit")"),
        changed(text, R"("staleness": 8)", R"("staleness": -8)"),
        changed(text, R"("staleness": 8)", R"("staleness": 8, "more": 1)"),
        changed(text, R"("staleness": 8)", R"("staleness": 8, "staleness": 8)"),
        changed(text, R"("upper": 100)", R"("upper": -100)"),
        changed(text, R"("contributions": 1)", R"("contributions": 2)"), text + "x", text.substr(1),
        std::string()}) {
    EXPECT_THROW((void)task_from_text(edited, "task.json"), base::DataError) << edited;
  }
}

TEST(TaskTest, HasNoPlaceForSomeRuns) {
  const auto refused = [](learn::OptionValues values, const TaskTerms& terms = {}) {
    EXPECT_THROW((void)make_task(people(), values, terms), base::UsageError);
  };
  refused({{"epsilon", "4"}, {"passes", "2"}});
  refused({{"epsilon", "4"}, {"calibration", "paper"}});
  refused({{"epsilon", "inf"}});
  refused(usual, {.largest_norm = 0});
  refused(usual, {.staleness = -1});
  refused(usual, {.slot_seconds = 0});
  refused(usual, {.slot_seconds = 30, .delay_seconds = 16});
  refused(usual, {.slots = -1});
  refused(usual, {.slots = 41});
  refused(usual, {.min_reports = 41});
  refused(usual, {.robust_groups = 1});
  refused(usual, {.robust_groups = 5});
  refused(usual, {.robust_groups = 4, .trim = 0});
  refused(usual, {.robust_groups = 4, .trim = 0.6});
  refused(usual, {.robust_groups = 4, .trim = 0.2});  // of no group
}

TEST(TaskTest, StatesTheLongestReportOfEveryMechanismAndTheLearnersDomain) {
  for (const auto& mechanism : mechanism::local_mechanism_names.all) {
    auto values = usual;
    values["mechanism"] = mechanism.text;
    const auto task = make_task(people(), values, {.largest_norm = 7});
    EXPECT_NE(task.text.find("\"report_norm\": "), std::string::npos) << mechanism.text;
    EXPECT_NE(task.text.find("\"domain\": 6.99"), std::string::npos) << mechanism.text;
  }
}

TEST(TaskTest, HasMoreSlotsThanARoundUnlessRoundsMustNotMix) {
  const auto slots = [](const TaskTerms& terms) {
    return make_task(people(), usual, terms).terms.slots;
  };
  const auto batch = make_task(people(), usual, {}).plan.batch;
  EXPECT_EQ(slots({}), 5 * batch);  // four rounds old at most on average
  EXPECT_EQ(slots({.staleness = 0}), batch);
  EXPECT_EQ(slots({.slots = 7}), 7);
  auto many = usual;
  many["public-row-count"] = "32561";
  many["batch-size"] = "1";
  EXPECT_EQ(make_task(people(), many, {}).terms.slots, 64);
}

TEST(TaskTest, SaysHowLongItTakes) {
  auto many = usual;
  many["public-row-count"] = "32561";
  many["batch-size"] = "8";
  const auto task = make_task(people(), many, {});
  // 64 devices at a time, 2.7 s each: 24 a second.
  EXPECT_NEAR(expected_seconds(task.plan, task.terms), 32560 * 2.7 / 64, 1);
  auto slow = task.terms;
  slow.slots = 8;
  EXPECT_NEAR(expected_seconds(task.plan, slow), 32560 * 2.7 / 8, 10);
}

}  // namespace task_test
}  // namespace tacet::local
