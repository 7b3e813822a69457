#include "tacet/run/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/run/predictor.h"
#include "tests/support/berkeley_records.h"
#include "tests/support/labelled_records.h"
#include "tests/support/scratch_folder.h"

namespace tacet::run {
namespace train_test {

// From a file, from columns and from a function: one model, bit for bit.
TEST(Train, FromMemoryItIsTheModelOfTheFile) {
  const InMemory data;
  const auto plan = choose::plan(quick(), data.schema);
  random::SeededSource source(3);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto permit = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  const auto expected = plan.run(
      data::read_dataset(test::source_file("data/berkeley1973.csv"), plan.reading_schema()),
      plan.schema, {source, permit, threads});
  random::SeededSource again(3);
  const auto file = train(data.schema, data.table(), quick(), {.source = &again, .threads = 2});
  EXPECT_EQ(file.model.coefficients, expected.model.coefficients);
  EXPECT_EQ(privacy::receipt_to_json(file.receipt), privacy::receipt_to_json(expected.receipt));
  random::SeededSource third(3);
  std::size_t row = 0;
  const auto yielded = train(data.schema, data.records(row), quick(), {.source = &third});
  EXPECT_EQ(yielded.model.coefficients, expected.model.coefficients);
  EXPECT_EQ(model::model_from_json(model::model_to_json(file), "m").model.coefficients,
            file.model.coefficients);
}

TEST(Train, PredictsWhatTheModelSays) {
  const InMemory data;
  random::SeededSource source(3);
  const auto file = train(data.schema, data.table(), quick(), {.source = &source});
  const auto predictions = predict(file, data.table());
  const auto records = data::read_dataset(test::source_file("data/berkeley1973.csv"), file.schema);
  ASSERT_EQ(std::ssize(predictions), records.rows());
  std::vector<double> margin(1);
  for (std::int64_t k = 0; k < records.rows(); ++k) {
    const auto& found = predictions[static_cast<std::size_t>(k)];
    model::margins(file.model, records, k, margin);
    ASSERT_EQ(found.class_index, margin[0] > 0 ? 1 : 0);
    ASSERT_NEAR(found.probabilities[0] + found.probabilities[1], 1, 1e-12);
    ASSERT_EQ(found.probabilities[1] > 0.5, margin[0] > 0);
  }
}

data::Schema numbered() {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = 2, .lower = -1, .upper = 1};
  schema.format.kind = &data::file_kind("npy");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}, .negative = {"0"}}};
  schema.public_row_count = 4;
  return schema;
}

// Labels 0 and 1 are those of the schema, and train what -1 and +1 would.
TEST(Train, FromAMatrixWithLabelsAsTheSchemaSpellsThem) {
  const std::vector<double> values{1, 0, 0.5, 0.2, -1, 0, -0.7, 0.1};
  const std::vector<double> labels{1, 1, 0, 0};
  choose::Request options(privacy::Adjacency::add_remove);
  options.set("epsilon", 50).set("delta", 1e-5);
  random::SeededSource source(5);
  const auto file = train(numbered(), Matrix{values, 2, labels}, options, {.source = &source});
  const auto predictions = predict(file, Matrix{values, 2});
  for (std::size_t k = 0; k < labels.size(); ++k) {
    EXPECT_EQ(predictions[k].class_index, static_cast<std::int64_t>(labels[k]));
  }
}

TEST(Train, RowsThatAreNoneAreRefusedAndCostNothing) {
  const std::vector<double> values(8, 0.5);
  const std::vector<double> labels(3, 1);
  accounting::MemoryBudget budget(privacy::Adjacency::add_remove);
  const auto refused = [&](const data::Schema& schema, const Rows& rows) {
    EXPECT_THROW(static_cast<void>(train(schema, rows, quick(), {.budget = &budget})),
                 base::UsageError);
    EXPECT_EQ(budget.spent().epsilon, 0);
  };
  refused(numbered(), Matrix{values, 2, labels});
  refused(numbered(), Matrix{values, 4, labels});
  refused(numbered(), Table{{"a"}, {std::span<const double>(values)}});
  const InMemory data;
  refused(data.schema, Matrix{values, 2, labels});
  auto uneven = data.table();
  uneven.columns[0] = std::span(values);
  refused(data.schema, uneven);
  refused(data.schema, Table{});
}

// What a caller's function throws passes through, and the reservation is given back.
TEST(Train, AFunctionThatThrowsCostsNothing) {
  const InMemory data;
  accounting::MemoryBudget budget(privacy::Adjacency::add_remove);
  const Records broken{data.names,
                       [](std::span<std::string>) -> bool { throw std::runtime_error("gone"); }};
  EXPECT_THROW(static_cast<void>(train(data.schema, broken, quick(), {.budget = &budget})),
               std::runtime_error);
  EXPECT_EQ(budget.spent().epsilon, 0);
}

struct Stops : base::Progress {
  void advance(std::string_view, std::int64_t, std::int64_t) override {
    throw std::runtime_error("enough");
  }
};

// Steps may have been released: the price stays spent, and the cap holds for the next one.
TEST(Train, WhatThrowsDuringTrainingIsSpent) {
  const InMemory data;
  accounting::MemoryBudget budget(privacy::Guarantee{1.5, 1e-4, privacy::Adjacency::add_remove});
  Stops progress;
  EXPECT_THROW(static_cast<void>(train(data.schema, data.table(), quick(),
                                       {.budget = &budget, .supervision = {&progress, nullptr}})),
               std::runtime_error);
  EXPECT_NEAR(budget.spent().epsilon, 1, 1e-2);
  EXPECT_THROW(static_cast<void>(train(data.schema, data.table(), quick(), {.budget = &budget})),
               privacy::BudgetExceeded);
}

