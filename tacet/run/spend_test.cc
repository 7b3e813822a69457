#include "tacet/run/spend.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/ledger/books.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace {
namespace spend_test {

using ledger::RunState;

constexpr privacy::Guarantee cost{1, 0, privacy::Adjacency::add_remove};

/// Notes when it is written to and when it appears.
class NotedOutput : public Output {
 public:
  explicit NotedOutput(std::vector<std::string>& steps) : steps_(steps) {}
  [[nodiscard]] std::string name() const override { return "result"; }
  void write(std::string_view piece) override { steps_.push_back("write " + std::string(piece)); }
  void appear() override { steps_.emplace_back("appear"); }

 private:
  std::vector<std::string>& steps_;
};

/// Records in a folder, perhaps with an account, and one run on them whose steps are noted, each
/// with the states of the account's runs at that moment.
class Spend : public testing::Test {
 protected:
  void SetUp() override {
    base::write_file(data(), "age\n41\n", base::Overwrite::allow);
    expense_ = {.command = "test",
                .data = data(),
                .planned = privacy::PureDp{1, privacy::Adjacency::add_remove},
                .cost = cost};
    front_.warn = [this](std::string_view line) { warnings_.emplace_back(line); };
  }

  [[nodiscard]] std::string data() const { return (folder_.path() / "data.csv").string(); }
  [[nodiscard]] std::string ledger_file() const { return (folder_.path() / "a.ledger").string(); }

  void give_account(double cap) {
    ledger::Ledger::ensure(ledger_file());
    ledger::Ledger ledger(ledger_file(), {});
    ledger.enrol({.data_set = "survey",
                  .adjacency = privacy::Adjacency::add_remove,
                  .privacy_unit = "record",
                  .cap = {.currency = ledger::Currency::basic, .value = cap},
                  .fingerprints = {},
                  .file = data()});
    front_.account.ledger = ledger_file();
  }

  [[nodiscard]] std::vector<RunState> states() const {
    std::vector<RunState> found;
    if (front_.account.ledger.empty()) return found;
    ledger::Ledger ledger(ledger_file(), {.access = ledger::Access::read});
    const auto books = ledger.books();
    for (const auto& run : books.account("survey").runs) found.push_back(run.state);
    return found;
  }

  void run() {
    NotedOutput output(steps_);
    spend(
        expense_, front_, output,
        [&] {
          note("read");
          if (fails_at_ == "read") throw base::DataError("a broken line");
          return 41;
        },
        [&](int record, privacy::Reservation& reservation, Pieces& result) {
          note("run");
          EXPECT_EQ(record, 41);
          reservation.debit(expense_.planned);
          if (fails_at_ == "run") throw base::Interrupted("interrupted");
          result.write("4");
          result.write("2");
          return 1e-30;
        });
  }

  void note(const std::string& step) {
    steps_.push_back(step);
    at_step_.push_back(states());
  }

