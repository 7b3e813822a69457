#include "tacet/run/train.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/labelled_records.h"

namespace tacet::run {
namespace train_test {

/// The tutorial's table as a program would hold it.
struct InMemory {
  data::Schema schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  InMemory() {
    std::ifstream file(test::source_file("data/berkeley1973.csv"));
    std::string line;
    while (std::getline(file, line)) {
      std::vector<std::string> fields;
      std::istringstream parts(line);
      for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
      if (names.empty()) {
        names = fields;
        columns.resize(names.size());
        continue;
      }
      for (std::size_t j = 0; j < fields.size(); ++j) columns[j].push_back(fields[j]);
    }
  }
  [[nodiscard]] Table table() const {
    Table table{.names = names};
    for (const auto& column : columns) table.columns.emplace_back(std::span(column));
    return table;
  }
  [[nodiscard]] Records records(std::size_t& row) const {
    return {names, [this, &row](std::span<std::string> fields) {
              if (row == columns[0].size()) return false;
              for (std::size_t j = 0; j < fields.size(); ++j) fields[j] = columns[j][row];
              ++row;
              return true;
            }};
  }
};

learn::LinearOptions quick() {
  learn::LinearOptions options{.epsilon = 1, .delta = 1e-5};
  options.steps = 20;
  return options;
}

// From a file, from columns and from a function: one model, bit for bit.
TEST(Train, FromMemoryItIsTheModelOfTheFile) {
  const InMemory data;
  const auto plan = learn::plan_training(data.schema, quick());
  random::SeededSource source(3);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto permit = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  base::LocalReducer reducer;
  const auto expected = plan.run(
      data::read_dataset(test::source_file("data/berkeley1973.csv"), plan.reading_schema()),
      plan.schema, {source, permit, threads, reducer});
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
  learn::LinearOptions options{.epsilon = 50, .delta = 1e-5};
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

}  // namespace train_test
}  // namespace tacet::run
