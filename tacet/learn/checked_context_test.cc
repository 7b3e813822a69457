#include "tacet/learn/checked_context.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace checked_context_test {

constexpr auto adjacency = privacy::Adjacency::add_remove;

struct Trial {
  privacy::TrustingBudget budget{adjacency};
  privacy::Reservation reservation;
  base::ThreadPool threads{1};

  explicit Trial(const Training& training)
      : reservation(budget.reserve(training.events, training.guarantee)) {}

  auto run(const Training& training, const data::Dataset& records, random::Source& source) {
    return training.run(records, training.schema, {source, reservation, threads});
  }
  /// Refused as the caller's mistake, with nothing spent: the reservation can be given back.
  void refuses(const Training& training, const data::Dataset& records, random::Source& source) {
    EXPECT_THROW(static_cast<void>(run(training, records, source)), base::UsageError);
    EXPECT_EQ(reservation.spent(), privacy::no_event());
    EXPECT_NO_THROW(reservation.cancel());
  }
};

ParameterValues quick() {
  return {{"epsilon", 1}, {"delta", 1e-5}, {"adjacency", adjacency}, {"steps", 3}};
}

TEST(CheckedContext, ASecondTrainingNeedsTheSourcesNextRun) {
  const auto berkeley = test::berkeley();
  const auto training = plan_training(berkeley.schema, quick());
  random::SeededSource source(1);
  const auto first = Trial(training).run(training, berkeley.train, source);
  Trial(training).refuses(training, berkeley.train, source);
  source.next_run();
  const auto second = Trial(training).run(training, berkeley.train, source);
  EXPECT_NE(first.model.coefficients, second.model.coefficients);  // noise of its own
  EXPECT_EQ(first.receipt.prg_slack, second.receipt.prg_slack);
}

TEST(CheckedContext, RecordsOfAnotherShapeAreRefused) {
  const auto berkeley = test::berkeley();
  const auto training = plan_training(berkeley.schema, quick());
  const auto shape = training.reading_schema().shape();
  random::SeededSource source(1);
  const auto refused = [&](auto change) {
    auto other = shape;
    change(other);
    Trial(training).refuses(training, data::Dataset(other), source);
  };
  refused([](data::DatasetShape& other) { other.columns += 1; });
  refused([](data::DatasetShape& other) { other.norm_bound = 2; });
  refused([](data::DatasetShape& other) { other.labels = {}; });
  refused([](data::DatasetShape& other) { other.labels = data::LabelDomain::none(); });
  refused([](data::DatasetShape& other) { other.labels = data::LabelDomain::classes(2); });
  refused([](data::DatasetShape& other) { other.labels = data::LabelDomain::interval(-1, 1); });
  EXPECT_FALSE(source.begun());
}

// Without units every record would be protected alone, and the receipt would say otherwise.
TEST(CheckedContext, RecordsWithoutTheUnitsOfTheirSchemaAreRefused) {
  auto schema = test::berkeley().schema;
  schema.unit = "person";
  auto options = quick();
  options.set("max-records-per-unit", 2);
  const auto training = plan_training(schema, options);
  random::SeededSource source(1);
  data::Dataset records(training.reading_schema().shape());
  Trial(training).refuses(training, records, source);
  records.declare_units();
  EXPECT_NO_THROW(static_cast<void>(Trial(training).run(training, records, source)));
}

}  // namespace checked_context_test
}  // namespace tacet::learn