// The same functions are the same loss, and the file of the model predicts without them.
TEST(Train, ALossOfOnesOwnTrainsAsItself) {
  const InMemory data;
  const model::Loss known = model::make_loss("smoothed_hinge");
  const auto facts = model::properties(known);
  auto named = quick();
  named.set("loss", "smoothed_hinge");
  random::SeededSource first(3);
  const auto expected = train(data.schema, data.table(), named, {.source = &first});
  auto custom = quick();
  custom.minimise([&](double u, double y) { return model::loss_value(known, u, y); },
                  [&](double u, double y) { return model::loss_slope(known, u, y); },
                  facts.slope_bound, facts.curvature);
  random::SeededSource second(3);
  const auto found = train(data.schema, data.table(), custom, {.source = &second});
  EXPECT_EQ(found.model.coefficients, expected.model.coefficients);
  EXPECT_EQ(found.receipt.guarantee, expected.receipt.guarantee);
  const auto read = model::model_from_json(model::model_to_json(found), "m");
  EXPECT_EQ(predict(read, data.table())[0].class_index,
            predict(found, data.table())[0].class_index);
  EXPECT_THROW(static_cast<void>(model::loss_value(read.model.loss, 0, 1)), base::UsageError);
  const auto check = learn::check_receipt(read.receipt, &read);
  EXPECT_TRUE(check.faults.empty());
  EXPECT_NE(std::ranges::find(check.unchecked,
                              "that the loss was a function of prediction and label alone"),
            check.unchecked.end());
}

// Whatever the functions say, a record is clipped; and where a proof counts on the loss it is none.
TEST(Train, NothingIsProvedByALossOfOnesOwn) {
  const InMemory data;
  double wild = 0;
  const auto with_wild_loss = [&](double epsilon, privacy::Adjacency adjacency) {
    choose::Request request(adjacency);
    request.set("epsilon", epsilon).set("delta", 1e-5);
    request.minimise([](double, double) { return 0.0; }, [&wild](double, double) { return wild; });
    return request;
  };
  auto options = with_wild_loss(1, privacy::Adjacency::add_remove);
  options.set("steps", 20);
  for (const double slope : std::vector<double>{NAN, INFINITY, 1e300}) {
    wild = slope;
    random::SeededSource source(3);
    const auto file = train(data.schema, data.table(), options, {.source = &source});
    for (const double w : file.model.coefficients) EXPECT_TRUE(std::isfinite(w));
    EXPECT_LE(file.receipt.guarantee.epsilon, 1);
  }
  const auto refused = [&](const choose::Request& asked) {
    EXPECT_THROW(static_cast<void>(train(data.schema, data.table(), asked)), base::UsageError);
  };
  for (const char* method : {"objective", "output", "regularized-output", "ladder"}) {
    auto other = with_wild_loss(1, privacy::Adjacency::replace_one);
    refused(other.set("method", method));
  }
  refused(with_wild_loss(INFINITY, privacy::Adjacency::add_remove));
  choose::Request named(privacy::Adjacency::add_remove);
  refused(named.set("epsilon", 1).set("loss", "custom_of_classes"));
  EXPECT_THROW(options.minimise({}, {}), base::UsageError);
}

// The receipt has the fit of the schema in it, and so has what the budget says.
TEST(Train, AFittedSchemaIsPaidFor) {
  const InMemory data;
  const auto schema = fitted(data.schema);
  accounting::MemoryBudget budget(privacy::Guarantee{2.5, 1e-4, privacy::Adjacency::add_remove});
  EXPECT_THROW(static_cast<void>(train(schema, Table{}, quick(), {.budget = &budget})),
               base::UsageError);
  EXPECT_EQ(budget.spent().epsilon, 0);
  const auto file = train(schema, data.table(), quick(), {.budget = &budget});
  EXPECT_GT(file.receipt.guarantee.epsilon, 1.4);
  EXPECT_GE(budget.spent().epsilon, file.receipt.guarantee.epsilon);
  // The fit once, as in a ledger: it was one release.
  const auto fit = data::cost_between(schema, privacy::Adjacency::add_remove).guarantee.epsilon;
  const auto run = budget.spent().epsilon - fit;
  static_cast<void>(train(schema, data.table(), quick(), {.budget = &budget}));
  EXPECT_NEAR(budget.spent().epsilon, fit + 2 * run, 1e-9);
  const auto before = budget.spent();
  EXPECT_THROW(static_cast<void>(train(schema, data.table(), quick(), {.budget = &budget})),
               privacy::BudgetExceeded);
  EXPECT_EQ(budget.spent(), before);
}

// What protects nobody has no price, and prices for different units do not add up.
TEST(Train, AMemoryBudgetTakesOneUnitAndNoSeededFit) {
  const InMemory data;
  accounting::MemoryBudget budget(privacy::Guarantee{5, 1e-3, privacy::Adjacency::add_remove});
  auto seeded = fitted(data.schema);
  seeded.cost->unprotected_reason = "noise from a known seed";
  EXPECT_THROW(static_cast<void>(train(seeded, data.table(), quick(), {.budget = &budget})),
               base::BudgetError);
  EXPECT_EQ(budget.spent().epsilon, 0);
  static_cast<void>(train(data.schema, data.table(), quick(), {.budget = &budget}));
  const auto before = budget.spent();
  auto by_department = data.schema;
  by_department.unit = "department";
  std::erase_if(by_department.columns,
                [](const auto& column) { return column.name == "department"; });
  EXPECT_THROW(static_cast<void>(train(by_department, data.table(), quick(), {.budget = &budget})),
               base::BudgetError);
  EXPECT_EQ(budget.spent(), before);
}

}  // namespace train_test
}  // namespace tacet::run
