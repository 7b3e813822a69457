#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/run/train.h"
#include "tests/support/berkeley_records.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace train_ledger_test {

using train_test::fitted;
using train_test::InMemory;
using train_test::quick;

/// A ledger with one account.
class TrainWithLedger : public testing::Test {
 protected:
  TrainWithLedger() : book_((ledger::Ledger::create(path()), path())) {
    book_.enrol({.data_set = "berkeley",
                 .adjacency = privacy::Adjacency::add_remove,
                 .cap = {.currency = ledger::Currency::basic, .value = 3, .delta = 1e-3},
                 .fingerprints = {},
                 .file = {}});
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "a.ledger"; }
  [[nodiscard]] double booked() {
    return book_.books().account("berkeley").counted().total().value;
  }
  [[nodiscard]] std::size_t runs() { return book_.books().account("berkeley").runs.size(); }

  test::ScratchFolder folder_;
  ledger::Ledger book_;
  InMemory data_;
  ledger::RunDetails details_{.data_set = "berkeley", .command = "test"};
};

TEST_F(TrainWithLedger, AFittedSchemaIsBookedOnce) {
  const auto schema = fitted(data_.schema);
  for (int run = 1; run <= 2; ++run) {
    ledger::LedgerBudget budget(book_, details_);
    const auto file = train(schema, data_.table(), quick(), {.ledger = &budget});
    EXPECT_NEAR(booked(), 0.5 + run, 0.02);
    EXPECT_FALSE(budget.owes_release());
  }
  EXPECT_EQ(runs(), 3U);
}

TEST_F(TrainWithLedger, AnotherUnitThanTheSchemasIsRefused) {
  book_.enrol({.data_set = "persons",
               .adjacency = privacy::Adjacency::add_remove,
               .privacy_unit = "person",
               .cap = {.currency = ledger::Currency::basic, .value = 3, .delta = 1e-3},
               .fingerprints = {},
               .file = {}});
  details_.data_set = "persons";
  details_.privacy_unit = "person";  // but the schema protects each record
  ledger::LedgerBudget budget(book_, details_);
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), quick(), {.ledger = &budget})),
               base::UsageError);
  EXPECT_TRUE(book_.books().account("persons").runs.empty());
}

// Not even a run that was given back is in the ledger.
TEST_F(TrainWithLedger, RowsThatAreNoneAreRefusedBeforeTheBooking) {
  ledger::LedgerBudget budget(book_, details_);
  auto uneven = data_.table();
  const std::vector<double> values(8, 0.5);
  uneven.columns[0] = std::span(values);
  auto nameless = data_.table();
  nameless.names[0] = "other";
  std::size_t row = 0;
  auto records = data_.records(row);
  records.names[1] = "other";
  for (const Rows& rows : {Rows(uneven), Rows(nameless), Rows(records), Rows(Matrix{values, 2})}) {
    EXPECT_THROW(static_cast<void>(train(data_.schema, rows, quick(), {.ledger = &budget})),
                 base::Error);
  }
  EXPECT_EQ(runs(), 0U);
  EXPECT_EQ(row, 0U);
}

TEST_F(TrainWithLedger, WhatProtectsNobodyIsNotBookedAsProtected) {
  random::SeededSource source(1);
  choose::Request loud(privacy::Adjacency::add_remove);
  loud.set("epsilon", INFINITY);
  ledger::LedgerBudget budget(book_, details_);
  const TrainContext seeded{.ledger = &budget, .source = &source};
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), quick(), seeded)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), loud, {.ledger = &budget})),
               base::UsageError);
  EXPECT_EQ(runs(), 0U);
  details_.unprotected_reason = "a test";
  details_.override_reason = "a test";
  details_.for_ever = true;
  ledger::LedgerBudget told(book_, details_);
  static_cast<void>(
      train(data_.schema, data_.table(), quick(), {.ledger = &told, .source = &source}));
  EXPECT_EQ(booked(), INFINITY);
}

// The end of one run is not the end of another one's reservations.
TEST_F(TrainWithLedger, RecordsOfAnotherAccountAreRefusedAndCostNothing) {
  ledger::LedgerBudget budget(book_, details_);
  static_cast<void>(train(data_.schema, data_.table(), quick(), {.ledger = &budget}));
  book_.enrol({.data_set = "others",
               .adjacency = privacy::Adjacency::add_remove,
               .cap = {.currency = ledger::Currency::basic, .value = 3, .delta = 1e-3},
               .fingerprints = {},
               .file = {}});
  details_.data_set = "others";
  ledger::LedgerBudget other(book_, details_);
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), quick(), {.ledger = &other})),
               base::BudgetError);
  EXPECT_EQ(book_.books().account("others").counted().total().value, 0);
}

TEST_F(TrainWithLedger, ABudgetThatOwesAnOutputIsRefused) {
  ledger::LedgerBudget budget(book_, details_);
  auto permit = budget.reserve(privacy::Laplace{10}, {0.1, 0, privacy::Adjacency::add_remove});
  permit.commit();
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), quick(), {.ledger = &budget})),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(train(data_.schema, data_.table(), quick(), {.budget = &budget})),
               base::UsageError);  // nobody would write its end
  EXPECT_EQ(runs(), 1U);
  budget.release("noise", "noise", 0);
  static_cast<void>(train(data_.schema, data_.table(), quick(), {.ledger = &budget}));
  EXPECT_EQ(runs(), 2U);
}

}  // namespace train_ledger_test
}  // namespace tacet::run
