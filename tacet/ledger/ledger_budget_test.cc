#include "tacet/ledger/ledger_budget.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace ledger_budget_test {

using test::zcdp;

constexpr auto add_remove = privacy::Adjacency::add_remove;

class LedgerBudgetTest : public test::SmallLedger {};

TEST_F(LedgerBudgetTest, TheBudgetReleasesOnlyAfterTheLedgerHasTheHash) {
  enrol_with({.currency = Currency::gdp, .value = 1});
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  const privacy::Event planned = privacy::Repeated{2, privacy::Gaussian{8}};
  auto reservation = budget.reserve(planned, {1, 1e-5, add_remove});
  EXPECT_THROW(budget.release("model", "model.json", 0), base::InternalError);
  reservation.debit(privacy::Gaussian{8});
  reservation.debit(privacy::Gaussian{8});
  EXPECT_THROW(reservation.debit(privacy::Gaussian{8}), base::BudgetError);
  EXPECT_FALSE(budget.owes_release());
  reservation.commit();
  EXPECT_TRUE(budget.owes_release());
  EXPECT_EQ(ledger.books().account("adult").runs[0].state, RunState::reserved);
  budget.release("model", "model.json", 0);
  const auto run = ledger.books().account("adult").runs[0];
  EXPECT_EQ(run.state, RunState::committed);
  EXPECT_EQ(run.outcome->output_sha256, sha256("model"));
  EXPECT_EQ(run.outcome->output, "model.json");
  EXPECT_FALSE(budget.owes_release());
}

TEST_F(LedgerBudgetTest, ACancelledReservationIsGivenBack) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  auto reservation = budget.reserve(privacy::Zcdp{1, add_remove}, {1, 1e-5, add_remove});
  reservation.cancel();
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0);
}

TEST_F(LedgerBudgetTest, KeepsTheCiphersTermOfAnOutput) {
  enrol_with({.currency = Currency::pure, .value = 1});
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "quantile"});
  const privacy::Event event = privacy::PureDp{0.5, privacy::Adjacency::add_remove};
  auto reservation = budget.reserve(event, {0.5, 0, privacy::Adjacency::add_remove});
  reservation.debit(event);
  reservation.commit();
  budget.release("12", "standard output", 3e-20);
  EXPECT_EQ(ledger.books().account("adult").runs.front().outcome->prg_slack, 3e-20);
}

// Of several reservations behind one output the PRG slack counts once.
TEST_F(LedgerBudgetTest, OneOutputEndsAllItsReservations) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  const privacy::Event part = privacy::Zcdp{0.25, add_remove};
  for (int i = 0; i < 2; ++i) {
    auto reservation = budget.reserve(part, {1, 1e-5, add_remove});
    reservation.debit(part);
    reservation.commit();
  }
  budget.release("model", "model.json", 1e-20);
  const auto books = ledger.books();
  const auto& runs = books.account("adult").runs;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].outcome->prg_slack, 1e-20);
  EXPECT_EQ(runs[1].outcome->prg_slack, 0);
  for (const auto& run : runs) {
    EXPECT_EQ(run.state, RunState::committed);
    EXPECT_EQ(run.outcome->output_sha256, sha256("model"));
  }
  // All of them are behind that output; nothing is left for another one.
  EXPECT_THROW(budget.release("other", "other.json", 0), base::InternalError);
}

TEST_F(LedgerBudgetTest, WhatIsDroppedStaysSpent) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  {
    LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
    auto reservation = budget.reserve(privacy::Zcdp{0.75, add_remove}, {1, 1e-5, add_remove});
    reservation.debit(privacy::Zcdp{0.75, add_remove});
    reservation.commit();
  }
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0.75);
  EXPECT_EQ(ledger.books().account("adult").runs[0].state, RunState::reserved);
}

TEST_F(LedgerBudgetTest, APlanThatNoReservationHoldsIsNotBooked) {
  enrol_with({.currency = Currency::pure, .value = 1});
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  EXPECT_THROW(static_cast<void>(budget.reserve(privacy::Gaussian{1}, {1, 1e-5, add_remove})),
               base::GuaranteeError);
  EXPECT_TRUE(ledger.books().account("adult").runs.empty());
  EXPECT_EQ(budget.details().calibration, "tight");
}

}  // namespace ledger_budget_test
}  // namespace tacet::ledger