  test::ScratchFolder folder_;
  Expense expense_;
  Front front_;
  std::string fails_at_;
  std::vector<std::string> steps_;
  std::vector<std::vector<RunState>> at_step_;
  std::vector<std::string> warnings_;
};

using Steps = std::vector<std::string>;
using States = std::vector<RunState>;

/// One run on records in memory; whether they were to be added to a fingerprint.
bool run_in_memory(Expense expense, const Front& front, const std::string& record = "41") {
  expense.data.clear();
  UnwrittenOutput output("result");
  bool known = false;
  spend(
      expense, front, output,
      [&](ledger::Fingerprint* fingerprint) {
        known = fingerprint != nullptr;
        if (known) fingerprint->add(record);
        if (record.empty()) throw base::DataError("no record");
        return 41;
      },
      [&](int, privacy::Reservation& reservation, Pieces&) {
        reservation.debit(expense.planned);
        return 0.0;
      });
  return known;
}

TEST_F(Spend, ABudgetPaysForRecordsInMemory) {
  accounting::MemoryBudget budget(privacy::Guarantee{1.5, 0, cost.adjacency});
  front_.budget = &budget;
  EXPECT_THROW(run_in_memory(expense_, front_, ""), base::DataError);
  EXPECT_EQ(budget.spent().epsilon, 0);
  EXPECT_FALSE(run_in_memory(expense_, front_));
  EXPECT_EQ(budget.spent().epsilon, 1);
  EXPECT_THROW(run_in_memory(expense_, front_), privacy::BudgetExceeded);
  EXPECT_EQ(budget.spent().epsilon, 1);
}

TEST_F(Spend, AnAccountPaysForRecordsInMemoryAndKnowsThemAgain) {
  give_account(3);
  EXPECT_TRUE(run_in_memory(expense_, front_));
  EXPECT_EQ(states(), States{RunState::committed});
  ledger::Ledger(ledger_file(), {})
      .enrol({.data_set = "other",
              .adjacency = privacy::Adjacency::add_remove,
              .privacy_unit = "record",
              .cap = {.currency = ledger::Currency::basic, .value = 3},
              .fingerprints = {},
              .file = {}});
  front_.account.data_set = "other";
  EXPECT_THROW(run_in_memory(expense_, front_), base::BudgetError);
  EXPECT_TRUE(run_in_memory(expense_, front_, "others"));
}

TEST_F(Spend, OneRunIsPaidOnce) {
  give_account(3);
  accounting::MemoryBudget budget(cost.adjacency);
  front_.budget = &budget;
  EXPECT_THROW(run_in_memory(expense_, front_), base::UsageError);
  EXPECT_THROW(run(), base::UsageError);
  EXPECT_EQ(budget.spent().epsilon, 0);
  EXPECT_TRUE(states().empty());
}

TEST_F(Spend, ReadsRunsWritesAndShowsInThisOrder) {
  run();
  EXPECT_EQ(steps_, (Steps{"read", "run", "write 4", "write 2", "appear"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Spend, TheLedgerHoldsTheReservationBeforeARecordIsRead) {
  give_account(3);
  run();
  EXPECT_EQ(at_step_, (std::vector<States>{{RunState::reserved}, {RunState::reserved}}));
  EXPECT_EQ(states(), States{RunState::committed});
}

TEST_F(Spend, TheLedgerKeepsTheHashAndTheCiphersTermOfWhatWasWritten) {
  give_account(3);
  run();
  ledger::Ledger ledger(ledger_file(), {.access = ledger::Access::read});
  const auto books = ledger.books();
  const auto& outcome = books.account("survey").runs.front().outcome;
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->output, "result");
  // printf 42 | sha256sum
  EXPECT_EQ(outcome->output_sha256,
            "73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049");
  EXPECT_EQ(outcome->prg_slack, 1e-30);
}

TEST_F(Spend, RecordsThatCannotBeReadCostNothing) {
  give_account(3);
  fails_at_ = "read";
  EXPECT_THROW(run(), base::DataError);
  EXPECT_EQ(steps_, Steps{"read"});
  EXPECT_EQ(states(), States{RunState::cancelled});
}

TEST_F(Spend, AnInterruptedRunStaysReservedAndShowsNothing) {
  give_account(3);
  fails_at_ = "run";
  EXPECT_THROW(run(), base::Interrupted);
  EXPECT_EQ(steps_, (Steps{"read", "run"}));
  EXPECT_EQ(states(), States{RunState::reserved});
}

TEST_F(Spend, WhatTheCapDoesNotCoverIsRefusedBeforeARecordIsRead) {
  give_account(0.5);
  EXPECT_THROW(run(), base::BudgetError);
  EXPECT_TRUE(steps_.empty());
  EXPECT_TRUE(states().empty());
}

TEST_F(Spend, OptionsThatDoNotGoTogetherAreRefused) {
  front_.account.data_set = "survey";
  EXPECT_THROW(run(), base::UsageError);  // of which ledger?
  front_.account = {.override_reason = "because"};
  EXPECT_THROW(run(), base::UsageError);  // past which cap?
  front_.account = {.ledger = ledger_file(), .override_reason = "because"};
  EXPECT_THROW(run(), base::UsageError);
  EXPECT_TRUE(steps_.empty());
}

TEST_F(Spend, MarkedRecordsAreNotUsedWithoutTheirLedger) {
  give_account(3);
  {
    ledger::Ledger ledger(ledger_file(), {});
    ledger::add_mark(folder_.path(),
                     {"data.csv", "survey", "a.ledger", ledger.books().ledger, ledger.position()});
  }
  front_.account.ledger.clear();
  EXPECT_THROW(run(), base::BudgetError);
  EXPECT_TRUE(steps_.empty());
  front_.account.ledger = ledger_file();
  run();
  EXPECT_EQ(states(), States{RunState::committed});
}

TEST_F(Spend, ARaisedFlagEndsTheRunBetweenTheSteps) {
  give_account(3);
  base::CancelToken cancel;
  front_.cancel = &cancel;
  NotedOutput output(steps_);
  EXPECT_THROW(spend(
                   expense_, front_, output,
                   [&] {
                     cancel.cancel();
                     cancel.throw_if_cancelled();
                     return 0;
                   },
                   [&](int, privacy::Reservation&, Pieces&) {
                     ADD_FAILURE() << "records are used after the interruption";
                     return 0.0;
                   }),
               base::Interrupted);
  EXPECT_EQ(states(), States{RunState::cancelled});
  EXPECT_TRUE(steps_.empty());
}

TEST_F(Spend, NothingIsReleasedWithoutACommit) {
  give_account(3);
  const Front& front = front_;
  Payment payment(expense_, front);
  auto reservation = payment.reserve();
  EXPECT_THROW(payment.release(std::string(64, '0'), "result", 0), base::InternalError);
  EXPECT_EQ(states(), States{RunState::reserved});
  reservation.cancel();
}

TEST_F(Spend, OtherRecordsUnderTheSameNameAreAWarning) {
  give_account(3);
  run();
  base::write_file(data(), "age\n42\n43\n", base::Overwrite::allow);
  run();
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_.front().find("are not those seen before under 'survey'"), std::string::npos);
  EXPECT_EQ(states(), (States{RunState::committed, RunState::committed}));
}

}  // namespace spend_test
}  // namespace
}  // namespace tacet::run
