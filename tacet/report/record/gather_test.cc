#include "tacet/report/record/gather.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tacet/base/error.h"
#include "tacet/base/progress.h"
#include "tacet/report/page/page.h"
#include "tacet/report/text/cells.h"
#include "tacet/report/text/text.h"
#include "tests/support/example_receipt.h"

namespace tacet::report::gather_test {

using privacy::Adjacency;

Report report_of(const ReportRequest& request) {
  base::WorkMeter work(60);
  return gather(request, work);
}

ReportRequest request_of(const privacy::Receipt& receipt) {
  return {.results = {{"r.json", privacy::receipt_to_json(receipt)}}};
}

bool has_section(const Report& report, const std::string& id) {
  return std::ranges::find(report.sections, id, &Section::id) != report.sections.end();
}

std::size_t picture_count(const Report& report) {
  std::size_t count = 0;
  for (const auto& section : report.sections) {
    each_picture(section.blocks, [&](const Picture&) { ++count; });
  }
  return count;
}

TEST(Gather, WhatProtectsNobodySaysSoAndPromisesNothing) {
  auto receipt = test::example_receipt();
  receipt.randomness = privacy::Randomness::seeded;
  receipt.unprotected_reason = "the seed is known";
  const auto report = report_of(request_of(receipt));
  EXPECT_NE(report.banner.find("PRIVACY: NONE"), std::string::npos);
  EXPECT_TRUE(report.refuted.empty());
  EXPECT_EQ(picture_count(report), 0U);
  const auto text = report_text(report);
  EXPECT_EQ(text.find("epsilon 1"), std::string::npos);
  EXPECT_EQ(text.find("differential privacy"), std::string::npos);
  EXPECT_NE(text.find("makes no promise"), std::string::npos);
}

TEST(Gather, WhatDoesNotFollowHasItsVerdictInPlaceOfThePromise) {
  const auto report = report_of(request_of(test::example_receipt()));  // costs more than epsilon 1
  EXPECT_NE(report.refuted.find("r.json"), std::string::npos);
  EXPECT_NE(report.banner.find("NOT VERIFIED"), std::string::npos);
  const auto text = report_text(report);
  EXPECT_NE(text.find("is not confirmed"), std::string::npos);
  EXPECT_EQ(text.find("is limited by"), std::string::npos);
  EXPECT_EQ(picture_count(report), 0U);
}

ledger::Account account_of(const ledger::Cap& cap, std::int64_t runs) {
  ledger::Account account;
  account.enrolled = {"survey", Adjacency::add_remove, "record"};
  account.caps.push_back({"2026-01-01T00:00:00Z", 0, {"survey", cap, ""}});
  for (std::int64_t k = 0; k < runs; ++k) {
    const ledger::Amount cost{.value = 0.25,
                              .delta = cap.currency == ledger::Currency::basic ? 1e-7 : 0};
    ledger::Run run{.number = k + 3,
                    .time = fmt::format("2026-01-02T00:00:{:02}Z", k % 60),
                    .booking = {.data_set = "survey",
                                .command = "train",
                                .event = privacy::no_event(),
                                .stated = {0.25, 1e-7, Adjacency::add_remove},
                                .cost = cost}};
    run.state = ledger::RunState::committed;
    run.end_time = run.time;
    run.outcome = ledger::Committed{.run = run.number, .event = privacy::no_event(), .cost = cost};
    run.outcome->output = fmt::format("model-{}.json", k);
    account.runs.push_back(std::move(run));
  }
  return account;
}

ReportRequest request_of(ledger::Account account) {
  return {.account = LedgerAccount{"budget.ledger", std::move(account), 5, "abc"}};
}

const Picture* budget_picture(const Report& report, const Section*& keep) {
  const Picture* found = nullptr;
  keep = &*std::ranges::find(report.sections, "budget", &Section::id);
  each_picture(keep->blocks, [&](const Picture& picture) { found = &picture; });
  return found;
}

TEST(Gather, AnAccountIsSummedUpRunByRun) {
  const auto report = report_of(
      request_of(account_of({.currency = ledger::Currency::basic, .value = 2, .delta = 1e-5}, 4)));
  const Section* section = nullptr;
  const auto* picture = budget_picture(report, section);
  ASSERT_NE(picture, nullptr);
  ASSERT_EQ(picture->numbers.rows.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(std::get<double>(picture->numbers.rows[k][2]), 0.25 * double(k + 1));
    EXPECT_EQ(std::get<double>(picture->numbers.rows[k][3]), 2);
  }
  EXPECT_EQ(picture->plots.front().lines.front().points.back().y, 1);
  EXPECT_NE(report_text(report).find("Yes"), std::string::npos);
}

TEST(Gather, AFullAccountAllowsNoRunAtEpsilonOne) {
  for (const auto currency : {ledger::Currency::basic, ledger::Currency::pure}) {
    ledger::Cap cap{.currency = currency, .value = 1.5};
    if (currency == ledger::Currency::basic) cap.delta = 1e-5;
    const auto text = report_text(report_of(request_of(account_of(cap, 4))));
    EXPECT_NE(text.find("    No"), std::string::npos);
  }
}

TEST(Gather, EmptyAndInfiniteAccountsAreShown) {
  const ledger::Cap cap{.currency = ledger::Currency::zcdp, .value = 0.5};
  const auto empty = report_of(request_of(account_of(cap, 0)));
  EXPECT_NE(report_text(empty).find("There are no runs yet."), std::string::npos);
  EXPECT_FALSE(report_page(empty).empty());
  auto account = account_of(cap, 2);
  account.runs[1].outcome->cost.value = std::numeric_limits<double>::infinity();
  account.runs[1].booking.cost.value = std::numeric_limits<double>::infinity();
  const auto infinite = report_of(request_of(account));
  const auto text = report_text(infinite);
  EXPECT_NE(text.find("Nothing is promised"), std::string::npos);
  EXPECT_EQ(report_page(infinite).find("nan"), std::string::npos);
}

TEST(Gather, TenThousandRunsStayReadable) {
  const auto page = report_page(report_of(
      request_of(account_of({.currency = ledger::Currency::zcdp, .value = 5000}, 10000))));
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_NE(page.find("model-9999.json"), std::string::npos);
}

TEST(Gather, SectionsAreChosenByTheirIds) {
  auto request = request_of(account_of({.currency = ledger::Currency::zcdp, .value = 0.5}, 1));
  request.only = {"budget"};
  const auto report = report_of(request);
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_TRUE(has_section(report, "budget"));
  request.only = {"budgets"};
  EXPECT_THROW(static_cast<void>(report_of(request)), base::UsageError);
}

TEST(Gather, ResultsHaveToBeOfTheAccount) {
  auto receipt = test::example_receipt();
  auto request = request_of(account_of({.currency = ledger::Currency::zcdp, .value = 0.5}, 1));
  request.account->other_accounts = {"another"};
  receipt.notes.data_set = "another";
  request.results = request_of(receipt).results;
  EXPECT_THROW(static_cast<void>(report_of(request)), base::UsageError);
  receipt.notes.data_set = "survey";
  receipt.guarantee.adjacency = Adjacency::zero_out;
  request.results = request_of(receipt).results;
  EXPECT_THROW(static_cast<void>(report_of(request)), base::UsageError);
  EXPECT_THROW(static_cast<void>(report_of({})), base::UsageError);
}

data::Schema planned_schema() {
  return data::schema_from_toml(
      "public_row_count = 900\n[target]\ncolumn = \"bought\"\npositive = \"yes\"\n"
      "[[column]]\nname = \"age\"\nkind = \"numeric\"\nlower = 0\nupper = 90\n",
      "s.toml");
}

ReportRequest plan_request() {
  const std::vector<double> epsilons{0.5, 2};
  ReportRequest request;
  request.plan = PlannedSpending{.schema = planned_schema(),
                                 .schema_file = "s.toml",
                                 .epsilons = plan_epsilons(choose::Request(Adjacency::add_remove),
                                                           planned_schema(), epsilons)};
  return request;
}

std::vector<std::string> picture_names(const Report& report) {
  std::vector<std::string> names;
  for (const auto& section : report.sections) {
    each_picture(section.blocks, [&](const Picture& one) { names.push_back(one.name); });
  }
  return names;
}

TEST(Gather, APlanSaysWhatAnEpsilonBuysAndPromisesNothingYet) {
  const auto report = report_of(plan_request());
  EXPECT_EQ(report.title, "Plan for a model of 'bought'");
  EXPECT_TRUE(report.banner.empty());
  EXPECT_EQ(picture_names(report), std::vector<std::string>{"epsilon-buys"});
  const auto text = report_text(report);
  EXPECT_NE(text.find("nothing is promised yet"), std::string::npos);
  EXPECT_NE(text.find("Which epsilon is enough?"), std::string::npos);
  EXPECT_EQ(text.find("Rehearsal"), std::string::npos);
}

TEST(Gather, ARehearsalIsAnExperimentOnOtherData) {
  auto request = plan_request();
  request.plan->rehearsal =
      Rehearsal{.file = "other.csv",
                .trained_on = 70,
                .tested_on = 30,
                .metric = "accuracy",
                .baseline_name = "the most frequent class",
                .baseline = 0.6,
                .without_noise = 0.9,
                .epsilons = {{0.5, {0.5, 0.6, 0.7}}, {2, {0.7, 0.8}}, {4, {}}}};
  const auto report = report_of(request);
  const auto text = report_text(report);
  EXPECT_NE(text.find("an experiment on other data"), std::string::npos);
  EXPECT_NE(text.find("'other.csv' was declared public"), std::string::npos);
  const Table* numbers = nullptr;
  for (const auto& section : report.sections) {
    each_picture(section.blocks, [&](const Picture& one) {
      if (one.name == "rehearsal") numbers = &one.numbers;
    });
  }
  ASSERT_NE(numbers, nullptr);
  ASSERT_EQ(numbers->rows.size(), 2U);  // nothing is known at epsilon 4
  const std::vector<Cell> first{0.5, std::int64_t{3}, 0.5, 0.6, 0.7, 0.6, 0.9};
  EXPECT_EQ(numbers->rows[0], first);
  EXPECT_EQ(std::get<double>(numbers->rows[1][3]), 0.75);
}

TEST(Gather, APlanThatProtectsNobodyShowsNoEpsilon) {
  auto request = plan_request();
  request.plan->cost = request.plan->epsilons.front().cost;
  request.plan->cost->unprotected_reason = "the seed is known";
  const auto report = report_of(request);
  EXPECT_NE(report.banner.find("PRIVACY: NONE"), std::string::npos);
  EXPECT_TRUE(picture_names(report).empty());
  EXPECT_EQ(report_text(report).find("differential privacy"), std::string::npos);
}

TEST(Gather, APlanIsReportedByItself) {
  auto request = plan_request();
  request.results = request_of(test::example_receipt()).results;
  EXPECT_THROW(static_cast<void>(report_of(request)), base::UsageError);
}

}  // namespace tacet::report::gather_test
